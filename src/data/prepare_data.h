// From the [data] section of a recipe to what is trained on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "data/encoded_dataset.h"
#include "data/mixture.h"
#include "data/settings.h"
#include "tasks/task.h"

namespace mgdm::data {

// Answers in files that are wrong by the rules of their task, of the first some thousand in each
// file. One may want to train on such; more often the file is another than was thought. Those of
// tasks that are learned from failures, too, are not looked at.
struct WrongLabels {
  std::size_t count = 0, looked_at = 0;
  std::string first;  // where it is, and what is wrong with it
};

struct PreparedData {
  std::shared_ptr<const tasks::Task> task;
  Vocabulary vocabulary;
  std::shared_ptr<const Layout> layout;
  Mixture train;
  EncodedDataset held_out;       // never trained on
  bool made_on_the_fly = false;  // examples are generated or augmented while training
  WrongLabels wrong_labels = {};
};

// Generated examples are items of the training split under `seed`: a fixed source of a single one
// is items 0..count-1, several have ranges of their own (Mixture::key). The held-out ones come
// right after, from the end of the range where there is no end, or from the end of the files. The
// paper's own examples are its released file from the first line on, held-out ones after the
// others.
//
// on_made(n) is told of n more examples, by any thread: examples_to_make() of them in all.
using OnMade = std::function<void(std::size_t examples)>;
PreparedData prepare_data(const std::string& task, const DataSettings& settings, std::uint64_t seed,
                          const Vocabulary& vocabulary, const OnMade& on_made = {});
// The same by the alphabet of the settings.
PreparedData prepare_data(const std::string& task, const DataSettings& settings,
                          std::uint64_t seed);
Vocabulary vocabulary_of(const DataSettings& settings);

// How many examples are generated before the first step.
std::size_t examples_to_make(const DataSettings& settings);

}  // namespace mgdm::data
