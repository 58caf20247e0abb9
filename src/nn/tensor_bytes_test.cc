#include "nn/tensor_bytes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "formats/test_support.h"

namespace mgdm::nn {
namespace {

TEST(TensorBytes, EveryTypeComesBack) {
  const formats::TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (const at::ScalarType type : {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt,
                                    at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble})
    tensors.push_back({c10::toString(type), at::arange(6).view({2, 3}).to(type)});
  tensors.push_back({"scalar", at::arange(1).view({})});
  tensors.push_back({"nothing", at::empty({0, 3})});
  tensors.push_back({"transposed", at::arange(6).view({2, 3}).t()});
  write_tensors(folder.path(), "t", tensors);
  const auto read = read_tensors(folder.path(), "t");
  ASSERT_EQ(read.size(), tensors.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, tensors[i].name);
    EXPECT_EQ(read[i].value.scalar_type(), tensors[i].value.scalar_type());
    EXPECT_TRUE(at::equal(read[i].value, tensors[i].value)) << read[i].name;
  }
}

// bf16 keeps 8 bits of a number: a relative error of at most 2^-8. Counts stay exact.
TEST(TensorBytes, CompactShardsComeBackClose) {
  const formats::TemporaryFolder folder;
  const at::Tensor numbers = at::arange(1, 101).to(at::kFloat) / 7, count = at::full({}, 12345.0f);
  write_tensors(folder.path(), "state", {{"a", numbers}, {"b", numbers * 3}, {"count", count}},
                {.max_shard_bytes = 200, .compact = true});
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "state-00001-of-00003.safetensors"));
  const at::Tensor a = at::zeros({100}), b = at::zeros({100}), c = at::zeros({});
  assign({{"a", a}, {"b", b}, {"count", c}}, read_tensors(folder.path(), "state"), "state");
  EXPECT_TRUE(((a - numbers).abs() <= numbers / 256).all().item<bool>());
  EXPECT_FALSE(at::equal(a, numbers));
  EXPECT_TRUE(((b - numbers * 3).abs() <= numbers * 3 / 256).all().item<bool>());
  EXPECT_TRUE(at::equal(c, count));
  // Whole again, and nothing of the shards is left.
  write_tensors(folder.path(), "state", {{"a", numbers}});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state-00001-of-00003.safetensors"));
  EXPECT_EQ(read_tensors(folder.path(), "state").size(), 1u);
}

TEST(TensorBytes, CopiesAreCopies) {
  at::Tensor value = at::zeros({3});
  const at::Tensor copy = host_copy(value);
  const at::Tensor again = to_tensor(view_of("x", value));
  value.fill_(1);
  EXPECT_TRUE(at::equal(copy, at::zeros({3})));
  EXPECT_TRUE(at::equal(again, at::zeros({3})));
}

TEST(TensorBytes, AViewNeedsContiguousNumbers) {
  EXPECT_THROW(view_of("x", at::zeros({2, 3}).t()), std::logic_error);
  EXPECT_CONTAINS(error_of([] { dtype_of(at::kComplexFloat); }), "ComplexFloat");
}

TEST(TensorBytes, AssignTakesAllOrNothing) {
  const at::Tensor a = at::zeros({2}), b = at::zeros({3});
  const std::vector<NamedTensor> targets{{"a", a}, {"b", b}};
  const at::Tensor two = at::arange(2).to(at::kFloat), three = at::arange(3).to(at::kFloat);
  const auto error = [&](const std::vector<NamedTensor>& values) {
    const std::string text = error_of([&] { assign(targets, values, "file"); });
    EXPECT_TRUE(at::equal(a, at::zeros({2})));
    EXPECT_CONTAINS(text, "file: ");
    return text;
  };
  EXPECT_CONTAINS(error({{"a", two}}), "tensor 'b' is missing");
  EXPECT_CONTAINS(error({{"a", two}, {"b", two}}), "tensor 'b' is Float (2)");
  EXPECT_CONTAINS(error({{"a", two}, {"b", three.to(at::kDouble)}}), "expected: Float (3)");
  EXPECT_CONTAINS(error({{"a", two}, {"b", three}, {"c", two}}), "3 tensors");
  assign(targets, {{"b", three}, {"a", two}}, "file");
  EXPECT_TRUE(at::equal(a, two));
  EXPECT_TRUE(at::equal(b, three));
}

}  // namespace
}  // namespace mgdm::nn
