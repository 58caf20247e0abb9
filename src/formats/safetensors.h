// Tensors in a file: the safetensors format, read strictly and written atomically.
//
//   uint64 little endian: length of the header | JSON header | data of all tensors, without holes
//
//   const Safetensors file = open_safetensors("model.safetensors");
//   const TensorView& weight = file.at("wte.weight");   // dtype, shape, bytes
//
//   write_safetensors("copy.safetensors", file.tensors());
//
// Every departure from the format is an Error that names the file, the tensor and what was seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/safetensors_header.h"

namespace mgdm::formats {

// A named array whose bytes belong to someone else: little endian, the last dimension contiguous.
// The format does not align tensors: copy the bytes, or look at the address before casting.
struct TensorView {
  std::string name;
  Dtype dtype{};
  std::vector<std::int64_t> shape;  // empty for a scalar
  std::span<const std::byte> bytes;
};

// The tensors of a file, a buffer or a folder of shards. Owns the bytes of the files it came from.
class Safetensors {
 public:
  Safetensors(std::string source, std::vector<TensorView> tensors, Metadata metadata,
              std::vector<std::shared_ptr<const std::string>> files = {});

  const std::string& source() const { return source_; }                // for messages
  const std::vector<TensorView>& tensors() const { return tensors_; }  // in the order of the data
  const Metadata& metadata() const { return metadata_; }

  const TensorView* find(std::string_view name) const;  // null when absent
  const TensorView& at(std::string_view name) const;    // an Error when absent

  // Several as one, with the metadata of the first. A name in two of them is an Error.
  static Safetensors merge(std::string source, std::vector<Safetensors> parts);

 private:
  std::string source_;
  std::vector<TensorView> tensors_;
  Metadata metadata_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::shared_ptr<const std::string>> files_;
};

// Reads the whole file, so that nothing done to the file later matters. An Error when the bytes
// differ from the checksum that the folder lists (checksums.h).
Safetensors open_safetensors(const std::filesystem::path& path);

// Parses a buffer, which must outlive the result. Messages name `source` in place of the file.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& source);

// Libraries that read the files look for this and refuse a file without it.
inline const Metadata kDefaultMetadata{{"format", "pt"}};

// Tensors stand in the file in the order given; the data begins at a multiple of 8. An Error, and
// no file, when a name is reserved or repeated or when bytes do not match dtype and shape.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata = kDefaultMetadata);

}  // namespace mgdm::formats
