#include "base/compression.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#ifdef MGDM_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef MGDM_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/error.h"
#include "base/text.h"

namespace mgdm {
namespace {

using Chunk = std::array<char, 1 << 16>;

[[noreturn]] [[maybe_unused]] void damaged(const std::string& path, std::string_view format) {
  throw Error(
      fmt::format("cannot read {}: its {} data are damaged or cut off", shown_path(path), format),
      "a whole file");
}

[[noreturn]] [[maybe_unused]] void missing(std::string_view path, std::string_view format,
                                           std::string_view tool) {
  throw Error(fmt::format("{} is a {} file, and mgdm was built without {}", shown_path(path),
                          format, format),
              "a file that is not compressed", fmt::format("{} -d FILE", tool));
}

#ifdef MGDM_HAVE_ZLIB

constexpr int kGzipWindow = 15 + 16;  // zlib's words for the gzip format

class Gunzip {
 public:
  Gunzip(ReadBytes from, std::string path) : from_(std::move(from)), path_(std::move(path)) {
    MGDM_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK);
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(char* to, std::size_t most) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(most);
    while (stream_.avail_out == most) {
      if (stream_.avail_in == 0) {
        stream_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
        stream_.avail_in = static_cast<uInt>(from_(chunk_.data(), chunk_.size()));
        if (stream_.avail_in == 0) {
          if (!between_members_) damaged(path_, "gzip");
          return 0;
        }
      }
      between_members_ = false;
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state == Z_STREAM_END) {  // gzip files may stand one after the other
        between_members_ = true;
        inflateReset(&stream_);
      } else if (state != Z_OK) {
        damaged(path_, "gzip");
      }
    }
    return most - stream_.avail_out;
  }

 private:
  const ReadBytes from_;
  const std::string path_;
  z_stream stream_{};
  Chunk chunk_;
  bool between_members_ = false;
};

class Gzip : public Compressor {
 public:
  explicit Gzip(WriteBytes to) : to_(std::move(to)) {
    constexpr int kMemory = 8;  // zlib's default
    MGDM_CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Gzip() override { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes) override { put(bytes, Z_NO_FLUSH); }
  void finish() override { put("", Z_FINISH); }

 private:
  void put(std::string_view bytes, int flush) {
    // zlib does not write to next_in, although the pointer is not const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
      stream_.avail_out = static_cast<uInt>(chunk_.size());
      deflate(&stream_, flush);
      to_({chunk_.data(), chunk_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  const WriteBytes to_;
  z_stream stream_{};
  Chunk chunk_;
};

#endif
#ifdef MGDM_HAVE_ZSTD

class Unzstd {
 public:
  Unzstd(ReadBytes from, std::string path)
      : from_(std::move(from)), path_(std::move(path)), stream_(ZSTD_createDStream()) {
    MGDM_CHECK(stream_ != nullptr);
  }
  ~Unzstd() { ZSTD_freeDStream(stream_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

  std::size_t read(char* to, std::size_t most) {
    ZSTD_outBuffer out{to, most, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) {  // zstd keeps a byte of its input back until all output is out
        in_ = {chunk_.data(), from_(chunk_.data(), chunk_.size()), 0};
        if (in_.size == 0) {
          if (more_) damaged(path_, "zstd");
          return 0;
        }
      }
      more_ = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(more_)) damaged(path_, "zstd");
    }
    return out.pos;
  }

 private:
  const ReadBytes from_;
  const std::string path_;
  ZSTD_DStream* const stream_;
  Chunk chunk_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t more_ = 1;  // 0 between two frames
};

class Zstd : public Compressor {
 public:
  explicit Zstd(WriteBytes to) : to_(std::move(to)), stream_(ZSTD_createCStream()) {
    MGDM_CHECK(stream_ != nullptr);
  }
  ~Zstd() override { ZSTD_freeCStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  void write(std::string_view bytes) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) put(in, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    while (put(in, ZSTD_e_end) > 0) continue;
  }

 private:
  std::size_t put(ZSTD_inBuffer& in, ZSTD_EndDirective directive) {
    ZSTD_outBuffer out{chunk_.data(), chunk_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(stream_, &out, &in, directive);
    MGDM_CHECK(!ZSTD_isError(left));
    to_({chunk_.data(), out.pos});
    return left;
  }

  const WriteBytes to_;
  ZSTD_CStream* const stream_;
  Chunk chunk_;
};

#endif

template <class Decoder>
[[maybe_unused]] ReadBytes reading(ReadBytes from, std::string path) {
  auto decoder = std::make_shared<Decoder>(std::move(from), std::move(path));
  return [decoder](char* to, std::size_t most) { return decoder->read(to, most); };
}

}  // namespace

ReadBytes decompressed(std::string_view magic, [[maybe_unused]] ReadBytes compressed,
                       [[maybe_unused]] std::string path) {
  if (magic.starts_with("\x1f\x8b")) {
#ifdef MGDM_HAVE_ZLIB
    return reading<Gunzip>(std::move(compressed), std::move(path));
#else
    missing(path, "gzip", "gzip");
#endif
  }
  if (magic.starts_with("\x28\xb5\x2f\xfd")) {
#ifdef MGDM_HAVE_ZSTD
    return reading<Unzstd>(std::move(compressed), std::move(path));
#else
    missing(path, "zstd", "zstd");
#endif
  }
  return {};
}

std::unique_ptr<Compressor> compressor_for(std::string_view path, [[maybe_unused]] WriteBytes to) {
  const std::string name = lowered(path);
  if (name.ends_with(".gz")) {
#ifdef MGDM_HAVE_ZLIB
    return std::make_unique<Gzip>(std::move(to));
#else
    missing(path, "gzip", "gzip");
#endif
  }
  if (name.ends_with(".zst")) {
#ifdef MGDM_HAVE_ZSTD
    return std::make_unique<Zstd>(std::move(to));
#else
    missing(path, "zstd", "zstd");
#endif
  }
  return nullptr;
}

}  // namespace mgdm
