// What a run begins with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data/vocabulary.h"
#include "nn/model.h"
#include "objectives/objective.h"
#include "spec/model_card.h"
#include "spec/recipe.h"

namespace mgdm::torch_commands {

// The tokens of a run: those of recipe.init where that is a language model with a tokenizer, else
// one per character.
data::Vocabulary start_vocabulary(const spec::Recipe& recipe);

// The base model beside which a run trains LoRA; none without LoRA. UsageError when the recipe
// names none.
std::optional<spec::BaseModel> start_base(const spec::Recipe& recipe);

// What start_model() would refuse, as far as it can be told before there are rows: an init of
// another network or of other tokens, files of it that are not there or of another model.
void check_start(const spec::Recipe& recipe, const data::Vocabulary& vocabulary);

// Of fresh weights, or with those of recipe.init, for rows of `length` tokens; weights for shorter
// rows will do, the positions after theirs are drawn (not of a language model). UsageError or Error
// when recipe, data and those weights do not fit together, or memory ends.
std::shared_ptr<nn::Model> start_model(const spec::Recipe& recipe,
                                       const data::Vocabulary& vocabulary, std::int64_t length,
                                       c10::Device device);

// What its checkpoints say about it, for rows of `length` tokens.
spec::ModelCard card_of(const spec::Recipe& recipe, int length);

// The recipe's objective over a vocabulary, with its own parameters among the model's; without any
// it can be tried, but not used.
std::unique_ptr<objectives::Objective> start_objective(const spec::Recipe& recipe,
                                                       const data::Vocabulary& vocabulary,
                                                       const nn::Parameters* parameters = nullptr);

}  // namespace mgdm::torch_commands
