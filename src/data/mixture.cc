#include "data/mixture.h"

#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

class Fixed : public Source {
 public:
  Fixed(EncodedDataset dataset, Augment augment)
      : dataset_(std::move(dataset)), augment_(std::move(augment)) {
    MGDM_CHECK(dataset_.size() > 0);
  }

  std::size_t size() const override { return dataset_.size(); }

  void write_row(std::uint32_t item, std::uint32_t epoch, Row row) const override {
    if (augment_)
      write_example(augment_(dataset_.example(item), item, epoch), dataset_.vocabulary(),
                    dataset_.layout(), row);
    else
      dataset_.write_row(item, row);
  }

 private:
  const EncodedDataset dataset_;
  const Augment augment_;
};

class Endless : public Source {
 public:
  Endless(Generate generate, Vocabulary vocabulary, std::shared_ptr<const Layout> layout)
      : generate_(std::move(generate)),
        vocabulary_(std::move(vocabulary)),
        layout_(std::move(layout)) {}

  std::size_t size() const override { return 0; }

  void write_row(std::uint32_t item, std::uint32_t, Row row) const override {
    write_example(generate_(item), vocabulary_, *layout_, row);
  }

 private:
  const Generate generate_;
  const Vocabulary vocabulary_;
  const std::shared_ptr<const Layout> layout_;
};

}  // namespace

std::shared_ptr<const Source> fixed_source(EncodedDataset dataset, Augment augment) {
  return std::make_shared<Fixed>(std::move(dataset), std::move(augment));
}

std::shared_ptr<const Source> endless_source(Generate generate, Vocabulary vocabulary,
                                             std::shared_ptr<const Layout> layout) {
  return std::make_shared<Endless>(std::move(generate), std::move(vocabulary), std::move(layout));
}

Mixture::Mixture(std::vector<Part> parts, int length) : parts_(std::move(parts)), length_(length) {
  MGDM_CHECK(!parts_.empty());
  std::uint64_t end = 0;
  for (const Part& part : parts_) {
    MGDM_CHECK(part.weight > 0);
    ends_.push_back(end += part.weight);
  }
}

Mixture Mixture::of(EncodedDataset dataset, Augment augment) {
  const int length = dataset.layout().length();
  return {{{fixed_source(std::move(dataset), std::move(augment)), 1}}, length};
}

std::size_t Mixture::size() const {
  std::size_t all = 0;
  for (const Part& part : parts_) {
    if (part.source->size() == 0) return 0;
    all += part.source->size();
  }
  return all;
}

Mixture::Place Mixture::place(std::uint64_t index) const {
  const std::uint64_t block = index / ends_.back(), within = index % ends_.back();
  std::size_t part = 0;
  while (within >= ends_[part]) ++part;
  const std::uint64_t weight = parts_[part].weight;
  return {part, block * weight + within - (ends_[part] - weight)};
}

std::uint32_t Mixture::key(std::size_t part, std::uint32_t item) const {
  const std::uint64_t range = (std::uint64_t{1} << 32) / parts_.size();
  return static_cast<std::uint32_t>(part * range + item % range);
}

using tasks::Example;

Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed) {
  const tasks::Symmetries* const symmetries = task->abilities().symmetries;
  if (symmetries == nullptr)
    throw UsageError(task->name() + " has no symmetries to augment by",
                     tasks::tasks_with(&tasks::Abilities::symmetries), "data.augment=false");
  return [task, symmetries, seed, reversed](const Example& example, std::uint32_t item,
                                            std::uint32_t epoch) {
    Stream random(seed, Purpose::kAugment, item, epoch);
    if (!reversed) return symmetries->augment(example, random);
    Example copy =
        symmetries->augment({example.input, reversed_output(*task, example.output)}, random);
    copy.output = reversed_output(*task, copy.output);
    return copy;
  };
}

}  // namespace mgdm::data
