#include "spec/overrides.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::spec {
namespace {

// Whether an override is refused in a recipe of the given lines.
bool refused(const std::vector<std::string>& recipe_lines, const std::string& text) {
  Recipe recipe;
  config::Fields fields(recipe);
  for (const std::string& line : recipe_lines) fields.set(line);
  fields.set(text);
  try {
    check_effects(recipe, {text});
    return false;
  } catch (const UsageError&) {
    return true;
  }
}

TEST(Overrides, WhatChangesNothingIsRefused) {
  struct Case {
    std::string key, with, without;  // recipes in which the key counts, and does not
  };
  for (const Case& each : std::vector<Case>{
           {"objective.beta=2", "objective.kind=mgdm", "objective.kind=rdm"},
           {"objective.beta=2", "objective.kind=ar", "objective.reweight_tokens=false"},
           {"objective.alpha=1", "objective.kind=mgdm", "objective.kind=d3pm_absorbing"},
           {"objective.reweight_tokens=true", "objective.kind=ar", "objective.kind=d3pm_uniform"},
           {"objective.sequence_weight=none", "objective.kind=mgdm", "objective.kind=ar"},
           {"objective.steps=5", "objective.kind=rdm", "objective.kind=teacherless"},
           {"objective.loop_weights=last", "model.architecture=looped", "model.architecture=gpt2"},
           {"model.loops=2", "model.architecture=looped", "model.architecture=gpt2"},
           {"model.loop_norm=true", "model.architecture=looped", "model.architecture=gpt2"},
           {"training.fewest_loops=2", "model.architecture=looped", "model.architecture=gpt2"},
           {"training.rounds=2", "model.architecture=looped", "model.architecture=gpt2"},
           {"decoding.loops=2", "model.architecture=looped", "model.architecture=gpt2"},
           {"model.dropout=0.2", "model.architecture=gpt2", "model.architecture=looped"},
           {"optimizer.momentum=0.9", "optimizer.optimizer=muon", "optimizer.optimizer=adamw"},
           {"optimizer.muon_lr=0.1", "optimizer.optimizer=muon", "optimizer.optimizer=adamw"},
           {"optimizer.decay_share=0.1", "optimizer.schedule=linear", "optimizer.schedule=cosine"},
           {"decoding.steps=3", "objective.kind=d3pm_uniform", "objective.kind=ar"},
           {"decoding.steps=3", "objective.kind=mgdm", "objective.kind=teacherless"},
           {"decoding.temperature=1", "objective.kind=teacherless", "objective.kind=d3pm_uniform"},
           {"decoding.noise=1", "decoding.order=margin", "decoding.order=entropy"},
           {"decoding.threshold=0.5", "decoding.order=threshold", "decoding.order=topk"},
           {"decoding.threshold=0.5", "decoding.early_stop=true", "objective.kind=d3pm_uniform"},
           {"objective.full_mask=0.5", "objective.kind=rdm", "objective.kind=ar"},
           {"objective.shown_noise=0.1", "objective.train_shown=true", "objective.kind=mgdm"},
           {"objective.coupled=true", "objective.kind=rdm", "objective.kind=mgdm"},
           {"objective.self_condition=0.5", "objective.kind=vdm", "objective.kind=mgdm"},
           {"model.vectors=8", "objective.kind=vdm", "objective.kind=d3pm_uniform"},
           {"decoding.steps=3", "objective.kind=vdm", "objective.kind=ar"},
           {"decoding.tries=3", "objective.kind=ar", ""},
           {"decoding.seed=3", "decoding.symmetries=2", "objective.kind=ar"},
           {"decoding.order=topk", "objective.kind=mgdm", "objective.kind=vdm"},
           {"optimizer.lr=1", "objective.kind=ar", ""}}) {
    EXPECT_FALSE(refused({each.with}, each.key)) << each.key << " with " << each.with;
    if (!each.without.empty()) {
      EXPECT_TRUE(refused({each.without}, each.key)) << each.key << " with " << each.without;
    }
  }
}

// An MGDM recipe turned into AR on the command line would silently keep its token weights.
TEST(Overrides, AnotherKindMustSayWhetherTokensAreReweighted) {
  Recipe recipe;
  recipe.objective.kind = "ar";
  EXPECT_THROW(check_effects(recipe, {"objective.kind=ar"}), UsageError);
  EXPECT_NO_THROW(check_effects(recipe, {"objective.kind=ar", "objective.reweight_tokens=true"}));
  recipe.objective.reweight_tokens = false;
  EXPECT_NO_THROW(check_effects(recipe, {"objective.kind=ar"}));
}

TEST(Overrides, OfARunThatGoesOnMustNotBeForgotten) {
  Recipe before, now;
  before.training.batch = 16;
  before.data.length = 40;  // found from the data
  before.evaluation.count = 7;
  before.training.log_every = 3;
  EXPECT_THROW(check_named(before, now, {}, "runs/x"), UsageError);
  EXPECT_THROW(check_named(before, now, {"training.steps=1"}, "runs/x"), UsageError);
  EXPECT_NO_THROW(check_named(before, now, {"training.batch=1024"}, "runs/x"));
  now.training.batch = 16;
  EXPECT_NO_THROW(check_named(before, now, {}, "runs/x"));
}

}  // namespace
}  // namespace mgdm::spec
