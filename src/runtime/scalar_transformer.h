// For tests: the networks in plain loops and double precision, as ground truth for the fast ones.
// Formulas as in nn/gpt2.h and nn/looped.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/vocabulary.h"
#include "spec/kinds.h"
#include "spec/model_settings.h"

namespace mgdm::runtime {

// By the names of spec::tensors_of, matrices as (out, in).
using Numbers = std::map<std::string, std::vector<float>>;

class ScalarTransformer {
 public:
  ScalarTransformer(spec::ModelSettings settings, Numbers weights)
      : settings_(std::move(settings)),
        weights_(std::move(weights)),
        gpt2_(spec::architecture_kind(settings_.architecture).family == spec::Family::kGpt2),
        width_(static_cast<std::size_t>(settings_.width)) {}

  // Logits [n][v] of one row, read off hidden state n; `loops` 0: as the settings say.
  using Rows = std::vector<std::vector<double>>;
  Rows unshifted(std::span<const data::Token> tokens, std::span<const std::uint8_t> given,
                 std::int64_t loops) const {
    const Rows e = embed(tokens, given);
    if (gpt2_) loops = 1;
    if (loops == 0) loops = settings_.loops;
    Rows x = e;
    for (std::int64_t loop = 0; loop < loops; ++loop) {
      for (std::size_t n = 0; loop > 0 && n < x.size(); ++n) {
        if (settings_.loop_norm) x[n] = norm(x[n], "");
        add(x[n], e[n]);
      }
      for (std::int64_t i = 0; i < settings_.layers; ++i) run_block(x, i);
    }
    Rows logits;
    for (const auto& row : x)
      logits.push_back(gpt2_ ? times(norm(row, "transformer.ln_f"), "transformer.wte.weight")
                             : times(norm(row, ""), "head"));
    return logits;
  }

  // Position n about token n.
  Rows logits(std::span<const data::Token> tokens, std::span<const std::uint8_t> given,
              std::int64_t loops) const {
    Rows rows = unshifted(tokens, given, loops);
    if (!settings_.shift) return rows;
    rows.insert(rows.begin(), rows.front());
    rows.pop_back();
    return rows;
  }

 private:
  using Row = std::vector<double>;

  static void add(Row& to, const Row& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  }

  Row line(const std::string& name, std::size_t index) const {
    const auto begin = weights_.at(name).begin() + static_cast<std::ptrdiff_t>(index * width_);
    return {begin, begin + static_cast<std::ptrdiff_t>(width_)};
  }

  Rows embed(std::span<const data::Token> tokens, std::span<const std::uint8_t> given) const {
    Rows rows;
    for (std::size_t n = 0; n < tokens.size(); ++n) {
      Row row = line(gpt2_ ? "transformer.wte.weight" : "embed.tokens", tokens[n]);
      add(row, line(gpt2_ ? "transformer.wpe.weight" : "embed.positions", n));
      if (settings_.frozen_embedding) add(row, line("embed.frozen", given[n]));
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // The matrix `name` times x.
  Row times(const Row& x, const std::string& name) const {
    const std::vector<float>& matrix = weights_.at(name);
    Row y(matrix.size() / x.size());
    // By pointers: test files are not optimised, and this is where their time goes.
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::inner_product(x.data(), x.data() + x.size(), matrix.data() + i * x.size(), 0.0);
    return y;
  }

  Row linear(const Row& x, const std::string& name) const {
    if (!gpt2_) return times(x, name);
    Row y = times(x, name + ".weight");
    const std::vector<float>& bias = weights_.at(name + ".bias");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += static_cast<double>(bias[i]);
    return y;
  }

  static void rms(std::span<double> x) {
    double squares = 0;
    for (const double value : x) squares += value * value;
    const double size = std::sqrt(squares / static_cast<double>(x.size()) + 1e-6);
    for (double& value : x) value /= size;
  }

  Row norm(Row x, const std::string& name) const {
    if (!gpt2_) {
      rms(x);
      return x;
    }
    double mean = 0, squares = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    const std::vector<float>& weight = weights_.at(name + ".weight");
    const std::vector<float>& bias = weights_.at(name + ".bias");
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] =
          (x[i] - mean) / deviation * static_cast<double>(weight[i]) + static_cast<double>(bias[i]);
    return x;
  }

  double activation(double x) const {
    if (!gpt2_) return x > 0 ? x * x : 0;
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }

  Rows attention(Rows qkv) const {
    const auto heads = static_cast<std::size_t>(settings_.heads);
    const std::size_t size = width_ / heads;
    const double scale = gpt2_ ? 1 / std::sqrt(static_cast<double>(size)) : 0.25;
    for (Row& row : qkv)
      for (std::size_t h = 0; !gpt2_ && h < 2 * heads; ++h)
        rms(std::span(row).subspan(h * size, size));
    Rows mixed(qkv.size(), Row(width_));
    for (std::size_t n = 0; n < qkv.size(); ++n)
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t seen = settings_.causal ? n + 1 : qkv.size();
        Row weight(seen);
        double total = 0;
        for (std::size_t m = 0; m < seen; ++m) {
          const double* const query = qkv[n].data() + h * size;
          const double score =
              std::inner_product(query, query + size, qkv[m].data() + width_ + h * size, 0.0);
          total += weight[m] = std::exp(scale * score);
        }
        for (std::size_t m = 0; m < seen; ++m) {
          const double share = weight[m] / total;
          const double* const value = qkv[m].data() + 2 * width_ + h * size;
          double* const to = mixed[n].data() + h * size;
          for (std::size_t d = 0; d < size; ++d) to[d] += share * value[d];
        }
      }
    return mixed;
  }

  void run_block(Rows& x, std::int64_t i) const {
    const std::string at = (gpt2_ ? "transformer.h." : "blocks.") + std::to_string(i) + ".";
    const auto name = [&](const char* of_gpt2, const char* of_looped) {
      return at + (gpt2_ ? of_gpt2 : of_looped);
    };
    Rows qkv;
    for (const Row& row : x)
      qkv.push_back(linear(norm(row, at + "ln_1"), name("attn.c_attn", "qkv")));
    const Rows mixed = attention(std::move(qkv));
    for (std::size_t n = 0; n < x.size(); ++n) {
      add(x[n], linear(mixed[n], name("attn.c_proj", "projection")));
      Row hidden = linear(norm(x[n], at + "ln_2"), name("mlp.c_fc", "up"));
      for (double& value : hidden) value = activation(value);
      add(x[n], linear(hidden, name("mlp.c_proj", "down")));
    }
  }

  const spec::ModelSettings settings_;
  const Numbers weights_;
  const bool gpt2_;
  const std::size_t width_;
};

}  // namespace mgdm::runtime
