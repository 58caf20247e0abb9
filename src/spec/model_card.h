// What a checkpoint says about a model beyond its network.
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.h"
#include "spec/checkpoint_config.h"
#include "spec/decoding_settings.h"

namespace mgdm::spec {

// Written by training, read by whoever answers puzzles.
struct ModelCard {
  std::string task;
  std::string layout = "seq2seq";
  std::int64_t length = 0;
  std::string objective = "mgdm";
  bool train_shown = false;
  bool reverse = false;            // answers come backwards
  std::string precision = "bf16";  // of matrix products on CUDA
  DecodingSettings decoding = {};  // how it is decoded unless somebody asks otherwise

  void visit(config::Visitor& v);
};

// The card of a checkpoint in `folder`; an Error names its file. What is not a field of the card
// (git_revision, ...) is for people.
ModelCard card_of(const Metadata& metadata, const std::string& folder);

// The card's fields as text, which checkpoints carry, and the revision of this program.
Metadata metadata_of(ModelCard card);

}  // namespace mgdm::spec
