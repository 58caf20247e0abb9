// gzip and zstd: files are opened by their first bytes and written by their name.
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

// The first bytes by which a compressed file is known.
inline constexpr std::size_t kMagicBytes = 4;

// The bytes behind `compressed`, which begins with the bytes `magic`; none where these begin no
// format that is known here. `path` is for the Error about damaged bytes.
ReadBytes decompressed(std::string_view magic, ReadBytes compressed, std::string path);

// Takes bytes and gives them on compressed. finish() gives the last ones.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};

// For a path that ends in ".gz" or ".zst"; none for others.
std::unique_ptr<Compressor> compressor_for(std::string_view path, WriteBytes to);

}  // namespace mgdm
