#include "torch_commands/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "compat/device.h"

namespace mgdm::torch_commands {
namespace {

std::string lines(const Signature& signature) {
  std::string text;
  for (const SignaturePart& part : signature.parts)
    text += fmt::format("{:016x}  {}\n", part.hash, part.name);
  return text + fmt::format("{:016x}  signature\n", signature.hash);
}

// A change of a value here changes what seeds mean: models, data and results made before can
// no longer be made again from their recipes. Say so in the commit and the changelog.
TEST(Signature, IsWhatItWas) {
  EXPECT_EQ(lines(signature({})), R"(3174c9b35e744fde  data: planning
98b5fd475ea92158  data: countdown-3
abef20a10d95d8ca  data: countdown-4
0cbf312f04fac945  data: countdown-5
78e91186f99c9da2  data: countdown-6
150c4bb1999e0954  data: sudoku
69750389ac0ff9a4  data: sat-5
16bb82f2009a75f7  data: sat-6
37ba746669cf87a9  data: sat-7
6248b21126fd5736  data: sat-8
4fd5f80ee04fb0af  data: sat-9
fecf75074ece4355  data: sudoku, hard
330a0083244eb48e  views: planning
604d075a42712684  views: countdown-4
969c9d5915d8e875  views: sudoku
70c3bca633428bb0  views: sat-7
083d5fe65683e670  batches: planning
97253a463e44f806  batches: sudoku, in place, augmented
b46eea0e46a7c062  masks: mgdm
daceb0780c0e9dce  masks: mgdm, wrong tokens shown
0677d72068502f65  masks: rdm, coupled
0834e9ddd0253eec  masks: d3pm uniform
ffeb97b540016a02  decoding: topk
b7b07aa240268831  decoding: margin
816ab7e083977bf0  decoding: random
613cc5d2fb36c475  decoding: threshold
c7f8b25a73bf1e09  decoding: entropy
09e329c955d61e57  decoding: multinomial
2def5b3758914563  decoding: topk, revise on
88d639a12e2b8297  decoding: topk, revise remask
520c249b3a44c625  decoding: topk, sampled
c47f0b723cddb6db  signature
)");
}

TEST(Signature, DependsNeitherOnThreadsNorOnBatches) {
  const std::string expected = lines(signature({}));
  for (const SignatureSettings& other :
       {SignatureSettings{.threads = 1, .batch = 1}, SignatureSettings{.threads = 3, .batch = 7},
        SignatureSettings{.threads = 1, .batch = 100}})
    EXPECT_EQ(lines(signature(other)), expected)
        << other.threads << " threads, batches of " << other.batch;
}

TEST(Signature, DoesNotDependOnTheDevice) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  EXPECT_EQ(lines(signature({.device = c10::kCUDA})), lines(signature({})));
}

TEST(Signature, PartsDiffer) {
  const Signature whole = signature({});
  std::set<std::uint64_t> hashes;
  for (const SignaturePart& part : whole.parts) hashes.insert(part.hash);
  EXPECT_EQ(hashes.size(), whole.parts.size());
}

}  // namespace
}  // namespace mgdm::torch_commands
