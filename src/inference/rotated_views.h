// For tests: a puzzle of six positions whose views are rotations, and networks that are right about
// some of them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "decoding/test_support.h"
#include "inference/solver.h"

namespace mgdm::inference {

using data::Token;
using decoding::kTestVocabulary;
using decoding::Tokens;

constexpr std::size_t kNames = kTestVocabulary - data::kSpecialTokens;
inline const Tokens kAnswer{5, 6, 7, 8, 9, 10};

inline Token renamed(Token token, std::size_t shift) {
  if (token < data::kSpecialTokens) return token;
  return static_cast<Token>(data::kSpecialTokens + (token - data::kSpecialTokens + shift) % kNames);
}

// Positions and the ids of ordinary tokens are rotated by `shift`.
inline data::View rotated(const decoding::Puzzle& puzzle, std::size_t shift) {
  const std::size_t length = puzzle.tokens.size();
  data::View view{Tokens(length), std::vector<std::uint8_t>(length), {}, {}};
  for (Token v = 0; v < kTestVocabulary; ++v) view.names.push_back(renamed(v, shift));
  for (std::size_t n = 0; n < length; ++n) {
    view.places.push_back((n + shift) % length);
    view.tokens[view.places[n]] = renamed(puzzle.tokens[n], shift);
    view.frozen[view.places[n]] = puzzle.frozen[n];
  }
  return view;
}

// Position 0 is given; its place in a view tells the rotation.
inline Question asked(std::initializer_list<std::size_t> shifts, std::int64_t steps = 4) {
  Question question{.puzzle = {.tokens = kAnswer, .frozen = {1, 0, 0, 0, 0, 0}}};
  question.puzzle.settings = decoding::with_order("topk", steps);
  question.puzzle.settings.revise = "on";
  for (const std::size_t shift : shifts) question.views.push_back(rotated(question.puzzle, shift));
  return question;
}

// The answer that a network gives to a view with this rotation.
using Belief = std::function<Tokens(std::size_t shift)>;

inline LoadedNetwork believing_network(const Belief& belief) {
  auto network = std::make_unique<decoding::FunctionNetwork>(
      kTestVocabulary, [belief](auto, std::span<const std::uint8_t> frozen, auto logits) {
        const auto shift = static_cast<std::size_t>(
            std::find(frozen.begin(), frozen.end(), std::uint8_t{1}) - frozen.begin());
        const Tokens answer = belief(shift);
        std::fill(logits.begin(), logits.end(), 0.f);
        for (std::size_t n = 0; n < answer.size(); ++n)
          logits[(n + shift) % answer.size() * kTestVocabulary + renamed(answer[n], shift)] = 4;
      });
  return {.network = std::move(network), .device = "a belief"};
}

// Right for these shifts; wrong, and different each time, for the others.
inline Belief right_in(std::vector<std::size_t> shifts) {
  return [shifts](std::size_t shift) {
    Tokens answer = kAnswer;
    if (std::find(shifts.begin(), shifts.end(), shift) == shifts.end())
      std::rotate(answer.begin() + 1, answer.begin() + 2 + static_cast<std::ptrdiff_t>(shift) % 4,
                  answer.end());
    return answer;
  };
}

inline std::vector<Outcome> all_of(Solver& solver) {
  std::vector<Outcome> all;
  while (solver.active() > 0)
    for (Outcome& outcome : solver.pass()) all.push_back(std::move(outcome));
  return all;
}

}  // namespace mgdm::inference
