#include "engine/torch_sequences.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "nn/batch_tensors.h"

namespace mgdm::engine {
namespace {

using Numbers = std::vector<std::int64_t>;

TorchSequence& sequence_of(const decoding::Reading& reading) {
  return dynamic_cast<TorchSequence&>(*reading.sequence);
}

// Brings the sequences together in a cohort in which none reads another number of tokens: theirs,
// unless others of it are left behind, or more than half of its rows are of sequences that are
// gone.
Cohort& cohort_of(std::span<const decoding::Reading* const> group) {
  const std::shared_ptr<Cohort> old = sequence_of(*group.front()).cohort();
  const auto count = static_cast<std::int64_t>(group.size());
  if (old && count == old->alive && 2 * count > old->rows) return *old;
  const auto made = std::make_shared<Cohort>();
  made->rows = count;
  if (old) {
    Numbers rows;
    for (const decoding::Reading* reading : group) rows.push_back(sequence_of(*reading).row());
    made->cache = old->cache.of_rows(at::tensor(rows));
  }
  std::int64_t row = 0;
  for (const decoding::Reading* reading : group) sequence_of(*reading).join(made, row++);
  return *made;
}

}  // namespace

void TorchSequence::join(std::shared_ptr<Cohort> cohort, std::int64_t row) {
  if (cohort_) --cohort_->alive;
  cohort_ = std::move(cohort);
  row_ = row;
  if (cohort_) ++cohort_->alive;
}

void read_on(nn::Model& model, std::span<const decoding::Reading> readings,
             std::span<float> logits) {
  const auto vocabulary = static_cast<std::size_t>(model.settings().vocabulary);
  MGDM_CHECK(logits.size() == readings.size() * vocabulary);
  std::map<std::pair<const Cohort*, std::size_t>, std::vector<const decoding::Reading*>> groups;
  for (const decoding::Reading& reading : readings)
    groups[{sequence_of(reading).cohort().get(), reading.tokens.size()}].push_back(&reading);
  for (const auto& [key, group] : groups) {
    const std::size_t length = key.second;
    Cohort& cohort = cohort_of(group);
    std::vector<data::Token> tokens(static_cast<std::size_t>(cohort.rows) * length);
    for (const decoding::Reading* reading : group) {
      const auto row = static_cast<std::size_t>(sequence_of(*reading).row());
      std::ranges::copy(reading->tokens,
                        tokens.begin() + static_cast<std::ptrdiff_t>(row * length));
    }
    const at::Tensor said =  // (rows, V)
        model.next_logits(nn::tokens_tensor(tokens, cohort.rows, model.device()), cohort.cache)
            .to(at::kFloat)
            .cpu()
            .contiguous();
    for (const decoding::Reading* reading : group) {
      const auto row = static_cast<std::size_t>(sequence_of(*reading).row());
      const auto place = static_cast<std::size_t>(reading - readings.data());
      std::copy_n(said.data_ptr<float>() + row * vocabulary, vocabulary,
                  logits.begin() + static_cast<std::ptrdiff_t>(place * vocabulary));
    }
  }
}

}  // namespace mgdm::engine
