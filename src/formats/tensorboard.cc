#include "formats/tensorboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/files.h"
#include "formats/crc32c.h"

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

template <class T>
T from_raw(std::string_view bytes) {
  static_assert(std::is_arithmetic_v<T>);
  MGDM_CHECK(bytes.size() >= sizeof(T));
  T number;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
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

// Walks the fields of one message. Malformed bytes are an Error without a place; the caller adds
// it.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  // The next field; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = take_varint();
    number_ = key >> 3;
    switch (key & 7) {
      case kVarint:
        varint_ = take_varint();
        payload_ = {};
        break;
      case kFixed64:
        payload_ = take(8);
        break;
      case kBytes:
        payload_ = take(take_varint());
        break;
      case kFixed32:
        payload_ = take(4);
        break;
      default:
        throw Error(fmt::format("a field of unknown wire type {}", key & 7));
    }
    type_ = static_cast<WireType>(key & 7);
    return true;
  }

  // True at this field; an Error when it stands there with another type.
  bool is(std::uint64_t number, WireType type) const {
    if (number != number_) return false;
    if (type != type_)
      throw Error(fmt::format("field {} has wire type {}", number, static_cast<int>(type_)),
                  fmt::format("wire type {}", static_cast<int>(type)));
    return true;
  }

  std::uint64_t integer() const { return varint_; }
  std::string_view payload() const { return payload_; }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Error("a field ends outside its message");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t take_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      number |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return number;
    }
    throw Error("a varint of more than ten bytes");
  }

  std::string_view rest_, payload_;
  std::uint64_t number_ = 0, varint_ = 0;
  WireType type_ = kVarint;
};

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string_view version;
  std::vector<Scalar> scalars;
};

std::optional<Scalar> decode_value(std::string_view bytes) {
  Scalar scalar;
  bool has_value = false;
  for (Message message(bytes); message.next();) {
    if (message.is(kValueTag, kBytes)) scalar.tag = message.payload();
    if (message.is(kValueNumber, kFixed32)) {
      scalar.value = from_raw<float>(message.payload());
      has_value = true;
    }
  }
  if (!has_value) return std::nullopt;  // an image, a histogram, ...
  return scalar;
}

Event decode_event(std::string_view bytes) {
  Event result;
  for (Message message(bytes); message.next();) {
    if (message.is(kEventWallTime, kFixed64))
      result.wall_time = from_raw<double>(message.payload());
    if (message.is(kEventStep, kVarint)) result.step = static_cast<std::int64_t>(message.integer());
    if (message.is(kEventVersion, kBytes)) result.version = message.payload();
    if (message.is(kEventSummary, kBytes)) {
      for (Message list(message.payload()); list.next();)
        if (list.is(kSummaryValue, kBytes))
          if (auto scalar = decode_value(list.payload()))
            result.scalars.push_back(std::move(*scalar));
    }
  }
  return result;
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

void EventWriter::add_scalar(const std::string& tag, float value, std::int64_t step) {
  add_scalars({{tag, value}}, step);
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

EventLog parse_events(std::string_view bytes, const std::string& source) {
  EventLog log;
  constexpr std::size_t kHead = 12, kTail = 4;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto damaged = [&](std::string_view what) {
      return Error(fmt::format("{}: the record at byte {}: {}", source, at, what),
                   "an event file of TensorBoard");
    };
    const std::size_t left = bytes.size() - at;
    if (left < kHead) {
      log.truncated = true;
      break;
    }
    if (from_raw<std::uint32_t>(bytes.substr(at + 8)) != masked_crc(crc32c(bytes.substr(at, 8))))
      throw damaged("the CRC of its length is wrong");
    const auto length = from_raw<std::uint64_t>(bytes.substr(at));
    if (left - kHead < kTail || length > left - kHead - kTail) {
      log.truncated = true;
      break;
    }
    const std::string_view data = bytes.substr(at + kHead, length);
    if (from_raw<std::uint32_t>(bytes.substr(at + kHead + length)) != masked_crc(crc32c(data)))
      throw damaged("the CRC of its data is wrong");
    Event event;
    try {
      event = decode_event(data);
    } catch (const Error& error) {
      throw damaged(error.what());
    }
    if (at == 0 && event.version != kVersion)
      throw damaged("it does not carry the version brain.Event:2");
    for (Scalar& scalar : event.scalars)
      log.scalars.push_back({std::move(scalar.tag), scalar.value, event.step, event.wall_time});
    at += kHead + length + kTail;
  }
  return log;
}

EventLog read_events(const std::filesystem::path& path) {
  return parse_events(read_file(path), path.string());
}

}  // namespace mgdm::formats
