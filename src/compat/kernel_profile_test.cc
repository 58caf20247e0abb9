#include "compat/kernel_profile.h"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <memory>

#include "compat/kernel_work.h"

namespace mgdm::compat {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;
using Types = std::vector<std::string>;

TEST(KernelWork, GoesThroughAName) {
  const auto back = work_of(work_name({"attention, forward", 3e12, 17}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->label, "attention, forward");
  EXPECT_EQ(back->bytes, 3e12);
  EXPECT_EQ(back->flop, 17);
  EXPECT_FALSE(work_of("aten::mm"));
  EXPECT_FALSE(work_of("a|b|1|2"));
  EXPECT_FALSE(work_of(work_name({"a|b", 1, 2})));
}

TEST(KernelWork, IsToldToWhoeverProfiles) {
  static std::vector<std::string> names;
  names.clear();
  { const KernelWork nobody_listens("unheard", 1, 1); }
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction& function)
                                     -> std::unique_ptr<at::ObserverContext> {
        names.emplace_back(function.name());
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION}));
  { const KernelWork work("norm", 1024, 0); }
  at::removeCallback(handle);
  EXPECT_EQ(names, std::vector<std::string>{work_name({"norm", 1024, 0})});
}

TEST(OperationBytes, AreThoseOfProductsAndCopies) {
  const Types bf16{"c10::BFloat16", "c10::BFloat16", "c10::BFloat16"};
  EXPECT_EQ(operation_bytes("aten::mm", Shapes{{4, 8}, {8, 2}}, Types{bf16[0], bf16[1]}),
            2 * (32 + 16 + 8));
  EXPECT_EQ(operation_bytes("aten::addmm", Shapes{{2}, {4, 8}, {8, 2}}, bf16),
            2 * (2 + 32 + 16 + 8));
  EXPECT_EQ(operation_bytes("aten::baddbmm", Shapes{{3, 4, 2}, {3, 4, 8}, {3, 8, 2}}, bf16),
            2 * 3 * (8 + 32 + 16 + 8));
  EXPECT_EQ(operation_bytes("aten::copy_", Shapes{{5, 6}, {5, 6}}, Types{"c10::BFloat16", "float"}),
            30 * 6);
  EXPECT_EQ(operation_bytes("aten::copy_", Shapes{{5, 6}, {6}}, Types{"float", "float"}), 0);
  EXPECT_EQ(operation_bytes("aten::mm", Shapes{{4, 8}, {8, 2}}, Types{"strange", "strange"}), 0);
  EXPECT_EQ(operation_bytes("aten::add", Shapes{{4}, {4}}, Types{"float", "float"}), 0);
  EXPECT_EQ(operation_bytes("aten::mm", Shapes{}, Types{}), 0);
  EXPECT_EQ(operation_bytes("aten::mm", Shapes{{4}, {4}}, Types{"float", "float"}), 0);
}

ProfiledEvent kernel(std::string name, std::uint64_t launch, double ms) {
  return {.on_device = true, .name = std::move(name), .launch = launch, .ms = ms};
}

ProfiledEvent ours(std::uint64_t id, const Work& work) {
  return {.name = work_name(work), .id = id};
}

TEST(KernelProfile, GivesAnOperationsWorkToItsLongestKernel) {
  const auto uses = uses_of({ours(1, {"norm", 100, 0}), ours(2, {"norm", 300, 0}),
                             kernel("void norm<4>(float*)", 1, 2), kernel("sum(int)", 1, 1),
                             kernel("void norm<4>(float*)", 2, 3), kernel("sum(int)", 2, 1)});
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].name, "norm<4>");
  EXPECT_EQ(uses[0].label, "norm");
  EXPECT_EQ(uses[0].calls, 2);
  EXPECT_EQ(uses[0].ms, 5);
  EXPECT_EQ(uses[0].bytes, 400);
  EXPECT_EQ(uses[1].name, "sum");
  EXPECT_EQ(uses[1].label, "norm");
  EXPECT_EQ(uses[1].bytes, 0);
}

// A sum over some of the calls would look like a slow kernel.
TEST(KernelProfile, KnowsTheWorkOfAllCallsOrOfNone) {
  const ProfiledEvent product{.name = "aten::mm", .id = 1, .bytes = 10, .flop = 20};
  const ProfiledEvent unknown{.name = "aten::something", .id = 2};
  const auto all = uses_of({product, kernel("gemm", 1, 1)});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bytes, 10);
  EXPECT_EQ(all[0].flop, 20);
  EXPECT_EQ(all[0].label, "");
  const auto some = uses_of({product, unknown, kernel("gemm", 1, 1), kernel("gemm", 2, 1)});
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0].bytes, 0);
  EXPECT_EQ(some[0].flop, 0);
}

TEST(KernelProfile, AddsTheWorkOfAStepThatWasNotReplayed) {
  std::vector<KernelUse> replayed{{.name = "a", .calls = 2, .ms = 3},
                                  {.name = "b", .calls = 1, .ms = 2},
                                  {.name = "c", .calls = 1, .ms = 1}};
  add_work(replayed, {{.name = "a", .label = "x", .calls = 2, .ms = 9, .bytes = 5, .flop = 6},
                      {.name = "b", .label = "y", .calls = 7, .ms = 9, .bytes = 5, .flop = 6}});
  EXPECT_EQ(replayed[0].label, "x");
  EXPECT_EQ(replayed[0].ms, 3);
  EXPECT_EQ(replayed[0].bytes, 5);
  EXPECT_EQ(replayed[0].flop, 6);
  EXPECT_EQ(replayed[1].bytes, 0);
  EXPECT_EQ(replayed[2].bytes, 0);
}

}  // namespace
}  // namespace mgdm::compat
