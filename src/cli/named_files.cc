#include "cli/named_files.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "formats/checksums.h"

namespace mgdm::cli {
namespace {

// Whether the file is there as a part of a model or a checkpoint.
bool is_of_a_model(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::filesystem::path folder = file.parent_path();
  const bool in_model =
      is_there(folder / "config.json") || is_there(folder / "adapter_config.json");
  return is_there(file) &&
         (name.find(".safetensors") != name.npos ||
          (in_model && (name.ends_with("config.json") || name.starts_with("tokenizer"))) ||
          name == formats::kChecksumsFile || formats::read_checksums(folder).contains(name));
}

}  // namespace

void check_files(const std::vector<NamedFile>& files) {
  std::map<std::string, const NamedFile*> named;  // where several flags read a file, the first
  for (const NamedFile& now : files) {
    if (now.file.empty()) continue;
    if (now.file == "-" && !now.written && !named.emplace("<stdin>", &now).second)
      throw UsageError(
          fmt::format("{} and {} both read standard input", named["<stdin>"]->flag, now.flag),
          "a file for one of them");
    const bool printed = now.written && is_standard_output(now.file);
    if (!printed && (now.file == "-" || is_special(now.file))) continue;
    if (now.written && !printed && is_of_a_model(full_name(now.file)))
      throw UsageError(fmt::format("{} {} would overwrite a file of a model", now.flag, now.file),
                       "a new name or another folder");
    const auto [before, is_new] = named.emplace(printed ? "-" : full_name(now.file), &now);
    if (!is_new && (now.written || before->second->written))
      throw UsageError(
          fmt::format("{} and {} name the same file, {}", before->second->flag, now.flag, now.file),
          "a file for each");
  }
  for (const auto& [flag, file, written] : files)
    if (written && !file.empty() && !is_standard_output(file) && !is_special(file))
      AtomicFile{file};  // opened, and left as it was
}

}  // namespace mgdm::cli
