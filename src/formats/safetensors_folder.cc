#include "formats/safetensors_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/json_text.h"

namespace mgdm::formats {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using WeightMap = std::map<std::string, std::string>;  // tensor -> file name

std::string single_file(std::string_view name) { return fmt::format("{}.safetensors", name); }
std::string index_file(std::string_view name) {
  return fmt::format("{}.safetensors.index.json", name);
}

constexpr std::size_t kMaxIndexBytes = 100'000'000;

// Keeps a document from hiding one of two equal keys.
class StrictKeys {
 public:
  explicit StrictKeys(std::string source) : source_(std::move(source)) {}

  bool operator()(int depth, json::parse_event_t event, const json& value) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) {
      keys_.resize(level + 2);
      keys_.back().clear();
    } else if (event == json::parse_event_t::key) {
      const std::string key = value.get<std::string>();
      if (!keys_.at(level).insert(key).second)
        throw Error(fmt::format("{}: {} appears twice", source_, in_quotes(key)), "unique names");
    }
    return true;
  }

 private:
  std::string source_;
  std::vector<std::set<std::string>> keys_;  // [depth], of the object now open there
};

void remove_file(const fs::path& path) {
  std::error_code failure;
  fs::remove(path, failure);
  if (failure) throw Error(fmt::format("cannot remove {}: {}", path.string(), failure.message()));
}

WeightMap read_index(const fs::path& path) {
  const std::string source = path.string();
  const json index = json_of(read_checked_file(path, kMaxIndexBytes), source, "an index of shards",
                             StrictKeys(source));
  const auto wrong = [&] {
    return Error(source + ": no weight_map", R"({"weight_map": {"tensor": "file", ...}})");
  };
  if (!index.is_object()) throw wrong();
  const auto found = index.find("weight_map");
  if (found == index.end() || !found->is_object()) throw wrong();
  WeightMap files;
  for (const auto& [tensor, file] : found->items()) {
    if (!file.is_string())
      throw Error(fmt::format("{}: tensor {}: the file is not a string", source, in_quotes(tensor)),
                  "the name of a file");
    const auto& name = file.get_ref<const std::string&>();
    // An index comes from strangers: it must not reach outside its folder.
    if (name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos || name.empty() ||
        name == "." || name == "..")
      throw Error(fmt::format("{}: tensor {}: the file {} is not in this folder", source,
                              in_quotes(tensor), in_quotes(name)),
                  "the name of a file beside the index, without separators");
    files.emplace(tensor, name);
  }
  return files;
}

Safetensors open_shards(const fs::path& folder, std::string_view name) {
  const fs::path index = folder / index_file(name);
  const WeightMap weight_map = read_index(index);
  std::set<std::string> files;
  for (const auto& [tensor, file] : weight_map) files.insert(file);

  std::vector<Safetensors> shards;
  for (const std::string& file : files) {
    if (!is_there(folder / file))
      throw Error(fmt::format("{}: names {}, which is not there", index.string(), in_quotes(file)),
                  "every shard beside the index", "copy or download the missing file");
    const Safetensors& shard = shards.emplace_back(open_safetensors(folder / file));
    for (const TensorView& tensor : shard.tensors()) {
      const auto entry = weight_map.find(tensor.name);
      if (entry == weight_map.end() || entry->second != file)
        throw Error(fmt::format("{}: tensor {} is not in the index for this file", shard.source(),
                                in_quotes(tensor.name)),
                    "an index that names every tensor of its shards");
    }
    for (const auto& [tensor, named] : weight_map)
      if (named == file && shard.find(tensor) == nullptr)
        throw Error(fmt::format("{}: no tensor {}, though the index names it", shard.source(),
                                in_quotes(tensor)),
                    "every tensor in the shard of its index");
  }
  return Safetensors::merge(folder.string(), std::move(shards));
}

// Consecutive tensors that go into one file each.
std::vector<std::span<const TensorView>> split_into_shards(std::span<const TensorView> tensors,
                                                           std::uint64_t max_shard_bytes) {
  std::vector<std::span<const TensorView>> shards;
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::uint64_t more = tensors[i].bytes.size();
    if (i > begin && bytes + more > max_shard_bytes) {
      shards.push_back(tensors.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += more;
  }
  shards.push_back(tensors.subspan(begin));
  return shards;
}

// model-00001-of-00003.safetensors, and not a file that someone called model-best.safetensors.
bool is_shard_file(std::string_view file, std::string_view name) {
  if (!file.starts_with(name)) return false;
  std::string pattern(file.substr(name.size()));
  for (char& c : pattern)
    if (c >= '0' && c <= '9') c = '0';
  return pattern == "-00000-of-00000.safetensors";
}

// Everything of a save in this folder except `keep`; the index first, so that at no time does one
// stand there without its shards.
void remove_stale(const fs::path& folder, std::string_view name,
                  const std::set<std::string>& keep) {
  if (!keep.contains(index_file(name))) remove_file(folder / index_file(name));
  for (const fs::path& path : files_in(folder)) {
    const std::string file = path.filename().string();
    if (!keep.contains(file) && (file == single_file(name) || is_shard_file(file, name)))
      remove_file(path);
  }
}

}  // namespace

void write_safetensors_folder(const fs::path& folder, std::span<const TensorView> tensors,
                              const Metadata& metadata, std::uint64_t max_shard_bytes,
                              std::string_view name) {
  const std::string single = single_file(name), index_name = index_file(name);
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw Error(fmt::format("cannot create {}: {}", folder.string(), failure.message()));
  const auto shards = split_into_shards(tensors, max_shard_bytes);
  if (shards.size() == 1) {
    write_safetensors(folder / single, tensors, metadata);
    remove_stale(folder, name, {single});
    return;
  }

  std::vector<std::string> files;
  WeightMap weight_map;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    files.push_back(fmt::format("{}-{:05}-of-{:05}.safetensors", name, i + 1, shards.size()));
    for (const TensorView& tensor : shards[i]) {
      if (!weight_map.emplace(tensor.name, files.back()).second)
        throw Error(fmt::format("{}: tensor {}: the name appears twice", folder.string(),
                                in_quotes(tensor.name)),
                    "unique names");
      total += tensor.bytes.size();
    }
  }
  if (std::any_of(files.begin(), files.end(), [&](auto& file) { return is_there(folder / file); }))
    remove_file(folder / index_name);
  for (std::size_t i = 0; i < shards.size(); ++i)
    write_safetensors(folder / files[i], shards[i], metadata);
  const json index{{"metadata", {{"total_size", total}}}, {"weight_map", weight_map}};
  write_file((folder / index_name).string(), index.dump(2) + "\n");
  std::set<std::string> keep(files.begin(), files.end());
  keep.insert(index_name);
  remove_stale(folder, name, keep);
}

bool has_safetensors(const fs::path& folder, std::string_view name) {
  return is_there(folder / single_file(name)) || is_there(folder / index_file(name));
}

Safetensors open_safetensors_folder(const fs::path& folder, std::string_view name) {
  const std::string single_name = single_file(name), index_name = index_file(name);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(fmt::format("{}: not a folder", folder.string()), "the folder of a model");
  const bool single = is_there(folder / single_name), sharded = is_there(folder / index_name);
  if (single && sharded)
    throw Error(fmt::format("{}: both {} and {}", folder.string(), single_name, index_name),
                "one of them", "remove the one that is older, with its shards");
  if (!single && !sharded)
    throw Error(fmt::format("{}: neither {} nor {}", folder.string(), single_name, index_name),
                "the folder of a model");
  return single ? open_safetensors(folder / single_name) : open_shards(folder, name);
}

}  // namespace mgdm::formats
