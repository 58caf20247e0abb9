#include "formats/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/checksums.h"

static_assert(std::endian::native == std::endian::little, "the format is little endian");

namespace mgdm::formats {
namespace {

using Entry = SafetensorsHeader::Entry;
constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);

// None when the product does not fit, or a dimension is negative.
std::optional<std::uint64_t> byte_count(Dtype dtype, std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  const auto multiply = [&](std::uint64_t factor) {
    if (factor != 0 && count > std::numeric_limits<std::uint64_t>::max() / factor) return false;
    count *= factor;
    return true;
  };
  for (const std::int64_t dimension : shape)
    if (dimension < 0 || !multiply(static_cast<std::uint64_t>(dimension))) return std::nullopt;
  if (!multiply(size_of(dtype))) return std::nullopt;
  return count;
}

std::string shape_text(Dtype dtype, std::span<const std::int64_t> shape) {
  constexpr std::size_t kShown = 8;
  return fmt::format("{} [{}{}]", name_of(dtype),
                     joined_by(shape.first(std::min(shape.size(), kShown)), ", "),
                     shape.size() > kShown ? ", ..." : "");
}

std::string about(const std::string& source, const std::string& tensor) {
  return fmt::format("{}: tensor {}: ", source, in_quotes(tensor));
}

// The checks on one entry alone.
void check_entry(const Entry& entry, std::uint64_t data_size, const std::string& source) {
  if (entry.begin > entry.end)
    throw Error(about(source, entry.name) +
                    fmt::format("data_offsets begin at {} and end at {}", entry.begin, entry.end),
                "begin <= end");
  if (entry.end > data_size)
    throw Error(about(source, entry.name) +
                    fmt::format("data_offsets end at {}, the data at {}", entry.end, data_size),
                "offsets inside the file", "the file may be cut short; copy it again");
  const auto size = byte_count(entry.dtype, entry.shape);
  const std::string shape = shape_text(entry.dtype, entry.shape);
  if (!size)
    throw Error(about(source, entry.name) + shape + " is larger than any memory",
                "a size below 2^64 bytes");
  if (*size != entry.end - entry.begin)
    throw Error(about(source, entry.name) +
                    fmt::format("data_offsets give it {} bytes", entry.end - entry.begin),
                fmt::format("{} bytes for {}", *size, shape));
}

// The checks on all together: in the order of their data, each begins where the one before ends.
void check_layout(std::span<const Entry> entries, std::uint64_t data_size,
                  const std::string& source) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.begin < end)
      throw Error(about(source, entry.name) +
                      fmt::format("its data begins at {} and overlaps tensor {}, which ends at {}",
                                  entry.begin, in_quotes(entries[i - 1].name), end),
                  "tensors that share no bytes");
    if (entry.begin > end)
      throw Error(
          about(source, entry.name) +
              fmt::format("its data begins at {} and leaves a hole from {}", entry.begin, end),
          "data without holes");
    end = entry.end;
  }
  if (end != data_size)
    throw Error(fmt::format("{}: {} bytes after the last tensor", source, data_size - end),
                "a file that ends with its last tensor");
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::pair<std::vector<TensorView>, Metadata> parse(std::span<const std::byte> bytes,
                                                   const std::string& source) {
  if (bytes.size() < kLengthBytes)
    throw Error(fmt::format("{}: the file has {} bytes", source, bytes.size()),
                "a safetensors file, which has at least 8");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes)
    throw Error(fmt::format("{}: a header of {} bytes", source, length),
                fmt::format("at most {}", kMaxHeaderBytes),
                "check that this is a safetensors file");
  if (length > bytes.size() - kLengthBytes)
    throw Error(fmt::format("{}: a header of {} bytes, but only {} follow", source, length,
                            bytes.size() - kLengthBytes),
                "a whole file", "the file may be cut short; copy it again");

  SafetensorsHeader header =
      parse_safetensors_header(as_text(bytes.subspan(kLengthBytes, length)), source);
  const auto data = bytes.subspan(kLengthBytes + length);
  for (const Entry& entry : header.entries) check_entry(entry, data.size(), source);
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  check_layout(header.entries, data.size(), source);

  std::vector<TensorView> tensors;
  for (Entry& entry : header.entries)
    tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                       data.subspan(entry.begin, entry.end - entry.begin)});
  return {std::move(tensors), std::move(header.metadata)};
}

}  // namespace

Safetensors::Safetensors(std::string source, std::vector<TensorView> tensors, Metadata metadata,
                         std::vector<std::shared_ptr<const std::string>> files)
    : source_(std::move(source)),
      tensors_(std::move(tensors)),
      metadata_(std::move(metadata)),
      files_(std::move(files)) {
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    if (!index_.emplace(tensors_[i].name, i).second)
      throw Error(about(source_, tensors_[i].name) + "the name appears twice", "unique names");
}

const TensorView* Safetensors::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorView& Safetensors::at(std::string_view name) const {
  if (const TensorView* tensor = find(name)) return *tensor;
  std::vector<std::string> names;
  for (const TensorView& tensor : tensors_) names.push_back(tensor.name);
  throw Error(fmt::format("{}: no tensor {}", source_, in_quotes(name)), "",
              did_you_mean(name, names));
}

Safetensors Safetensors::merge(std::string source, std::vector<Safetensors> parts) {
  std::vector<TensorView> tensors;
  std::vector<std::shared_ptr<const std::string>> files;
  for (Safetensors& part : parts) {
    std::move(part.tensors_.begin(), part.tensors_.end(), std::back_inserter(tensors));
    std::move(part.files_.begin(), part.files_.end(), std::back_inserter(files));
  }
  return {std::move(source), std::move(tensors),
          parts.empty() ? Metadata{} : std::move(parts.front().metadata_), std::move(files)};
}

Safetensors open_safetensors(const std::filesystem::path& path) {
  constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();
  const auto file = std::make_shared<const std::string>(read_checked_file(path, kAnySize));
  auto [tensors, metadata] = parse(std::as_bytes(std::span(*file)), path.string());
  return {path.string(), std::move(tensors), std::move(metadata), {file}};
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& source) {
  auto [tensors, metadata] = parse(bytes, source);
  return {source, std::move(tensors), std::move(metadata), {}};
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const Metadata& metadata) {
  const std::string target = path.string();
  SafetensorsHeader header{.entries = {}, .metadata = metadata};
  std::unordered_set<std::string_view> names;
  std::uint64_t end = 0;
  for (const TensorView& tensor : tensors) {
    if (tensor.name == "__metadata__" || !names.insert(tensor.name).second)
      throw Error(about(target, tensor.name) + "the name is reserved or appears twice",
                  "unique names");
    const auto size = byte_count(tensor.dtype, tensor.shape);
    if (!size || *size != tensor.bytes.size())
      throw Error(about(target, tensor.name) + fmt::format("{} bytes", tensor.bytes.size()),
                  shape_text(tensor.dtype, tensor.shape));
    header.entries.push_back({tensor.name, tensor.dtype, tensor.shape, end, end + *size});
    end += *size;
  }

  std::string text = to_json(header);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  if (text.size() > kMaxHeaderBytes)
    throw Error(fmt::format("{}: a header of {} bytes", target, text.size()),
                fmt::format("at most {}", kMaxHeaderBytes), "write several files");

  AtomicFile file(target);
  const std::uint64_t length = text.size();
  file.write(as_text(std::as_bytes(std::span(&length, 1))));
  file.write(text);
  for (const TensorView& tensor : tensors) file.write(as_text(tensor.bytes));
  file.commit();
}

}  // namespace mgdm::formats
