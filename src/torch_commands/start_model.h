// The model that a run starts from.
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

// The vocabulary of a run: that of recipe.init if it is a language model with a tokenizer, else one
// token per character.
data::Vocabulary start_vocabulary(const spec::Recipe& recipe);

// The base model beside which a run trains LoRA; none without LoRA. UsageError when the recipe
// names none.
std::optional<spec::BaseModel> start_base(const spec::Recipe& recipe);

// Throws the errors of start_model() that can be found before the data are ready: an init of
// another network or vocabulary, missing files, files of another model.
void check_start(const spec::Recipe& recipe, const data::Vocabulary& vocabulary);

// A model for rows of `length` tokens with new weights or those of recipe.init. Weights for shorter
// rows are accepted, and further positions are drawn (not for language models). UsageError or Error
// when recipe, data and weights do not fit together, or memory runs out.
std::shared_ptr<nn::Model> start_model(const spec::Recipe& recipe,
                                       const data::Vocabulary& vocabulary, std::int64_t length,
                                       c10::Device device);

// The card for the model's checkpoints, for rows of `length` tokens.
spec::ModelCard card_of(const spec::Recipe& recipe, int length);

// The recipe's objective over a vocabulary, with its parameters among the model's. Without
// parameters it only checks the settings.
std::unique_ptr<objectives::Objective> start_objective(const spec::Recipe& recipe,
                                                       const data::Vocabulary& vocabulary,
                                                       const nn::Parameters* parameters = nullptr);

}  // namespace mgdm::torch_commands
