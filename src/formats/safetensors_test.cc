#include "formats/safetensors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <utility>

#include "base/files.h"
#include "base/random.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

std::string length_prefix(std::uint64_t length) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

// A file with this header and `data_size` bytes 0, 1, 2, ...
std::string file_with(std::string_view header, std::size_t data_size) {
  std::string bytes = length_prefix(header.size()) + std::string(header);
  for (std::size_t i = 0; i < data_size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

// What the reader says about those bytes; empty when it takes them.
std::string complaint(std::string_view bytes) {
  return error_of([&] { parse_safetensors(bytes_of(bytes), "file"); });
}

std::string complaint(std::string_view header, std::size_t data_size) {
  return complaint(file_with(header, data_size));
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirData) {
  const std::string bytes = file_with(
      R"({"b":{"dtype":"I16","shape":[2,1],"data_offsets":[4,8]},"__metadata__":{"k":"v"},)"
      R"("a":{"shape":[],"data_offsets":[0,4],"dtype":"F32"},)"
      R"("none":{"dtype":"U8","shape":[3,0],"data_offsets":[4,4]}}   )",
      8);
  const Safetensors file = parse_safetensors(bytes_of(bytes), "file");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(file.tensors()[1].name, "none");
  EXPECT_EQ(file.tensors()[2].name, "b");
  EXPECT_EQ(file.metadata(), (Metadata{{"k", "v"}}));

  const TensorView& b = file.at("b");
  EXPECT_EQ(b.dtype, Dtype::kI16);
  EXPECT_EQ(b.shape, (std::vector<std::int64_t>{2, 1}));
  ASSERT_EQ(b.bytes.size(), 4u);
  EXPECT_EQ(b.bytes[0], std::byte{4});
  EXPECT_TRUE(file.at("a").shape.empty());
  EXPECT_TRUE(file.at("none").bytes.empty());
}

TEST(Safetensors, FindAndAtOnAMissingName) {
  const std::string bytes =
      file_with(R"({"weight":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
  const Safetensors file = parse_safetensors(bytes_of(bytes), "file");
  EXPECT_EQ(file.find("wieght"), nullptr);
  const std::string error = error_of([&] { file.at("wieght"); });
  EXPECT_CONTAINS(error, "file: no tensor 'wieght'");
  EXPECT_CONTAINS(error, "did you mean 'weight'?");
}

TEST(Safetensors, EmptyHeaderIsAFileWithoutTensors) {
  EXPECT_EQ(complaint("{}", 0), "");
  EXPECT_EQ(complaint("{}      ", 0), "");
  EXPECT_EQ(complaint(R"({"__metadata__":{}})", 0), "");
}

TEST(SafetensorsViolation, ShorterThanTheLength) {
  EXPECT_CONTAINS(complaint(std::string_view("\1\0\0", 3)), "file: the file has 3 bytes");
  EXPECT_CONTAINS(complaint(std::string_view("")), "file: the file has 0 bytes");
}

TEST(SafetensorsViolation, HeaderOverTheLimit) {
  EXPECT_CONTAINS(complaint(length_prefix(100'000'001)), "a header of 100000001 bytes");
  EXPECT_CONTAINS(complaint(length_prefix(~std::uint64_t{0})), "at most 100000000");
}

TEST(SafetensorsViolation, HeaderLongerThanTheFile) {
  EXPECT_CONTAINS(complaint(length_prefix(3) + "{}"), "a header of 3 bytes, but only 2 follow");
}

TEST(SafetensorsViolation, HeaderDoesNotStartWithABrace) {
  EXPECT_CONTAINS(complaint(" {}", 0), "file: the header starts with ' '");
  EXPECT_CONTAINS(complaint("", 0), "the header starts with ''");
}

TEST(SafetensorsViolation, HeaderIsNotAnObject) {
  EXPECT_CONTAINS(complaint("[1]", 0), "the header starts with '['");
}

TEST(SafetensorsViolation, InvalidJson) {
  EXPECT_CONTAINS(complaint(R"({"a")", 0), "not valid JSON at byte 4: it ends");
  EXPECT_CONTAINS(complaint("{}x", 0), "not valid JSON at byte 2: 'x'");
  EXPECT_CONTAINS(complaint("{}{}", 0), "not valid JSON at byte 2");
  EXPECT_CONTAINS(complaint(R"({"\ud800":0})", 0), "not valid JSON");
}

TEST(SafetensorsViolation, InvalidUtf8) {
  EXPECT_CONTAINS(complaint("{\"\xFF\":{}}", 0), "the header is not UTF-8 at byte 2");
}

TEST(SafetensorsViolation, ZeroByteDoesNotEndTheHeader) {
  EXPECT_CONTAINS(complaint(std::string_view("{}\0{", 4), 0), "a zero byte at byte 2");
}

TEST(SafetensorsViolation, DuplicateName) {
  const std::string entry = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_CONTAINS(complaint("{" + entry + "," + entry + "}", 0),
                  "file: tensor 'a': the name appears twice");
  EXPECT_CONTAINS(complaint(R"({"__metadata__":{},"__metadata__":{}})", 0),
                  "file: __metadata__: the name appears twice");
}

TEST(SafetensorsViolation, DuplicateKeyInside) {
  EXPECT_CONTAINS(complaint(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
                  "__metadata__ 'k': the key appears twice");
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","dtype":"U8"}})", 0),
                  "tensor 'a': dtype appears twice");
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[],"shape":[]}})", 0), "shape appears twice");
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":[0,0],"data_offsets":[0,0]}})", 0),
                  "data_offsets appears twice");
}

TEST(SafetensorsViolation, MetadataIsNotStringToString) {
  EXPECT_CONTAINS(complaint(R"({"__metadata__":"pt"})", 0), "__metadata__: the entry is a string");
  EXPECT_CONTAINS(complaint(R"({"__metadata__":{"k":1}})", 0),
                  "__metadata__ 'k': the value is a number");
  EXPECT_CONTAINS(complaint(R"({"__metadata__":{"k":{}}})", 0), "the value is an object");
  EXPECT_CONTAINS(complaint(R"({"__metadata__":{"k":null}})", 0), "the value is null");
}

TEST(SafetensorsViolation, EntryIsNotAnObject) {
  EXPECT_CONTAINS(complaint(R"({"a":[]})", 0), "tensor 'a': the entry is an array");
  EXPECT_CONTAINS(complaint(R"({"a":true})", 0), "tensor 'a': the entry is true");
}

TEST(SafetensorsViolation, MissingField) {
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[],"data_offsets":[0,1]}})", 1),
                  "tensor 'a': no dtype");
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1), "no shape");
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[]}})", 1), "no data_offsets");
  // Fields of the tensor before must not count.
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"b":{}})", 1),
                  "tensor 'b': no dtype");
}

TEST(SafetensorsViolation, UnknownField) {
  EXPECT_CONTAINS(complaint(R"({"a":{"strides":[1]}})", 0), "tensor 'a': unknown field 'strides'");
}

TEST(SafetensorsViolation, UnknownDtype) {
  const std::string error = complaint(R"({"a":{"dtype":"F31"}})", 0);
  EXPECT_CONTAINS(error, "tensor 'a': unknown dtype 'F31'");
  EXPECT_CONTAINS(error, "BOOL, U8, ");
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":7}})", 0), "dtype is a number");
}

TEST(SafetensorsViolation, ShapeIsNotNonNegativeIntegers) {
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":3}})", 0), "tensor 'a': shape is a number");
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[2,-1]}})", 0), "shape has -1");
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[2.5]}})", 0), "shape has 2.5");
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":["2"]}})", 0), "shape has a string");
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[[2]]}})", 0), "shape has an array");
}

TEST(SafetensorsViolation, ShapeOverflow) {
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":[9223372036854775808]}})", 0),
                  "a dimension of 9223372036854775808 is too large");
  EXPECT_CONTAINS(
      complaint(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0),
      "U8 [4294967296, 4294967296] is larger than any memory");
  EXPECT_CONTAINS(  // only the element size makes it overflow
      complaint(R"({"a":{"dtype":"I32","shape":[4611686018427387904],"data_offsets":[0,0]}})", 0),
      "larger than any memory");
}

TEST(SafetensorsViolation, OffsetsAreNotTwoNonNegativeIntegers) {
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":"0,1"}})", 0), "data_offsets is a string");
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":[1]}})", 0), "data_offsets has 1 number(s)");
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":[0,1,2]}})", 0), "more than two numbers");
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":[-1,2]}})", 0), "data_offsets has -1");
  EXPECT_CONTAINS(complaint(R"({"a":{"data_offsets":[0,1e2]}})", 0), "data_offsets has 1e2");
}

TEST(SafetensorsViolation, BeginAfterEnd) {
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})", 2),
                  "tensor 'a': data_offsets begin at 2 and end at 1");
}

TEST(SafetensorsViolation, RangeOutsideTheData) {
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]}})", 4),
                  "tensor 'a': data_offsets end at 5, the data at 4");
}

TEST(SafetensorsViolation, LengthIsNotThatOfTheShape) {
  const std::string error =
      complaint(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,20]}})", 20);
  EXPECT_CONTAINS(error, "tensor 'a': data_offsets give it 20 bytes");
  EXPECT_CONTAINS(error, "24 bytes for F32 [2, 3]");
}

TEST(SafetensorsViolation, Overlap) {
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                            R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                            4),
                  "tensor 'b': its data begins at 2 and overlaps tensor 'a', which ends at 3");
}

TEST(SafetensorsViolation, Hole) {
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                            R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
                            4),
                  "tensor 'b': its data begins at 3 and leaves a hole from 2");
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
                  "leaves a hole from 0");
}

TEST(SafetensorsViolation, BytesAfterTheLastTensor) {
  EXPECT_CONTAINS(complaint(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 5),
                  "file: 3 bytes after the last tensor");
  EXPECT_CONTAINS(complaint("{}", 1), "1 bytes after the last tensor");
}

// Any byte of a good file changed at random: an Error or a file, never anything worse.
TEST(Safetensors, SurvivesRandomDamage) {
  const std::string good = file_with(
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})",
      11);
  ASSERT_EQ(complaint(good), "");
  int refused = 0;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    Stream random(0, Purpose::kTest, i);
    std::string bad = good;
    for (int changes = random.between(1, 3); changes > 0; --changes)
      bad[random.below(static_cast<std::uint32_t>(bad.size()))] = static_cast<char>(random.next());
    if (random.below(4) == 0) bad.resize(random.below(static_cast<std::uint32_t>(bad.size())));
    refused += !complaint(bad).empty();
  }
  EXPECT_GT(refused, 3000);
}

TEST(Safetensors, DeepNestingIsRefusedAtOnce) {
  EXPECT_CONTAINS(complaint(R"({"a":{"shape":)" + std::string(1'000'000, '['), 0),
                  "shape has an array");
}

class SafetensorsWriting : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "x.safetensors").string();
  std::array<float, 2> floats_{1.5f, -2.0f};
  std::string text_ = "abc";
};

TEST_F(SafetensorsWriting, TheExactBytes) {
  const std::vector<TensorView> tensors{{"w", Dtype::kU8, {3}, bytes_of(text_)}};
  write_safetensors(path_, tensors);
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";
  const std::string padding(8 - header.size() % 8, ' ');
  ASSERT_NE(header.size() % 8, 0u);
  EXPECT_EQ(read_file(path_),
            length_prefix(header.size() + padding.size()) + header + padding + "abc");
}

TEST_F(SafetensorsWriting, ReadsBackWhatWasWritten) {
  const std::vector<TensorView> tensors{
      {"odd", Dtype::kI8, {3}, bytes_of(text_)},
      {"naïve \"q\"\n", Dtype::kF32, {1, 2}, std::as_bytes(std::span(floats_))},
      {"empty", Dtype::kF64, {0, 4}, {}},
      {"scalar", Dtype::kBool, {}, bytes_of(text_).first(1)}};
  write_safetensors(path_, tensors, {{"format", "pt"}, {"step", "12"}});
  Safetensors opened = open_safetensors(path_);
  EXPECT_EQ(opened.source(), path_);
  const Safetensors file = std::move(opened);  // the bytes move along
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}, {"step", "12"}}));
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (const TensorView& written : tensors) {
    const TensorView& read = file.at(written.name);
    EXPECT_EQ(read.dtype, written.dtype);
    EXPECT_EQ(read.shape, written.shape);
    EXPECT_TRUE(std::equal(read.bytes.begin(), read.bytes.end(), written.bytes.begin(),
                           written.bytes.end()));
  }
  EXPECT_EQ(file.tensors()[0].name, "odd");
}

TEST_F(SafetensorsWriting, EveryDtypeSurvives) {
  const std::string data(8, 'x');
  std::vector<TensorView> tensors;
  for (const std::string& name : dtype_names()) {
    const Dtype dtype = *dtype_named(name);
    EXPECT_EQ(name_of(dtype), name);
    tensors.push_back({name, dtype, {1}, bytes_of(data).first(size_of(dtype))});
  }
  EXPECT_EQ(tensors.size(), 15u);
  write_safetensors(path_, tensors);
  const Safetensors file = open_safetensors(path_);
  for (const TensorView& tensor : tensors) EXPECT_EQ(file.at(tensor.name).dtype, tensor.dtype);
}

TEST_F(SafetensorsWriting, RefusesWhatCouldNotBeRead) {
  const auto refusal = [&](std::vector<TensorView> tensors) {
    return error_of([&] { write_safetensors(path_, tensors); });
  };
  const auto bytes = bytes_of(text_);
  EXPECT_CONTAINS(refusal({{"a", Dtype::kU8, {4}, bytes}}),
                  "tensor 'a': 3 bytes\n  expected: U8 [4]");
  EXPECT_CONTAINS(refusal({{"a", Dtype::kU8, {-3}, bytes}}), "3 bytes");
  EXPECT_CONTAINS(refusal({{"a", Dtype::kU8, {3}, bytes}, {"a", Dtype::kU8, {3}, bytes}}), "twice");
  EXPECT_CONTAINS(refusal({{"__metadata__", Dtype::kU8, {3}, bytes}}), "reserved");
  EXPECT_CONTAINS(refusal({{"\xFF", Dtype::kU8, {3}, bytes}}), "not UTF-8");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SafetensorsWriting, AnOpenFileKeepsItsContentWhenReplaced) {
  write_safetensors(path_, std::vector<TensorView>{{"w", Dtype::kU8, {3}, bytes_of(text_)}});
  const Safetensors before = open_safetensors(path_);
  write_safetensors(path_, std::vector<TensorView>{});
  EXPECT_EQ(before.at("w").bytes[0], std::byte{'a'});
  EXPECT_TRUE(open_safetensors(path_).tensors().empty());
}

TEST_F(SafetensorsWriting, OpeningWhatIsNotAFile) {
  EXPECT_CONTAINS(error_of([&] { open_safetensors(folder_.path()); }), "it is a folder");
  EXPECT_CONTAINS(error_of([&] { open_safetensors(path_); }), "cannot read " + path_);
  write_file(path_, "");
  EXPECT_CONTAINS(error_of([&] { open_safetensors(path_); }), path_ + ": the file has 0 bytes");
}

}  // namespace
}  // namespace mgdm::formats
