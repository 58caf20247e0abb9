#include "ops/cuda/attention_reference.h"

#include <algorithm>
#include <cmath>

namespace mgdm::ops::cuda {
namespace {

constexpr double kBf16Rounding = 0x1p-8, kFloatSums = 0x1p-19, kSlack = 1.3;
constexpr double kParts = 4;  // of the keys, at most

// Rows over their root mean square.
struct Normalized {
  std::vector<double> rows, factor;

  Normalized(const AttentionHead& head, const std::vector<double>& x)
      : rows(x), factor(head.length, 1.0) {
    if (!head.norm) return;
    for (int i = 0; i < head.length; ++i) {
      double* const row = &rows[static_cast<std::size_t>(i) * head.size];
      double squares = 0;
      for (int d = 0; d < head.size; ++d) squares += row[d] * row[d];
      factor[i] = 1 / std::sqrt(squares / head.size + head.eps);
      for (int d = 0; d < head.size; ++d) row[d] *= factor[i];
    }
  }
};

// The gradient g of n = x / rms becomes that of x: (g - n mean(g n)) / rms.
void through_norm(const AttentionHead& head, const Normalized& normalized, Bounded& gradient) {
  if (!head.norm) return;
  for (int i = 0; i < head.length; ++i) {
    const std::size_t start = static_cast<std::size_t>(i) * head.size;
    const double* const n = &normalized.rows[start];
    double* const g = &gradient.value[start];
    double* const error = &gradient.error[start];
    double mean = 0, mean_error = 0;
    for (int d = 0; d < head.size; ++d) {
      mean += g[d] * n[d] / head.size;
      mean_error += (error[d] + kBf16Rounding * std::abs(g[d])) * std::abs(n[d]) / head.size;
    }
    for (int d = 0; d < head.size; ++d) {
      error[d] = normalized.factor[i] *
                 (error[d] + std::abs(n[d]) * (mean_error + kBf16Rounding * std::abs(mean)));
      g[d] = normalized.factor[i] * (g[d] - n[d] * mean);
    }
  }
}

void round_once(Bounded& b) {
  for (std::size_t i = 0; i < b.value.size(); ++i)
    b.error[i] = kSlack * b.error[i] + kBf16Rounding * std::abs(b.value[i]) + 1e-12;
}

}  // namespace

AttentionReference attention_reference(const AttentionHead& head) {
  const int length = head.length, size = head.size;
  const auto zeros = [&](int count) {
    const std::vector<double> none(static_cast<std::size_t>(length) * count);
    return Bounded{none, none};
  };
  AttentionReference r{zeros(size), zeros(1), zeros(size), zeros(size), zeros(size)};
  const Normalized q(head, head.q), k(head, head.k);
  const double rounded = head.norm ? kBf16Rounding : 0;  // q and k, where normalised

  std::vector<double> weight(length), error(length);  // of a query; the error relative
  for (int i = 0; i < length; ++i) {
    const int end = head.causal ? i + 1 : length;
    const std::size_t row = static_cast<std::size_t>(i) * size;
    double most = -INFINITY, sum = 0, mean_error = 0;
    for (int j = 0; j < end; ++j) {
      double score = 0, sizes = 0;
      for (int d = 0; d < size; ++d) {
        const double product = q.rows[row + d] * k.rows[static_cast<std::size_t>(j) * size + d];
        score += product;
        sizes += std::abs(product);
      }
      weight[j] = head.scale * score;
      error[j] = (2 * rounded + kFloatSums) * head.scale * sizes;
      most = std::max(most, weight[j]);
    }
    for (int j = 0; j < end; ++j) sum += std::exp(weight[j] - most);
    const double lse = most + std::log(sum);
    for (int j = 0; j < end; ++j) {
      error[j] += kFloatSums * (1 + std::abs(lse) + std::abs(weight[j]));
      weight[j] = std::exp(weight[j] - lse);
      mean_error += weight[j] * error[j];
    }
    r.lse.value[i] = lse;
    r.lse.error[i] = kSlack * mean_error + kFloatSums * (1 + std::abs(lse));

    std::vector<double> kept(end);
    for (int j = 0; j < end; ++j) {
      error[j] = kSlack * (error[j] + mean_error);
      kept[j] = head.dropout(i, j);
      for (int d = 0; d < size; ++d) {
        const double part = weight[j] * kept[j] * head.v[static_cast<std::size_t>(j) * size + d];
        r.out.value[row + d] += part;
        r.out.error[row + d] += std::abs(part) * (error[j] + kBf16Rounding);
      }
    }
    double delta = 0, delta_error = 0;
    for (int d = 0; d < size; ++d) {
      const double out = r.out.value[row + d], g = head.dout[row + d];
      delta += g * out;
      delta_error += std::abs(g) * (r.out.error[row + d] + kBf16Rounding * std::abs(out));
    }
    for (int j = 0; j < end; ++j) {
      const std::size_t other = static_cast<std::size_t>(j) * size;
      double dp = 0, sizes = 0;
      for (int d = 0; d < size; ++d) {
        const double product = head.dout[row + d] * head.v[other + d];
        dp += product;
        sizes += std::abs(product);
      }
      const double ds = weight[j] * (kept[j] * dp - delta);
      const double ds_error =
          std::abs(ds) * (error[j] + kBf16Rounding + rounded) +
          weight[j] * (delta_error + kFloatSums * (kept[j] * sizes + std::abs(delta)));
      for (int d = 0; d < size; ++d) {
        const double qd = q.rows[row + d], kd = k.rows[other + d], g = head.dout[row + d];
        const double part = weight[j] * kept[j] * g;
        r.dq.value[row + d] += head.scale * ds * kd;
        r.dq.error[row + d] +=
            head.scale * (ds_error + (kParts - 1) * kBf16Rounding * std::abs(ds)) * std::abs(kd);
        r.dk.value[other + d] += head.scale * ds * qd;
        r.dk.error[other + d] += head.scale * ds_error * std::abs(qd);
        r.dv.value[other + d] += part;
        r.dv.error[other + d] += std::abs(part) * (error[j] + kBf16Rounding);
      }
    }
  }
  through_norm(head, q, r.dq);
  through_norm(head, k, r.dk);
  for (Bounded* b : {&r.out, &r.dq, &r.dk, &r.dv}) round_once(*b);
  return r;
}

}  // namespace mgdm::ops::cuda
