#include "data/encoded_dataset.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"

namespace mgdm::data {

EncodedDataset::EncodedDataset(Vocabulary vocabulary, std::shared_ptr<const Layout> layout)
    : vocabulary_(std::move(vocabulary)), layout_(std::move(layout)) {}

void EncodedDataset::add(const tasks::Example& example) {
  MGDM_CHECK(vocabulary_.size() <= 1 << 24);
  for (const Piece& piece : layout_->pieces(vocabulary_.encode_first(example.input),
                                            vocabulary_.encode(example.output))) {
    starts_.push_back(tokens_.size());
    for (const std::vector<Token>* part : {&piece.input, &piece.output})
      for (const Token token : *part) {
        tokens_.push_back(static_cast<std::uint16_t>(token));
        if (large()) high_.push_back(static_cast<std::uint8_t>(token >> 16));
      }
    MGDM_CHECK(piece.input.size() <= 0xFFFF);
    input_lengths_.push_back(static_cast<std::uint16_t>(piece.input.size()));
  }
}

void EncodedDataset::append(EncodedDataset&& other) {
  const std::uint64_t shift = tokens_.size();
  tokens_.insert(tokens_.end(), other.tokens_.begin(), other.tokens_.end());
  high_.insert(high_.end(), other.high_.begin(), other.high_.end());
  for (const std::uint64_t start : other.starts_) starts_.push_back(start + shift);
  input_lengths_.insert(input_lengths_.end(), other.input_lengths_.begin(),
                        other.input_lengths_.end());
}

void EncodedDataset::shrink_to_fit() {
  tokens_.shrink_to_fit();
  high_.shrink_to_fit();
  starts_.shrink_to_fit();
  input_lengths_.shrink_to_fit();
}

std::size_t EncodedDataset::memory_bytes() const {
  return tokens_.capacity() * sizeof(tokens_[0]) + high_.capacity() +
         starts_.capacity() * sizeof(std::uint64_t) +
         input_lengths_.capacity() * sizeof(std::uint16_t);
}

std::vector<Token> EncodedDataset::unpacked(std::size_t begin, std::size_t end) const {
  const auto low = std::span(tokens_).subspan(begin, end - begin);
  std::vector<Token> tokens(low.begin(), low.end());
  if (large())
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] |= Token{high_[begin + i]} << 16;
  return tokens;
}

std::vector<Token> EncodedDataset::input(std::size_t i) const {
  return unpacked(starts_[i], starts_[i] + input_lengths_[i]);
}

std::vector<Token> EncodedDataset::output(std::size_t i) const {
  const std::size_t begin = starts_[i] + input_lengths_[i];
  const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : tokens_.size();
  return unpacked(begin, end);
}

tasks::Example EncodedDataset::example(std::size_t i) const {
  return {vocabulary_.decode(input(i)), vocabulary_.decode(output(i))};
}

namespace {

constexpr std::size_t kChunk = 256;  // the text of a search has up to 40,000 characters

template <class Get>
EncodedDataset encode_items(std::size_t count, const Vocabulary& vocabulary,
                            const std::shared_ptr<const Layout>& layout, int threads, Get&& get) {
  EncodedDataset all(vocabulary, layout);
  for_chunks<EncodedDataset>(
      count, kChunk, threads,
      [&](std::size_t begin, std::size_t end) {
        EncodedDataset chunk(vocabulary, layout);
        for (std::size_t i = begin; i < end; ++i) chunk.add(get(i));
        return chunk;
      },
      [&](EncodedDataset&& chunk) { all.append(std::move(chunk)); });
  all.shrink_to_fit();
  return all;
}

}  // namespace

EncodedDataset encode(std::span<const tasks::Example> examples, const Vocabulary& vocabulary,
                      const std::shared_ptr<const Layout>& layout, int threads) {
  return encode_items(examples.size(), vocabulary, layout, threads,
                      [&](std::size_t i) -> const tasks::Example& { return examples[i]; });
}

EncodedDataset encode_each(std::size_t count,
                           const std::function<tasks::Example(std::size_t)>& make,
                           const Vocabulary& vocabulary,
                           const std::shared_ptr<const Layout>& layout, int threads) {
  return encode_items(count, vocabulary, layout, threads, make);
}

EncodedDataset generate_encoded(const tasks::Task& task, std::uint64_t seed, tasks::Split split,
                                std::size_t count, const Vocabulary& vocabulary,
                                const std::shared_ptr<const Layout>& layout, int threads) {
  return encode_each(
      count,
      [&](std::size_t i) { return task.generate(seed, split, static_cast<std::uint32_t>(i)); },
      vocabulary, layout, threads);
}

}  // namespace mgdm::data
