// The JSON text at the start of a safetensors file, parsed strictly and written.
//
//   {"__metadata__":{"format":"pt"},
//    "wte.weight":{"dtype":"F32","shape":[12,64],"data_offsets":[0,3072]}}
//
// Only what can be said without the data is judged here; safetensors.h checks the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dtype.h"

namespace mgdm::formats {

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    Dtype dtype{};
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  // bytes, from the end of the header
  };
  std::vector<Entry> entries;  // in the order of the text; names are unique
  Metadata metadata;
};

// The limit of the format; a longer header is refused before it is read.
inline constexpr std::size_t kMaxHeaderBytes = 100'000'000;

// Errors begin with "source: ". Memory is bounded by a small multiple of the text.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& source);

// Not padded. An Error when a name or a metadata text is not UTF-8.
std::string to_json(const SafetensorsHeader& header);

}  // namespace mgdm::formats
