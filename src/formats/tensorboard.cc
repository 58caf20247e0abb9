#include "formats/tensorboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/files.h"
#include "formats/checksums.h"

static_assert(std::endian::native == std::endian::little, "the format is little endian");

namespace mgdm::formats {
namespace {

constexpr std::string_view kVersion = "brain.Event:2";

// Protobuf: a field is varint(number << 3 | wire type), then its value.
enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr std::uint64_t kEventWallTime = 1, kEventStep = 2, kEventVersion = 3, kEventSummary = 5;
constexpr std::uint64_t kSummaryValue = 1;
constexpr std::uint64_t kValueTag = 1, kValueNumber = 2;

template <class T>
std::string raw(T number) {
  static_assert(std::is_arithmetic_v<T>);
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

std::string field(std::uint64_t number, WireType type, std::string_view bytes) {
  std::string out = varint(number << 3 | type);
  if (type == kBytes) out += varint(bytes.size());
  return out.append(bytes);
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace

std::string to_record(std::string_view bytes) {
  const std::string length = raw(std::uint64_t{bytes.size()});
  std::string record = length + raw(masked_crc(crc32c(length)));
  record += bytes;
  return record + raw(masked_crc(crc32c(bytes)));
}

std::string encode_event(double wall_time, std::int64_t step, std::span<const Scalar> scalars) {
  std::string values;
  for (const Scalar& scalar : scalars)
    values += field(
        kSummaryValue, kBytes,
        field(kValueTag, kBytes, scalar.tag) + field(kValueNumber, kFixed32, raw(scalar.value)));
  return field(kEventWallTime, kFixed64, raw(wall_time)) +
         field(kEventStep, kVarint, varint(static_cast<std::uint64_t>(step))) +
         field(kEventSummary, kBytes, values);
}

EventWriter::EventWriter(const std::filesystem::path& folder) : file_(nullptr, &std::fclose) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(fmt::format("cannot create {}: {}", folder.string(), failure.message()));
  const double seconds = now();
  const std::string name =
      fmt::format("events.out.tfevents.{:010}.{}", static_cast<std::int64_t>(seconds), host_name());
  path_ = folder / name;
  for (int again = 1; !file_; ++again) {
    file_.reset(std::fopen(path_.c_str(), "wbx"));  // x: never over an older file
    if (file_) break;
    if (errno != EEXIST)
      throw Error(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
    path_ = folder / fmt::format("{}.{}", name, again);
  }
  write(field(kEventWallTime, kFixed64, raw(seconds)) + field(kEventVersion, kBytes, kVersion));
}

void EventWriter::add_scalars(const std::vector<Scalar>& scalars, std::int64_t step) {
  write(encode_event(now(), step, scalars));
}

void EventWriter::write(const std::string& event) {
  const std::string record = to_record(event);
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size() ||
      std::fflush(file_.get()) != 0)
    throw Error(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace mgdm::formats
