#include "tokenizers/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tokenizers {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::uint64_t key_of(Id left, Id right) { return (std::uint64_t{left} << 32) | right; }

}  // namespace

struct Bpe::Symbol {
  std::size_t begin = 0, end = 0;             // in the word; equal once it was joined to another
  std::optional<Id> id{};                     // none for a character without a piece
  std::size_t before = kNone, after = kNone;  // its neighbours

  std::string_view in(std::string_view word) const { return word.substr(begin, end - begin); }
};

Bpe::Bpe(const std::vector<std::string>& pieces, const BpeForm& form) : form_(form) {
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!pieces[id].empty()) ids_.emplace(pieces[id], static_cast<Id>(id));
  for (int byte = 0; byte < 256; ++byte) bytes_.push_back(find(fmt::format("<0x{:02X}>", byte)));
}

void Bpe::add_merge(std::string_view left, std::string_view right, std::uint32_t rank) {
  const std::string both = std::string(left) + std::string(right);
  for (const std::string_view piece : {left, right, std::string_view(both)})
    if (!find(piece))
      throw Error(fmt::format("merge {} joins {} and {}, but {} is no token", rank, in_quotes(left),
                              in_quotes(right), in_quotes(piece)),
                  "tokens of the vocabulary");
  merges_.emplace(key_of(*find(left), *find(right)), Merge{static_cast<double>(rank), *find(both)});
}

void Bpe::merge_by_scores(std::vector<std::optional<float>> scores) { scores_ = std::move(scores); }

std::optional<Id> Bpe::find(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Bpe::Merge> Bpe::merge_of(std::string_view word, const Symbol& left,
                                        const Symbol& right) const {
  if (scores_.empty()) {
    if (!left.id || !right.id) return std::nullopt;
    const auto found = merges_.find(key_of(*left.id, *right.id));
    return found == merges_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto id = find(word.substr(left.begin, right.end - left.begin));
  if (!id || *id >= scores_.size() || !scores_[*id]) return std::nullopt;
  return Merge{-static_cast<double>(*scores_[*id]), *id};
}

std::vector<Bpe::Symbol> Bpe::joined(std::string_view word) const {
  std::vector<Symbol> symbols;
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(word.substr(begin)));
    const std::size_t place = symbols.size();
    symbols.push_back({.begin = begin,
                       .end = begin + length,
                       .id = find(word.substr(begin, length)),
                       .before = place == 0 ? kNone : place - 1,
                       .after = begin + length < word.size() ? place + 1 : kNone});
    begin += length;
  }
  // What could be joined, the first in order before the others and the leftmost of equals; an entry
  // whose two symbols have changed since (their union has another length) is passed over.
  struct Entry {
    double order;
    std::size_t left, length;
    Id id;
    bool operator<(const Entry& other) const {
      return std::tie(other.order, other.left) < std::tie(order, left);
    }
  };
  std::priority_queue<Entry> queue;
  const auto offer = [&](std::size_t left) {
    if (left == kNone || symbols[left].after == kNone) return;
    const Symbol& right = symbols[symbols[left].after];
    if (const auto merge = merge_of(word, symbols[left], right))
      queue.push({merge->order, left, right.end - symbols[left].begin, merge->id});
  };
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) offer(i);
  while (!queue.empty()) {
    const Entry best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.left];
    if (left.begin == left.end || left.after == kNone) continue;
    Symbol& right = symbols[left.after];
    if (right.end - left.begin != best.length) continue;
    if (const auto now = merge_of(word, left, right); !now || now->id != best.id) continue;
    left.end = right.end;
    left.id = best.id;
    left.after = right.after;
    if (right.after != kNone) symbols[right.after].before = best.left;
    right.end = right.begin;
    offer(left.before);
    offer(best.left);
  }
  return symbols;
}

void Bpe::append(std::string_view text, std::optional<Id> id, std::vector<Id>& ids,
                 bool& after_unknown) const {
  const bool again = std::exchange(after_unknown, false);
  if (id) {
    ids.push_back(*id);
    return;
  }
  if (form_.byte_fallback && std::all_of(text.begin(), text.end(), [&](char c) {
        return bytes_[static_cast<unsigned char>(c)].has_value();
      })) {
    for (const char c : text) ids.push_back(*bytes_[static_cast<unsigned char>(c)]);
    return;
  }
  if (!form_.unknown) return;
  after_unknown = true;
  if (!again || !form_.fuse_unknown) ids.push_back(*form_.unknown);
}

void Bpe::encode(std::string_view word, std::vector<Id>& ids) const {
  if (form_.ignore_merges)
    if (const auto whole = find(word)) {
      ids.push_back(*whole);
      return;
    }
  bool after_unknown = false;
  for (const Symbol& symbol : joined(word))
    if (symbol.begin < symbol.end) append(symbol.in(word), symbol.id, ids, after_unknown);
}

}  // namespace mgdm::tokenizers
