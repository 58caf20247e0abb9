// Compression by gzip and zstd. The first bytes of a file choose how it is read, the end of its
// name how it is written.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mgdm {

// Reads at most so many bytes to an address and returns how many there were; 0 at the end.
using ReadBytes = std::function<std::size_t(char* to, std::size_t most)>;
using WriteBytes = std::function<void(std::string_view bytes)>;

// The number of first bytes that tell whether a file is compressed.
inline constexpr std::size_t kMagicBytes = 4;

// Returns a reader of the decompressed bytes of `compressed`, or none if `magic`, its first bytes,
// begins neither format. An Error about damaged bytes names `path`.
ReadBytes decompressed(std::string_view magic, ReadBytes compressed, std::string path);

// Compresses what is written to it. finish() writes the last compressed bytes.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};

// Returns none unless the path ends in ".gz" or ".zst". Compressed bytes go to `to`.
std::unique_ptr<Compressor> compressor_for(std::string_view path, WriteBytes to);

}  // namespace mgdm
