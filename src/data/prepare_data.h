// Makes the training data of a recipe's [data] section.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/encoded_dataset.h"
#include "data/mixture.h"
#include "data/settings.h"
#include "tasks/task.h"

namespace mgdm::data {

// Wrong labels of the files. They are reported, not refused: training
// on them may be intended, but more often the wrong file was named. Tasks whose labels may be
// failures are not checked.
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
  // The held-out examples as they were read, for tasks that cannot generate test puzzles.
  std::vector<tasks::Example> held_out_texts = {};
};

// Generated examples are items of the training split under `seed`: a fixed source of a single one
// is items 0..count-1, several have ranges of their own (Mixture::key). The held-out ones come
// right after, from the end of the range where there is no end, or from the end of the files. The
// paper's own examples are its released file from the first line on, held-out ones after the
// others.
//
// on_made(n) reports n more examples, from any thread, up to examples_to_make() in all.
using OnMade = std::function<void(std::size_t examples)>;
PreparedData prepare_data(const std::string& task, const DataSettings& settings, std::uint64_t seed,
                          const Vocabulary& vocabulary, const OnMade& on_made = {});
// As above, with the vocabulary of the settings' alphabet.
PreparedData prepare_data(const std::string& task, const DataSettings& settings,
                          std::uint64_t seed);

// Returns the vocabulary of data.alphabet. If that is empty, the alphabet is the paper's, or for
// the task `text` the characters of the files, which are read to find them.
Vocabulary vocabulary_of(const std::string& task, const DataSettings& settings);

// How many examples are generated before the first step.
std::size_t examples_to_make(const DataSettings& settings);

}  // namespace mgdm::data
