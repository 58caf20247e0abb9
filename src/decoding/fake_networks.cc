#include "decoding/fake_networks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace mgdm::decoding {
namespace {

constexpr float kKnown = 10, kGuess = 1;  // logits of a right prediction and of a wrong one

// Tokens as eight bytes each, the lowest first: hashes do not depend on how tokens are stored.
std::uint64_t hash_of(std::span<const data::Token> tokens) {
  std::string bytes(tokens.size() * 8, '\0');
  for (std::size_t n = 0; n < tokens.size(); ++n) bytes[n * 8] = static_cast<char>(tokens[n]);
  return stable_hash(bytes);
}

void draw_logits(std::uint64_t seed, std::span<const data::Token> tokens, double scale,
                 std::span<float> logits) {
  Stream random(seed ^ hash_of(tokens), Purpose::kTest, 0);
  for (float& logit : logits) logit = static_cast<float>(scale) * random.uniform();
}

bool agrees(std::span<const data::Token> answer, std::span<const data::Token> tokens,
            std::span<const std::uint8_t> frozen) {
  for (std::size_t n = 0; n < tokens.size(); ++n)
    if (frozen[n] && answer[n] != tokens[n]) return false;
  return true;
}

struct History : Sequence {
  std::vector<data::Token> tokens;
};

}  // namespace

void FunctionNetwork::logits(const Rows& rows, std::int64_t, std::span<float> logits) {
  const std::size_t each = rows.length * vocabulary_;
  MGDM_CHECK(logits.size() == rows.count * each);
  for (std::size_t b = 0; b < rows.count; ++b)
    of_row_(rows.tokens.subspan(b * rows.length, rows.length),
            rows.frozen.subspan(b * rows.length, rows.length), logits.subspan(b * each, each));
}

FunctionNetwork random_network(std::uint64_t seed, std::size_t vocabulary, double scale,
                               std::size_t distinct) {
  return {vocabulary, [=](std::span<const data::Token> tokens, std::span<const std::uint8_t>,
                          std::span<float> logits) {
            draw_logits(seed, tokens, scale, logits);
            if (distinct == 0) return;
            for (std::size_t i = distinct * vocabulary; i < logits.size(); ++i)
              logits[i] = logits[i - distinct * vocabulary];
          }};
}

FunctionNetwork oracle_network(std::vector<std::vector<data::Token>> answers,
                               std::vector<std::vector<int>> difficulty, std::size_t vocabulary) {
  return {vocabulary, [answers = std::move(answers), difficulty = std::move(difficulty),
                       vocabulary](std::span<const data::Token> tokens,
                                   std::span<const std::uint8_t> frozen, std::span<float> logits) {
            std::size_t k = 0;
            while (k < answers.size() && !agrees(answers[k], tokens, frozen)) ++k;
            std::fill(logits.begin(), logits.end(), 0.f);
            if (k == answers.size()) return;
            int shown_right = 0;
            for (std::size_t n = 0; n < tokens.size(); ++n)
              shown_right += !frozen[n] && tokens[n] == answers[k][n];
            for (std::size_t n = 0; n < tokens.size(); ++n) {
              const std::size_t right = answers[k][n];
              const std::size_t wrong = right + 1 < vocabulary ? right + 1 : data::kSpecialTokens;
              const bool known = difficulty[k][n] <= shown_right;
              logits[n * vocabulary + (known ? right : wrong)] =
                  (known ? kKnown : kGuess) - 0.005f * static_cast<float>(n);
            }
          }};
}

ReplayNetwork::ReplayNetwork(std::size_t vocabulary, std::vector<std::vector<float>> logits)
    : vocabulary_(vocabulary), logits_(std::move(logits)) {
  MGDM_CHECK(!logits_.empty());
}

void ReplayNetwork::logits(const Rows&, std::int64_t, std::span<float> logits) {
  const std::vector<float>& recorded = logits_[std::min(calls_++, logits_.size() - 1)];
  MGDM_CHECK(recorded.size() == logits.size());
  std::copy(recorded.begin(), recorded.end(), logits.begin());
}

void CausalNetwork::logits(const Rows& rows, std::int64_t, std::span<float> logits) {
  MGDM_CHECK(logits.size() == rows.count * rows.length * vocabulary_);
  for (std::size_t b = 0; b < rows.count; ++b)
    for (std::size_t n = 0; n < rows.length; ++n)
      draw_logits(seed_, rows.tokens.subspan(b * rows.length, n), scale_,
                  logits.subspan((b * rows.length + n) * vocabulary_, vocabulary_));
}

std::unique_ptr<Sequence> CausalNetwork::start(std::int64_t) { return std::make_unique<History>(); }

void CausalNetwork::next_logits(std::span<const Reading> readings, std::span<float> logits) {
  MGDM_CHECK(logits.size() == readings.size() * vocabulary_);
  for (std::size_t b = 0; b < readings.size(); ++b) {
    const Reading& reading = readings[b];
    MGDM_CHECK(!reading.tokens.empty());
    std::vector<data::Token>& seen = static_cast<History&>(*reading.sequence).tokens;
    seen.insert(seen.end(), reading.tokens.begin(), reading.tokens.end());
    tokens_read_ += reading.tokens.size();
    draw_logits(seed_, seen, scale_, logits.subspan(b * vocabulary_, vocabulary_));
  }
}

}  // namespace mgdm::decoding
