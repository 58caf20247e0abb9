// Models with known answers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "decoding/fake_networks.h"
#include "inference/loaded_model.h"
#include "tasks/all_tasks.h"

namespace mgdm::inference {

inline std::vector<tasks::Example> planning_examples(std::uint32_t count) {
  const auto task = tasks::make_task("planning", {"nodes=3"});
  std::vector<tasks::Example> examples;
  for (std::uint32_t i = 0; i < count; ++i)
    examples.push_back(task->generate(0, tasks::Split::kTest, i));
  return examples;
}

// Answers each puzzle with the example's output, right or wrong. A token of difficulty d is only
// known once d others are shown right; difficulties are drawn from 0..hardest.
inline LoadedModel scripted_model(const std::string& task, int length,
                                  std::span<const tasks::Example> script, int hardest = 0) {
  const data::Vocabulary vocabulary;
  const auto layout = data::make_seq2seq(length);
  std::vector<std::vector<data::Token>> answers;
  std::vector<std::vector<int>> difficulty;
  Stream random(1, Purpose::kTest, 0);
  for (const tasks::Example& example : script) {
    auto& tokens = answers.emplace_back(static_cast<std::size_t>(length));
    std::vector<std::uint8_t> frozen(tokens.size());
    layout->check_fits(example.input.size(), example.output.size());
    layout->write(vocabulary.encode(example.input), vocabulary.encode(example.output),
                  {tokens, frozen});
    auto& hard = difficulty.emplace_back(tokens.size());
    for (int& value : hard) value = random.between(0, hardest);
  }
  auto network = std::make_unique<decoding::FunctionNetwork>(decoding::oracle_network(
      std::move(answers), std::move(difficulty), static_cast<std::size_t>(vocabulary.size())));
  return {{.network = std::move(network), .device = "a script"},
          spec::ModelSettings(),
          {.task = task, .length = length},
          vocabulary};
}

// Answers every puzzle by its task's exact search, in any form. Difficulties as above, drawn per
// form.
inline LoadedModel solving_model(const std::string& task_name, int length, int hardest) {
  const data::Vocabulary vocabulary;
  const auto size = static_cast<std::size_t>(vocabulary.size());
  auto network = std::make_unique<decoding::FunctionNetwork>(
      size, [=, layout = std::shared_ptr<const data::Layout>(data::make_seq2seq(length)),
             task = std::shared_ptr<const tasks::Task>(tasks::make_task(task_name))](
                std::span<const data::Token> tokens, std::span<const std::uint8_t> frozen,
                std::span<float> logits) {
        std::vector<data::Token> given;
        for (std::size_t n = 0; n < tokens.size(); ++n)
          if (frozen[n] && tokens[n] >= data::kSpecialTokens) given.push_back(tokens[n]);
        const std::string puzzle = vocabulary.decode(given);
        std::vector<data::Token> answer(tokens.size());
        std::vector<std::uint8_t> unused(tokens.size());
        layout->write(given, vocabulary.encode(task->solve(puzzle).value()), {answer, unused});
        Stream random(stable_hash(puzzle), Purpose::kTest, 0);
        std::vector<int> hard(tokens.size());
        for (int& value : hard) value = random.between(0, hardest);
        decoding::oracle_network({answer}, {hard}, size)
            .logits({1, tokens.size(), tokens, frozen}, 0, logits);
      });
  return {{.network = std::move(network), .device = "a search"},
          spec::ModelSettings(),
          {.task = task_name, .length = length},
          vocabulary};
}

}  // namespace mgdm::inference
