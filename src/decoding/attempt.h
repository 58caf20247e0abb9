// One try at one puzzle, pass by pass.
//
// An attempt says what the network shall see and takes its logits; Slots (slots.h) asks the
// network, about many attempts in one call.
//
//   attempt->begin();
//   while (!attempt->done()) {
//     network.logits({1, N, attempt->tokens(), frozen}, loops, logits);
//     attempt->take(logits);
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/vocabulary.h"
#include "decoding/decoding_settings.h"
#include "decoding/network.h"

namespace mgdm::decoding {

// The random numbers of decoding, from the streams of base/random.h.
//
// They are keyed by (seed, kDecode, item, k 65536 + pass), where k is the number of the try. So an
// answer does not depend on its batch or on other tries.

// The step of a stream's key for pass `pass` of try `attempt`, both from 0.
constexpr std::int64_t kPassesPerTry = 65536;  // more than the settings allow
constexpr std::int64_t draw_step(std::int64_t attempt, std::int64_t pass) {
  return attempt * kPassesPerTry + pass;
}

// The draws of try `attempt` (from 0) at an item.
struct Draws {
  std::uint64_t seed = 1;
  std::uint32_t item = 0;
  std::int64_t attempt = 0;

  // Fills in the first words of a pass, uniform over [0, 1).
  void fill(std::int64_t pass, std::span<float> uniform) const;
};

// Standard Gumbel noise from a uniform draw over [0, 1). Added to log-probabilities, it makes the
// likeliest token a sample (the Gumbel-max trick).
float gumbel(float uniform);

// A puzzle as decoders see it.
struct Puzzle {
  std::vector<data::Token> tokens;   // (N); what stands at positions that are not frozen is ignored
  std::vector<std::uint8_t> frozen;  // (N): 1 where given and never changed, else 0
  std::uint32_t item = 0;            // its number, which keys its random draws
  std::int64_t attempt = 0;          // so does the number of the try, from 0
  // How it is decoded, settings.decoder included. revise = auto is off here.
  DecodingSettings settings = {};
  data::Specials specials = {};  // the ids of [PAD], [EOS], ... for the model
};

class Attempt {
 public:
  explicit Attempt(const Puzzle& puzzle);
  virtual ~Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Once, before anything is asked of it.
  void begin();

  // Takes what the network says: logits (N, V) about tokens() or, where there is a sequence, (V)
  // about the token after unread(). They are the attempt's to change. Error when they are no
  // numbers.
  void take(std::span<float> logits);

  // What a causal network has read of the tokens, and what it is to read next; null for attempts
  // that show it the whole row.
  virtual Sequence* sequence() const { return nullptr; }
  virtual std::span<const data::Token> unread() const { return {}; }

  bool done() const { return done_; }
  std::int64_t passes() const { return passes_; }
  std::span<const data::Token> tokens() const { return tokens_; }  // (N), [MASK] where hidden
  // (N): the probability of the last prediction; 1 where frozen, 0 where nothing was predicted yet.
  std::span<const float> confidence() const { return confidence_; }

 protected:
  // The tokens are the puzzle's, [MASK] wherever not frozen, which some are.
  virtual void on_begin() {}
  // passes_ is the number of this pass, from 0.
  virtual void on_take(std::span<float> logits) = 0;

  const Puzzle& puzzle_;  // outlives the attempt
  Draws draws_;
  std::vector<data::Token> tokens_;
  std::vector<float> confidence_;
  std::int64_t passes_ = 0;
  bool done_ = false;
};

// By the decoder and the order of the puzzle's settings. UsageError when there is no such order;
// Error when the network cannot decode the puzzle so. Both must outlive the attempt.
std::unique_ptr<Attempt> make_attempt(const Puzzle& puzzle, Network& network);

}  // namespace mgdm::decoding
