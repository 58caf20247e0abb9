// Shipped models with scripted answers in place of their network.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decoding/fake_networks.h"
#include "inference/load_network.h"
#include "mgdm/mgdm.h"
#include "spec/puzzle_rows.h"

namespace mgdm::api {

inline std::string shipped(const std::string& name) {
  return std::string(MGDM_SOURCE_DIR) + "/models/" + name;
}

// Puzzles of the kind that the quick planning models answer.
inline std::vector<Puzzle> small_puzzles(std::size_t count) {
  GenerateOptions options;
  options.task_options = "nodes=4";
  return generate("planning", count, options);
}

inline std::vector<std::string> inputs_of(const std::vector<Puzzle>& puzzles) {
  std::vector<std::string> inputs;
  for (const Puzzle& puzzle : puzzles) inputs.push_back(puzzle.input);
  return inputs;
}

// During its lifetime, loaded models answer each of the puzzles with its `solution`, right or
// wrong. It must outlive those models.
class Script {
 public:
  explicit Script(std::vector<Puzzle> puzzles) {
    inference::use_network_loader(
        [puzzles = std::move(puzzles)](
            const std::filesystem::path&, const model_files::CheckpointConfig& config,
            const spec::ModelCard& card, const inference::ComputeSettings& settings) {
          const data::Vocabulary vocabulary(config.alphabet);
          const spec::PuzzleRows rows(card, vocabulary);
          std::vector<std::vector<data::Token>> answers;
          for (const auto& [input, solution] : puzzles) {
            auto& tokens = answers.emplace_back(rows.length());
            std::vector<std::uint8_t> frozen(rows.length());
            rows.write_example({input, solution}, {tokens, frozen});
          }
          const std::vector<std::vector<int>> easy(answers.size(), std::vector<int>(rows.length()));
          auto network = std::make_unique<decoding::FunctionNetwork>(decoding::oracle_network(
              std::move(answers), easy, static_cast<std::size_t>(vocabulary.size())));
          return inference::LoadedNetwork{.network = std::move(network),
                                          .device = "a script",
                                          .arithmetic = settings.arithmetic};
        });
  }
  ~Script() { inference::use_network_loader({}); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
};

}  // namespace mgdm::api
