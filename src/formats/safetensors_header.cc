#include "formats/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

using nlohmann::json;

// Follows the parser through the only four places a header has. Events instead of a document: a
// document keeps one of two equal keys in silence, and garbage could make it far larger than its
// text. The first thing out of place throws.
class HeaderHandler : public nlohmann::json_sax<json> {
 public:
  HeaderHandler(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
    } else if (place_ == Place::kTop && key_ == kMetadataKey) {
      place_ = Place::kMetadata;
    } else if (place_ == Place::kTop) {
      place_ = Place::kTensor;
      header_.entries.push_back({.name = key_, .dtype = {}, .shape = {}});
      dtype_.reset();
      shape_.reset();
      offsets_.reset();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& name) override {
    if (place_ == Place::kTop) {
      key_ = std::move(name);
      if (!names_.insert(key_).second)
        throw Error(here() + "the name appears twice", "unique names");
    } else if (place_ == Place::kMetadata) {
      field_ = std::move(name);
      if (header_.metadata.contains(field_))
        throw Error(here() + "the key appears twice", "unique keys");
    } else {
      field_ = std::move(name);
      if (field_ != "dtype" && field_ != "shape" && field_ != "data_offsets")
        throw Error(here() + "unknown field " + in_quotes(field_), "dtype, shape and data_offsets");
      if ((field_ == "dtype" && dtype_) || (field_ == "shape" && shape_) ||
          (field_ == "data_offsets" && offsets_))
        throw Error(here() + field_ + " appears twice", "dtype, shape and data_offsets, once each");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      for (const auto& [field, present] :
           {std::pair{"dtype", dtype_.has_value()}, std::pair{"shape", shape_.has_value()},
            std::pair{"data_offsets", offsets_.has_value()}})
        if (!present)
          throw Error(here() + "no " + field, "an entry with dtype, shape and data_offsets");
      SafetensorsHeader::Entry& entry = header_.entries.back();
      entry.dtype = *dtype_;
      entry.shape = std::move(*shape_);
      entry.begin = offsets_->at(0);
      entry.end = offsets_->at(1);
    }
    place_ = Place::kTop;  // after the last brace it no longer matters
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(field_, std::move(value));
    } else if (place_ == Place::kTensor && field_ == "dtype") {
      dtype_ = dtype_named(value);
      if (!dtype_)
        throw Error(here() + "unknown dtype " + in_quotes(value), joined_or(dtype_names()));
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::kTensor && field_ == "shape") {
      place_ = Place::kShape;
      shape_.emplace();
    } else if (place_ == Place::kTensor && field_ == "data_offsets") {
      place_ = Place::kOffsets;
      offsets_.emplace();
    } else {
      unexpected("an array");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_->size() != 2) wrong_offset_count();
    place_ = Place::kTensor;
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (place_ == Place::kShape) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw Error(here() + fmt::format("a dimension of {} is too large", value),
                    "dimensions below 2^63");
      shape_->push_back(static_cast<std::int64_t>(value));
    } else if (place_ == Place::kOffsets) {
      offsets_->push_back(value);
      if (offsets_->size() > 2) wrong_offset_count();
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool number_integer(std::int64_t value) override { unexpected(fmt::format("{}", value)); }
  bool number_float(double, const std::string& text) override { unexpected(text.substr(0, 30)); }
  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool binary(json::binary_t&) override { unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    const std::size_t byte = std::min(position == 0 ? 0 : position - 1, text_.size());
    throw Error(fmt::format("{}: the header is not valid JSON at byte {}: {}", source_, byte,
                            byte == text_.size() ? "it ends" : in_quotes(text_.substr(byte), 20)),
                "a JSON object");
  }

 private:
  enum class Place { kStart, kTop, kMetadata, kTensor, kShape, kOffsets };

  static constexpr std::string_view kMetadataKey = "__metadata__";

  // "file: tensor 'name': ".
  std::string here() const {
    if (place_ == Place::kMetadata)
      return fmt::format("{}: __metadata__ {}: ", source_, in_quotes(field_));
    if (key_ == kMetadataKey) return fmt::format("{}: __metadata__: ", source_);
    return fmt::format("{}: tensor {}: ", source_, in_quotes(key_));
  }

  // A value of a type that has no business where it stands.
  [[noreturn]] void unexpected(const std::string& seen) const {
    switch (place_) {
      case Place::kStart:
        throw Error(fmt::format("{}: the header is {}", source_, seen), "a JSON object");
      case Place::kTop:
        throw Error(here() + "the entry is " + seen,
                    key_ == kMetadataKey ? "an object of strings"
                                         : "an object with dtype, shape and data_offsets");
      case Place::kMetadata:
        throw Error(here() + "the value is " + seen, "a string");
      case Place::kTensor:
        throw Error(here() + field_ + " is " + seen, field_ == "dtype" ? "the name of a type"
                                                     : field_ == "shape"
                                                         ? "an array of non-negative integers"
                                                         : "an array of two non-negative integers");
      case Place::kShape:
        throw Error(here() + "shape has " + seen, "non-negative integers");
      case Place::kOffsets:
        throw Error(here() + "data_offsets has " + seen, "two non-negative integers");
    }
    throw std::logic_error("not a place");
  }

  [[noreturn]] void wrong_offset_count() const {
    const std::size_t count = offsets_->size();
    throw Error(here() + "data_offsets has " +
                    (count > 2 ? "more than two numbers" : fmt::format("{} number(s)", count)),
                "two non-negative integers");
  }

  const std::string_view text_;
  const std::string& source_;
  SafetensorsHeader header_;
  Place place_ = Place::kStart;
  std::unordered_set<std::string> names_;
  std::string key_;    // of the top object
  std::string field_;  // of the object inside
  std::optional<Dtype> dtype_;
  std::optional<std::vector<std::int64_t>> shape_;
  std::optional<std::vector<std::uint64_t>> offsets_;
};

std::string json_string(const std::string& text) {
  if (find_invalid_utf8(text) != std::string::npos)
    throw Error("the name or metadata " + in_quotes(text) + " is not UTF-8", "UTF-8 text");
  return json(text).dump();
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& source) {
  if (!text.starts_with('{'))
    throw Error(fmt::format("{}: the header starts with {}", source, in_quotes(text.substr(0, 1))),
                "'{'", "check that this is a safetensors file");
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
    throw Error(fmt::format("{}: the header is not UTF-8 at byte {}", source, bad), "UTF-8 text");
  // The parser takes a zero byte for the end of the text and would ignore what follows.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw Error(fmt::format("{}: the header has a zero byte at byte {}", source, zero),
                "JSON padded with spaces");
  HeaderHandler handler(text, source);
  json::sax_parse(text, &handler);
  return handler.take();
}

std::string to_json(const SafetensorsHeader& header) {
  std::string out = "{";
  if (!header.metadata.empty()) {
    out += "\"__metadata__\":{";
    for (const auto& [key, value] : header.metadata)
      out += json_string(key) + ":" + json_string(value) + ",";
    out.back() = '}';
    out += ',';
  }
  for (const SafetensorsHeader::Entry& entry : header.entries)
    out += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}},",
                       json_string(entry.name), name_of(entry.dtype), joined_by(entry.shape, ","),
                       entry.begin, entry.end);
  if (out.size() > 1) out.pop_back();
  return out + "}";
}

}  // namespace mgdm::formats
