// From the [data] section of a recipe to encoded examples.
#pragma once

#include <memory>
#include <string>

#include "data/batches.h"
#include "data/encoded_dataset.h"
#include "tasks/task.h"
#include "training/settings.h"

namespace mgdm::training {

struct PreparedData {
  std::shared_ptr<const tasks::Task> task;
  data::EncodedDataset train;
  data::EncodedDataset held_out;  // never trained on
  data::Augment augment;          // empty when there is none
};

// Generated examples are items 0..count-1 of the training split under `seed`; the held-out ones
// come right after, or from the end of the files.
PreparedData prepare_data(const std::string& task, const DataSettings& settings,
                          std::uint64_t seed);

}  // namespace mgdm::training
