#include "prompting/results_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "formats/json_text.h"

namespace mgdm::prompting {
namespace {

using LineJson = nlohmann::ordered_json;

std::string text_of(const LineJson& value) {
  return value.is_string() ? value.get<std::string>() : formats::json_text(value);
}

// An Error when the file's first line names other settings: "model = b, was a".
void expect_same_run(const std::string& path, const RunFacts& facts) {
  LineReader lines(path, Reading::kFile);
  std::string_view first;
  if (!lines.next(first)) return;
  const LineJson line = formats::parse_ordered_json(first);
  if (!line.is_object() || !line.contains("run") || !line["run"].is_object())
    throw Error(fmt::format("{} has no results of mgdm prompt", path), "", "another --out");
  const LineJson& was = line["run"];
  std::string changes;
  for (const auto& [name, value] : facts)
    if (!was.contains(name) || was[name] != value)
      changes += fmt::format("{}{} = {}, was {}", changes.empty() ? "" : "; ", name, value,
                             was.contains(name) ? text_of(was[name]) : "nothing");
  if (!changes.empty())
    throw Error(fmt::format("{} has the results of another run: {}", path, changes), "",
                "another --out");
}

}  // namespace

ResultsFile::ResultsFile(std::string path, const RunFacts& facts) : path_(std::move(path)) {
  if (is_there(path_)) expect_same_run(path_, facts);
  file_.open(path_, std::ios::trunc);
  LineJson run = LineJson::object();
  for (const auto& [name, value] : facts) run[name] = value;
  write(formats::json_text(LineJson{{"run", run}}));
}

void ResultsFile::add(std::size_t item, const std::string& input, const Outcome& outcome) {
  LineJson json{{"item", item},
                {"input", input},
                {"right", outcome.right},
                {"any", outcome.any},
                {"answers", outcome.answers},
                {"requests", outcome.usage.requests},
                {"prompt_tokens", outcome.usage.prompt_tokens},
                {"generated_tokens", outcome.usage.generated_tokens}};
  if (outcome.usage.uncounted > 0) json["uncounted_requests"] = outcome.usage.uncounted;
  write(formats::json_text(json));
}

void ResultsFile::write(const std::string& line) {
  errno = 0;
  file_ << line << '\n';
  if (!file_.flush()) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

}  // namespace mgdm::prompting
