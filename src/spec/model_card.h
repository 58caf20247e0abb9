// What a checkpoint says about a model beyond its network: the task it answers, and how.
//
// In config.json it is typed JSON, mgdm.card:
//   {"task": "sudoku", "layout": "in_place", "length": 81, ..., "decoding": {"steps": 20, ...}}
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "decoding/decoding_settings.h"
#include "tasks/task.h"

namespace mgdm::spec {

// Training writes it; everything that answers puzzles reads it.
struct ModelCard {
  std::string task;
  std::string layout = "seq2seq";
  std::int64_t length = 0;
  std::string blank = "0";  // in_place: what stands in a puzzle where the answer is filled in
  // The options of the generated puzzles that it learned, "nodes=4"; empty when they differed or
  // were read from files.
  std::vector<std::string> options = {};
  std::string objective = "mgdm";
  bool train_shown = false;
  bool reverse = false;             // answers come backwards
  std::string precision = "bf16";   // of matrix products on CUDA
  std::string arithmetic = "fp32";  // of matrix products on a CPU: one of arithmetic_names()
  decoding::DecodingSettings decoding = {};  // how it is decoded unless somebody asks otherwise

  void visit(config::Visitor& v);
  bool operator==(const ModelCard&) const = default;
};

// The names of the arithmetics: fp32 (exact), bf16 and int8 (faster, smaller). The choices add
// "auto", which is the card's own.
std::vector<std::string> arithmetic_names();
std::vector<std::string> arithmetic_choices();

// Texts for people: the revision that trained the model, and the like.
using Notes = std::map<std::string, std::string>;

// The base model that a LoRA adapter was trained on; its weights did not change.
struct BaseModel {
  std::string folder;
  std::string fingerprint;  // of its weights (model_files/adapter.h)
};

struct About {
  std::optional<ModelCard> card{};  // none when the model is not ours
  Notes notes{};
  std::optional<BaseModel> base{};  // of what LoRA trained
};

// The card's task with the options that the model learned. UsageError for an unknown task.
std::unique_ptr<tasks::Task> task_of(const ModelCard& card);

}  // namespace mgdm::spec
