#include "decoding/attempt.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "decoding/diffusion.h"
#include "decoding/greedy.h"
#include "decoding/multinomial.h"

namespace mgdm::decoding {

void Draws::fill(std::int64_t pass, std::span<float> uniform) const {
  MGDM_CHECK(pass < kPassesPerTry && attempt < kPassesPerTry);  // the step has 32 bits
  Stream random(seed, Purpose::kDecode, item, static_cast<std::uint32_t>(draw_step(attempt, pass)));
  for (float& draw : uniform) draw = random.uniform();
}

float gumbel(float uniform) {
  return -std::log(-std::log(std::max(uniform, 0x1p-25f)));  // half the smallest draw stands for 0
}

Attempt::Attempt(const Puzzle& puzzle)
    : puzzle_(puzzle), tokens_(puzzle.tokens.size()), confidence_(puzzle.tokens.size()) {
  MGDM_CHECK(puzzle.frozen.size() == puzzle.tokens.size());
  MGDM_CHECK(puzzle.settings.steps >= 1 && puzzle.settings.steps < kPassesPerTry);
  draws_.seed = static_cast<std::uint64_t>(puzzle.settings.seed);
  draws_.item = puzzle.item;
  draws_.attempt = puzzle.attempt;
}

void Attempt::begin() {
  done_ = true;
  for (std::size_t n = 0; n < tokens_.size(); ++n) {
    const bool frozen = puzzle_.frozen[n];
    tokens_[n] = frozen ? puzzle_.tokens[n] : puzzle_.specials.mask;
    confidence_[n] = frozen ? 1.f : 0.f;
    done_ = done_ && frozen;
  }
  if (!done_) on_begin();
}

void Attempt::take(std::span<float> logits) {
  MGDM_CHECK(!done_);
  on_take(logits);
  ++passes_;
}

std::unique_ptr<Attempt> make_attempt(const Puzzle& puzzle, Network& network) {
  for (std::size_t n = 0; n < puzzle.tokens.size(); ++n)
    MGDM_CHECK(!puzzle.frozen.at(n) || puzzle.tokens[n] < network.vocabulary());
  switch (puzzle.settings.decoder) {
    case Decoder::kLeftToRight:
      return std::make_unique<Greedy>(puzzle, network);
    case Decoder::kMultinomial:
      return std::make_unique<Multinomial>(puzzle, network.vocabulary());
    case Decoder::kAncestral:
      throw Error("decoding from random vectors by a network that reads tokens",
                  "the full program, built with LibTorch: it decodes models of the objective vdm");
    case Decoder::kOnePass:
    case Decoder::kDiffusion:
      return std::make_unique<Diffusion>(puzzle, network.vocabulary());
  }
  check_failed("a known decoder", __FILE__, __LINE__);
}

}  // namespace mgdm::decoding
