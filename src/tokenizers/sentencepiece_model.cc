// tokenizer.model: SentencePiece's ModelProto (sentencepiece_model.proto of google/sentencepiece).
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/protobuf.h"
#include "tokenizers/tokenizer.h"

namespace mgdm::tokenizers {
namespace {

enum PieceType : std::uint64_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

struct Piece {
  std::string text;
  float score = 0;
  std::uint64_t type = kNormal;
};

struct Model {
  std::vector<Piece> pieces;
  std::uint64_t model_type = 1;  // as the format has it by default: unigram
  bool byte_fallback = false;
  std::int64_t unknown = 0, begin = 1, end = 2, pad = -1;
  bool dummy_prefix = true, single_spaces = true, escape_spaces = true;
  std::string charsmap, normalizer_name;
};

using Kind = Field::Kind;

void expect(const Field& field, Kind kind, const char* what) {
  if (field.kind != kind)
    throw Error(fmt::format("{} is of another kind", what), "a SentencePiece model");
}

Piece read_piece(std::string_view message) {
  Piece piece;
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) {
      expect(*field, Kind::kBytes, "the text of a piece");
      piece.text = field->bytes;
    } else if (field->number == 2) {
      expect(*field, Kind::kFixed32, "the score of a piece");
      piece.score = field->as_float();
    } else if (field->number == 3) {
      expect(*field, Kind::kNumber, "the type of a piece");
      piece.type = field->value;
    }
  }
  if (piece.text.empty() || find_invalid_utf8(piece.text) != std::string::npos)
    throw Error(fmt::format("the piece {}", in_quotes(piece.text)), "UTF-8");
  return piece;
}

void read_trainer(std::string_view message, Model& model) {
  Fields fields(message);
  while (const auto field = fields.next()) {
    if (field->kind != Kind::kNumber) continue;
    const auto number = static_cast<std::int64_t>(static_cast<std::int32_t>(field->value));
    switch (field->number) {
      case 3:
        model.model_type = field->value;
        break;
      case 24:
        if (field->value != 0)
          throw Error("treat_whitespace_as_suffix is true", "false: spaces before words");
        break;
      case 35:
        model.byte_fallback = field->value != 0;
        break;
      case 40:
        model.unknown = number;
        break;
      case 41:
        model.begin = number;
        break;
      case 42:
        model.end = number;
        break;
      case 43:
        model.pad = number;
        break;
      default:
        break;
    }
  }
}

void read_normalizer_spec(std::string_view message, Model& model) {
  Fields fields(message);
  while (const auto field = fields.next()) {
    const bool on = field->value != 0;
    if (field->number == 1) model.normalizer_name = field->bytes;
    if (field->number == 2) model.charsmap = field->bytes;
    if (field->number == 3) model.dummy_prefix = on;
    if (field->number == 4) model.single_spaces = on;
    if (field->number == 5) model.escape_spaces = on;
  }
}

Model read_model(std::string_view bytes) {
  Model model;
  Fields fields(bytes);
  while (const auto field = fields.next()) {
    if (field->number > 3) continue;
    expect(*field, Kind::kBytes, "a part of the model");
    if (field->number == 1) model.pieces.push_back(read_piece(field->bytes));
    if (field->number == 2) read_trainer(field->bytes, model);
    if (field->number == 3) read_normalizer_spec(field->bytes, model);
  }
  if (model.pieces.empty()) throw Error("no pieces", "a SentencePiece model");
  if (model.model_type != 2)
    throw Error(fmt::format("a model of type {}", model.model_type), "2, byte-pair encoding");
  if (!model.charsmap.empty())
    throw Error(fmt::format("the normaliser {}", in_quotes(model.normalizer_name)),
                "identity: characters stay as they are");
  return model;
}

// Spaces as SentencePiece has them, there and back.
void set_spaces(const Model& model, Parts& parts) {
  constexpr const char* kSpace = "\u2581";
  if (model.single_spaces) parts.normalizer.emplace_back(SingleSpaces{});
  if (model.dummy_prefix) parts.normalizer.emplace_back(Prepend{" "});
  if (model.escape_spaces) {
    parts.normalizer.emplace_back(Replace{Pattern::of_text(" "), kSpace});
    parts.decoder.emplace_back(Replace{Pattern::of_text(kSpace), " "});
  }
  parts.decoder.emplace_back(JoinBytes{});
  parts.decoder.emplace_back(Fuse{});
  if (model.dummy_prefix) parts.decoder.emplace_back(Strip{" ", 1, 0});
}

std::optional<Id> meaning(std::int64_t id, const Model& model) {
  if (id < 0 || id >= static_cast<std::int64_t>(model.pieces.size())) return std::nullopt;
  return static_cast<Id>(id);
}

Tokenizer make(const Model& model) {
  Parts parts;
  std::vector<std::string> ordinary;  // by id; those that text is made of
  std::vector<std::optional<float>> scores;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    const auto id = static_cast<Id>(i);
    parts.pieces.push_back(piece.text);
    const bool text = piece.type == kNormal || piece.type == kByte;
    ordinary.push_back(text ? piece.text : "");
    scores.push_back(piece.type == kNormal ? std::optional(piece.score) : std::nullopt);
    if (piece.type == kUserDefined)
      parts.added.push_back({.id = id, .content = piece.text, .normalized = true});
    // A control piece has a meaning; text that looks like it is text.
    if (piece.type == kControl)
      parts.added.push_back({.id = id, .content = piece.text, .in_text = false, .special = true});
  }
  set_spaces(model, parts);
  const Meanings meanings{meaning(model.begin, model), meaning(model.end, model),
                          meaning(model.unknown, model), meaning(model.pad, model)};
  Bpe bpe(
      ordinary,
      {.unknown = meanings.unknown, .byte_fallback = model.byte_fallback, .fuse_unknown = true});
  bpe.merge_by_scores(std::move(scores));
  Tokenizer tokenizer(std::move(parts), std::move(bpe));
  tokenizer.set_meanings(meanings);
  return tokenizer;
}

}  // namespace

Tokenizer parse_tokenizer_model(std::string_view bytes, const std::string& source) {
  return with_location(source, 0, [&] { return make(read_model(bytes)); });
}

}  // namespace mgdm::tokenizers
