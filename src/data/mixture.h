// Training data: one source of examples, or several that share every batch by their weights.
//
// A source is a fixed set, repeated in shuffled epochs, or an endless generator. The mixture
// interleaves the sources in a fixed pattern: a source has `weight` of sum(weights) consecutive
// places. So the example at a place is a pure function of the place, and training can resume
// anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/encoded_dataset.h"
#include "data/layout.h"
#include "data/vocabulary.h"
#include "tasks/task.h"

namespace mgdm::data {

class Source {
 public:
  virtual ~Source() = default;

  // The number of examples; 0 = endless.
  virtual std::size_t size() const = 0;

  // Writes example `item`, as it is in an epoch, into a row of the layout's length.
  virtual void write_row(std::uint32_t item, std::uint32_t epoch, Row row) const = 0;
};

// Replaces an item's example by a variant, drawn anew in each epoch.
using Augment =
    std::function<tasks::Example(const tasks::Example&, std::uint32_t item, std::uint32_t epoch)>;
using Generate = std::function<tasks::Example(std::uint32_t item)>;

std::shared_ptr<const Source> fixed_source(EncodedDataset dataset, Augment augment = {});
std::shared_ptr<const Source> endless_source(Generate generate, Vocabulary vocabulary,
                                             std::shared_ptr<const Layout> layout);

class Mixture {
 public:
  struct Part {
    std::shared_ptr<const Source> source;
    std::uint32_t weight = 1;
  };

  // All parts write rows of `length` tokens.
  Mixture(std::vector<Part> parts, int length);
  static Mixture of(EncodedDataset dataset, Augment augment = {});

  const std::vector<Part>& parts() const { return parts_; }
  int length() const { return length_; }

  // Examples in all parts; 0 when one of them is without end.
  std::size_t size() const;

  // A place of the endless sequence: the position-th example of a part.
  struct Place {
    std::size_t part = 0;
    std::uint64_t position = 0;
  };
  Place place(std::uint64_t index) const;

  // The number of an item in random draws; each part has its own range.
  std::uint32_t key(std::size_t part, std::uint32_t item) const;

 private:
  std::vector<Part> parts_;
  std::vector<std::uint64_t> ends_;  // of the parts' places in the pattern
  int length_;
};

// The copy of an item in an epoch is a function of (seed, item, epoch). `reversed` data hold their
// outputs backwards. UsageError when the task has no symmetries.
Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed = false);

}  // namespace mgdm::data
