// Examples as tokens, packed without padding, two bytes each (three in a vocabulary of more than
// 65536): 500,000 countdown-4 examples take about 43 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/layout.h"
#include "data/vocabulary.h"
#include "tasks/task.h"

namespace mgdm::data {

class EncodedDataset {
 public:
  // Every example must fit `layout`, which rows are later written in.
  EncodedDataset(Vocabulary vocabulary, std::shared_ptr<const Layout> layout);

  // Error when the example has a character without a token or does not fit the layout. In the
  // layout `long` it may become several rows, each of which counts.
  void add(const tasks::Example& example);
  void append(EncodedDataset&& other);
  void shrink_to_fit();

  std::size_t size() const { return starts_.size(); }  // rows
  std::size_t memory_bytes() const;
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Layout& layout() const { return *layout_; }

  std::vector<Token> input(std::size_t i) const;
  std::vector<Token> output(std::size_t i) const;
  void write_row(std::size_t i, Row row) const { layout_->write(input(i), output(i), row); }

  // Back to text.
  tasks::Example example(std::size_t i) const;

 private:
  bool large() const { return vocabulary_.size() > 0x10000; }
  std::vector<Token> unpacked(std::size_t begin, std::size_t end) const;

  Vocabulary vocabulary_;
  std::shared_ptr<const Layout> layout_;
  std::vector<std::uint16_t> tokens_;         // input and output of each example, one after another
  std::vector<std::uint8_t> high_;            // their third bytes, where `large`
  std::vector<std::uint64_t> starts_;         // where example i begins
  std::vector<std::uint16_t> input_lengths_;  // and where its output begins
};

// All examples of a file or list, encoded by several threads; the result does not depend on them.
EncodedDataset encode(std::span<const tasks::Example> examples, const Vocabulary& vocabulary,
                      const std::shared_ptr<const Layout>& layout, int threads = 0);

// Encodes the examples make(0) .. make(count - 1), whose texts are never held all at once.
EncodedDataset encode_each(std::size_t count,
                           const std::function<tasks::Example(std::size_t)>& make,
                           const Vocabulary& vocabulary,
                           const std::shared_ptr<const Layout>& layout, int threads = 0);

// `count` generated examples.
EncodedDataset generate_encoded(const tasks::Task& task, std::uint64_t seed, tasks::Split split,
                                std::size_t count, const Vocabulary& vocabulary,
                                const std::shared_ptr<const Layout>& layout, int threads = 0);

}  // namespace mgdm::data
