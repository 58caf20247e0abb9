#include "prompting/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::prompting {
namespace {

using LineJson = nlohmann::ordered_json;

LineJson facts_json(const RunFacts& facts) {
  LineJson json = LineJson::object();
  for (const auto& [name, value] : facts) json[name] = value;
  return json;
}

std::string as_line(const LineJson& json) { return formats::json_text(json) + "\n"; }

std::string text_of(const LineJson& value) {
  return value.is_string() ? value.get<std::string>() : formats::json_text(value);
}

// What differs between the run in the file and this one: "model = \"a\", was \"b\"".
std::string differences(const LineJson& was, const RunFacts& facts) {
  std::string out;
  for (const auto& [name, value] : facts)
    if (!was.is_object() || !was.contains(name) || was[name] != value)
      out += fmt::format("{}{} = {}, was {}", out.empty() ? "" : "; ", name, value,
                         was.is_object() && was.contains(name) ? text_of(was[name]) : "nothing");
  return out;
}

Outcome outcome_of(const LineJson& json) {
  return {json.at("answers").get<std::vector<std::string>>(),
          json.at("right").get<double>(),
          json.at("any").get<bool>(),
          {json.at("requests").get<std::int64_t>(), json.at("prompt_tokens").get<std::int64_t>(),
           json.at("generated_tokens").get<std::int64_t>(),
           json.value("uncounted_requests", std::int64_t{0})}};
}

}  // namespace

ResultsFile::ResultsFile(const std::string& path, const RunFacts& facts) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  try {
    lock_ = std::make_unique<FileLock>(path);
    const std::string text = read_file(path);
    const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
      throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    std::size_t number = 0;
    for (const std::string_view line : split(std::string_view(text).substr(0, whole), '\n')) {
      ++number;
      if (line.empty()) continue;
      const LineJson json = formats::parse_ordered_json(line);
      try {
        if (number == 1) {
          if (const std::string other = differences(json.at("run"), facts); !other.empty())
            throw Error(fmt::format("{} has the results of another run: {}", path, other), "",
                        "another --out");
          continue;
        }
        entries_[json.at("item").get<std::size_t>()] = {json.at("input").get<std::string>(),
                                                        outcome_of(json)};
      } catch (const nlohmann::json::exception&) {
        throw Error(at(path, number) + "the line is no result of mgdm prompt", "",
                    "another --out, or remove the line: the cache has what was paid for");
      }
    }
    if (whole == 0) header_ = as_line({{"run", facts_json(facts)}});
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ResultsFile::~ResultsFile() { ::close(descriptor_); }

const Outcome* ResultsFile::find(std::size_t item, const std::string& input) const {
  const auto found = entries_.find(item);
  if (found == entries_.end()) return nullptr;
  if (found->second.input != input)
    throw Error(fmt::format("{} has another puzzle as item {}: {}, not {}", path_, item,
                            found->second.input, input),
                "the same --data as before", "another --out");
  return &found->second.outcome;
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
  append(std::exchange(header_, "") + as_line(json));
  entries_[item] = {input, outcome};
}

void ResultsFile::append(const std::string& line) const {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
    done += static_cast<std::size_t>(n);
  }
  ::fsync(descriptor_);
}

}  // namespace mgdm::prompting
