// Byte-pair encoding: a word is split into characters, then the neighbours with the lowest merge
// rank are joined until none can be.
//
//   Bpe bpe(pieces, {});
//   bpe.add_merge("l", "o", 0);      // what tokenizer.json lists, or
//   bpe.merge_by_scores(scores);     // SentencePiece: any merge that is a piece, best score first
//   bpe.encode("lower", ids);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mgdm::tokenizers {

using Id = std::uint32_t;

struct BpeForm {
  std::optional<Id> unknown{};  // for a character without a piece; none: it is left out
  bool byte_fallback = false;  // such a character becomes its bytes, "<0xE2>", where all are pieces
  bool fuse_unknown = false;   // neighbours that are unknown become one
  bool ignore_merges = false;  // a word that is a piece is encoded as that piece, without merges
};

class Bpe {
 public:
  // Pieces by their ids; an empty one is an id without a piece.
  Bpe(const std::vector<std::string>& pieces, const BpeForm& form);

  // Error when one of the three is not a piece.
  void add_merge(std::string_view left, std::string_view right, std::uint32_t rank);

  // Scores by id; a piece without a score is never the result of a merge.
  void merge_by_scores(std::vector<std::optional<float>> scores);

  std::optional<Id> find(std::string_view piece) const;

  // The ids of a word of well-formed UTF-8, behind those in `ids`.
  void encode(std::string_view word, std::vector<Id>& ids) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // The result of joining two neighbours; the lowest rank is joined first.
  struct Merge {
    double order = 0;
    Id id = 0;
  };
  struct Symbol;  // a part of the word

  std::optional<Merge> merge_of(std::string_view word, const Symbol& left,
                                const Symbol& right) const;
  std::vector<Symbol> joined(std::string_view word) const;
  void append(std::string_view text, std::optional<Id> id, std::vector<Id>& ids,
              bool& after_unknown) const;

  BpeForm form_;
  std::unordered_map<std::string, Id, Hash, std::equal_to<>> ids_;
  std::unordered_map<std::uint64_t, Merge> merges_;  // by both ids
  std::vector<std::optional<float>> scores_;         // empty: by merges_
  std::vector<std::optional<Id>> bytes_;             // the pieces "<0x00>" ..., by byte
};

}  // namespace mgdm::tokenizers
