// The attention kernels number by number against attention_reference.h, which says how far they may
// be off. They run where there is a GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/attention.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "ops/cuda/attention_dropout.h"
#include "ops/cuda/attention_reference.h"

namespace mgdm::ops::cuda {
namespace {

using Bits = std::vector<std::uint16_t>;  // of bf16 numbers

double number_of(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

Bits random_numbers(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Bits bits(count);
  for (std::uint16_t& b : bits)  // cut off, not rounded: any bf16 numbers will do
    b = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(normal(random)) >> 16);
  return bits;
}

// Numbers on the device. Those that a kernel shall write are NaN before.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(&pointer_, bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemset(pointer_, 0xff, bytes()), cudaSuccess);
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    EXPECT_EQ(cudaMemcpy(pointer_, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(pointer_); }

  T* get() { return static_cast<T*>(pointer_); }
  std::vector<T> read() {
    std::vector<T> values(count_);
    EXPECT_EQ(cudaMemcpy(values.data(), pointer_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(T); }

  std::size_t count_;
  void* pointer_ = nullptr;
};

struct Results {
  Bits out, dqkv;
  std::vector<float> lse, dbias;

  bool operator==(const Results&) const = default;
};

Results run(const AttentionSettings& s, const Bits& qkv, const Bits& dout) {
  OnDevice<std::uint16_t> d_qkv(qkv), d_dout(dout), d_out(dout.size()), d_dqkv(qkv.size());
  OnDevice<float> d_lse(static_cast<std::size_t>(s.batch * s.heads * s.length));
  launch_attention({s, d_qkv.get(), d_out.get(), d_lse.get()}, nullptr);
  const auto columns = static_cast<std::size_t>(3 * s.heads * s.size);
  const bool sums = attention_sums_bias(s.size);
  OnDevice<float> d_dbias(columns), d_parts(static_cast<std::size_t>(s.batch) * columns);
  launch_attention_backward({s, d_qkv.get(), d_out.get(), d_lse.get(), d_dout.get(), d_dqkv.get(),
                             sums ? d_dbias.get() : nullptr, sums ? d_parts.get() : nullptr},
                            nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {d_out.read(), d_dqkv.read(), d_lse.read(), sums ? d_dbias.read() : std::vector<float>()};
}

// Head h of batch b of (B, N, parts, H, D), part `which`.
std::vector<double> head_of(const AttentionSettings& s, const Bits& bits, std::int64_t b,
                            std::int64_t h, std::int64_t parts, std::int64_t which) {
  std::vector<double> rows;
  for (std::int64_t i = 0; i < s.length; ++i)
    for (std::int64_t d = 0; d < s.size; ++d)
      rows.push_back(
          number_of(bits[(((b * s.length + i) * parts + which) * s.heads + h) * s.size + d]));
  return rows;
}

void expect_bounded(const std::vector<double>& got, const Bounded& expected, const char* what) {
  ASSERT_EQ(got.size(), expected.value.size());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double excess = std::abs(got[i] - expected.value[i]) / expected.error[i];
    if (!(excess <= worst)) worst = excess;  // NaN too
  }
  EXPECT_LE(worst, 1) << what;
}

// The bias gradient is the sum of what was written, which was rounded to bf16 after it was added.
void expect_bias(const AttentionSettings& s, const Results& got) {
  const std::size_t columns = got.dbias.size();
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0, sizes = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(s.batch * s.length); ++row) {
      const double value = number_of(got.dqkv[row * columns + c]);
      sum += value;
      sizes += std::abs(value);
    }
    ASSERT_LE(std::abs(got.dbias[c] - sum), (0x1p-8 + 0x1p-16) * sizes + 1e-30) << "dbias " << c;
  }
}

AttentionDropout dropout_of(const AttentionSettings& s) {
  return {s.random.seed, s.random.offset, AttentionDropout::threshold_of(s.dropout)};
}

void expect_reference(const AttentionSettings& s, const Bits& qkv, const Bits& dout,
                      const Results& got) {
  expect_bias(s, got);
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t h = 0; h < s.heads; ++h) {
      const auto place = static_cast<std::uint32_t>(b * s.heads + h);
      const AttentionDropout dropout = dropout_of(s);
      const AttentionReference want = attention_reference(
          {static_cast<int>(s.length), static_cast<int>(s.size), s.causal, s.norm, s.scale, s.eps,
           head_of(s, qkv, b, h, 3, 0), head_of(s, qkv, b, h, 3, 1), head_of(s, qkv, b, h, 3, 2),
           head_of(s, dout, b, h, 1, 0), [&](int i, int j) {
             return dropout.keeps(place, static_cast<std::uint32_t>(i),
                                  static_cast<std::uint32_t>(j))
                        ? double{dropout.scale()}
                        : 0;
           }});
      const auto lse = got.lse.begin() + place * s.length;
      expect_bounded({lse, lse + s.length}, want.lse, "lse");
      expect_bounded(head_of(s, got.out, b, h, 1, 0), want.out, "out");
      expect_bounded(head_of(s, got.dqkv, b, h, 3, 0), want.dq, "dq");
      expect_bounded(head_of(s, got.dqkv, b, h, 3, 1), want.dk, "dk");
      expect_bounded(head_of(s, got.dqkv, b, h, 3, 2), want.dv, "dv");
    }
}

class AttentionKernels : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "no CUDA device";
  }

  std::mt19937 random_{7};
};

TEST_F(AttentionKernels, IsItsFormulaAndItsGradients) {
  for (const std::int64_t size : {16, 32, 64})
    for (const std::int64_t length : {1, 2, 16, 17, 52, 64, 75, 81, 164, 256, 272, 325, 512})
      for (int kind = 0; kind < (length > 200 ? 3 : 8); ++kind) {
        // Long ones are slow to check: all three at once, or one of them.
        const int flags = length > 200 ? (kind == 0 ? 7 : kind) : kind;
        AttentionSettings s{
            .batch = 2, .length = length, .heads = length > 200 ? 1 : 3, .size = size};
        s.causal = (flags & 1) != 0;
        s.norm = (flags & 2) != 0;
        s.scale = s.norm ? 0.25f : 1 / std::sqrt(static_cast<float>(size));
        s.eps = 1e-6f;
        s.dropout = (flags & 4) != 0 ? 0.1f : 0;
        s.random = {.seed = random_(), .offset = random_()};
        SCOPED_TRACE(testing::Message() << "N " << length << ", D " << size << ", kind " << flags);
        const auto rows = static_cast<std::size_t>(s.batch * length * s.heads * size);
        const Bits qkv = random_numbers(3 * rows, random_), dout = random_numbers(rows, random_);
        expect_reference(s, qkv, dout, run(s, qkv, dout));
      }
}

// Every run gives the same bits, also where the generator's numbers are read from device memory, as
// in a replayed graph; other numbers there give another mask.
TEST_F(AttentionKernels, RepeatsItself) {
  AttentionSettings s{.batch = 3, .length = 75, .heads = 4, .size = 32};
  s.scale = 0.2f;
  s.dropout = 0.3f;
  s.random = {.seed = 11, .offset = 1007};
  const std::size_t rows = 3 * 75 * 4 * 32;
  const Bits qkv = random_numbers(3 * rows, random_), dout = random_numbers(rows, random_);
  const Results first = run(s, qkv, dout);
  EXPECT_EQ(run(s, qkv, dout), first);
  OnDevice<std::uint64_t> numbers(std::vector<std::uint64_t>{11, 1000});
  s.random = {numbers.get(), numbers.get() + 1, 0, 7};
  EXPECT_EQ(run(s, qkv, dout), first);
  s.random.offset = 8;
  EXPECT_NE(run(s, qkv, dout), first);
}

// Scores far apart: the weights are sharp, and the reference of the powers is raised on the way.
TEST_F(AttentionKernels, TakesLargeScores) {
  AttentionSettings s{.batch = 1, .length = 164, .heads = 2, .size = 32};
  s.scale = 3;
  const std::size_t rows = 164 * 2 * 32;
  const Bits qkv = random_numbers(3 * rows, random_), dout = random_numbers(rows, random_);
  expect_reference(s, qkv, dout, run(s, qkv, dout));
}

// All scores are far below 0, and so is their lse: keys behind the last one, whose score is 0,
// would have weights of e^39, which do no harm, or infinite ones, which must not be.
TEST_F(AttentionKernels, GivesNoWeightToKeysThatAreNotThere) {
  for (const std::int64_t size : {32, 64})
    for (const std::int64_t length : {17, 75})
      for (const auto& [norm, score] : {std::pair{true, 39.0f}, {true, 200.0f}, {false, 200.0f}}) {
        SCOPED_TRACE(testing::Message() << length << " x " << size << ", " << norm << score);
        AttentionSettings s{.batch = 2, .length = length, .heads = 3, .size = size};
        s.norm = norm;
        s.eps = 1e-6f;
        s.scale = score / static_cast<float>(size);
        const auto rows = static_cast<std::size_t>(s.batch * length);
        const auto width = static_cast<std::size_t>(s.heads * size);
        const Bits v = random_numbers(rows * width, random_), dout = v;
        Bits qkv;
        for (std::size_t row = 0; row < rows; ++row) {
          // Queries are 1 or here and there 1.25, keys -1 or -1.25.
          for (const std::uint16_t one : Bits{0x3f80, 0xbf80})
            for (std::size_t i = 0; i < width; ++i)
              qkv.push_back(static_cast<std::uint16_t>(one + (random_() % 16 == 0 ? 0x20 : 0)));
          qkv.insert(qkv.end(), v.begin() + static_cast<std::ptrdiff_t>(row * width),
                     v.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
        }
        expect_reference(s, qkv, dout, run(s, qkv, dout));
      }
}

}  // namespace

TEST(AttentionDropout, DropsItsShareOfIndependentWeights) {
  for (const float share : {0.1f, 0.5f}) {
    const AttentionDropout dropout{77, 123, AttentionDropout::threshold_of(share)};
    constexpr std::uint32_t kLength = 480;
    double kept = 0, right = 0, below = 0, other_head = 0, other_square = 0;
    for (std::uint32_t i = 0; i < kLength; ++i)
      for (std::uint32_t j = 0; j < kLength; ++j) {
        if (!dropout.keeps(3, i, j)) continue;
        kept += 1;
        right += dropout.keeps(3, i, j + 1);
        below += dropout.keeps(3, i + 1, j);
        other_head += dropout.keeps(4, i, j);
        other_square += dropout.keeps(3, i + 8, j + 8);
      }
    // 230 thousand draws: standard deviations are at most 0.001.
    constexpr double kAll = double{kLength} * kLength;
    EXPECT_NEAR(kept / kAll, 1 - share, 0.004);
    for (const double both : {right, below, other_head, other_square})
      EXPECT_NEAR(both / kAll, (1 - share) * (1 - share), 0.006);
  }
}

}  // namespace mgdm::ops::cuda

#endif
