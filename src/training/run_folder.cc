#include "training/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/json_text.h"
#include "formats/jsonl.h"
#include "model_files/checkpoints.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

// A pipe that nobody reads is an error, not a wait.
void append(const fs::path& path, const std::string& text) {
  constexpr int kHow = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC;
  const int file = ::open(path.c_str(), kHow, 0666);
  if (file >= 0) errno = ENOSPC;  // where only a part of it is written
  const bool whole =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const std::string reason = std::strerror(errno);
  if (file >= 0) ::close(file);
  if (!whole) throw Error(fmt::format("cannot write {}: {}", path.string(), reason));
}

// Keeps the lines that `keep` likes.
template <class Keep>
void filter_lines(const fs::path& path, Keep&& keep) {
  if (!is_there(path)) return;
  std::string kept;
  LineReader lines(path.string(), Reading::kFile);
  for (std::string_view line; lines.next(line);)
    if (keep(line)) kept += std::string(line) + '\n';
  write_file(path.string(), kept);
}

}  // namespace

void RunFolder::check(const fs::path& path, bool resume) {
  const bool there = is_there(path / "config.toml");
  if (there && !resume)
    throw Error(fmt::format("{} holds a run already", path.string()), "a new folder",
                "--resume to continue it, or another --out");
  if (!there && resume)
    throw Error(fmt::format("{} holds no run to resume", path.string()),
                "a folder with config.toml");
}

RunFolder::RunFolder(fs::path path, bool resume) : path_(std::move(path)) {
  check(path_, resume);
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) throw Error(fmt::format("cannot make {}: {}", path_.string(), failed.message()));
  lock_ = std::make_unique<FileLock>(path_.string());
  remove_leftovers();
  events_ = std::make_unique<formats::EventWriter>(path_);
}

// What a process that was killed while it saved has left behind.
void RunFolder::remove_leftovers() const {
  for (const fs::path& path : files_in(path_)) {
    const std::string name = path.filename().string();
    if (name.starts_with(model_files::kCheckpointPrefix) && name.ends_with(".tmp"))
      remove_tree(path);
  }
}

void RunFolder::write_config(const std::string& toml) const {
  write_file((path_ / "config.toml").string(), toml);
}

void RunFolder::write_environment(const std::map<std::string, std::string>& facts) const {
  write_file((path_ / "env.json").string(), formats::json_text(nlohmann::json(facts), 2) + "\n");
}

std::map<std::string, std::string> RunFolder::environment() const {
  std::map<std::string, std::string> facts;
  if (!is_there(path_ / "env.json")) return facts;
  const auto json = formats::parse_json(read_file(path_ / "env.json"));
  if (!json.is_object()) return facts;
  for (const auto& [name, value] : json.items())
    if (value.is_string()) facts[name] = value.get<std::string>();
  return facts;
}

void RunFolder::log_sitting(std::int64_t step, const std::map<std::string, std::string>& facts,
                            const std::vector<std::string>& changes) const {
  nlohmann::ordered_json line{{"step", step}};
  for (const auto& [name, value] : facts) line[name] = value;
  line["changes"] = changes;
  filter_lines(path_ / "sittings.jsonl",
               [](std::string_view each) { return !formats::parse_json(each).is_discarded(); });
  append(path_ / "sittings.jsonl", formats::json_text(line) + "\n");
}

void RunFolder::log(std::int64_t step, const Metrics& metrics) {
  nlohmann::ordered_json line;
  line["step"] = step;
  std::vector<formats::Scalar> scalars;
  for (const auto& [name, value] : metrics) {
    line[name] = value;
    scalars.push_back({name, static_cast<float>(value)});
  }
  attempt(
      [&] {
        append(path_ / "metrics.jsonl", formats::json_text(line) + "\n");
        events_->add_scalars(scalars, step);
      },
      [&](const Error& error) { throw Error(error.seen(), error.expected(), resume_hint()); });
  for (const auto& [name, value] : metrics)
    if (name == judge_ && std::isfinite(value)) {
      scores_[step] = value;
      link_best();
    }
}

void RunFolder::judge_by(const std::string& metric) {
  judge_ = metric;
  scores_.clear();
  for (const auto& [step, value] : formats::read_metric(path_ / "metrics.jsonl", metric))
    scores_[static_cast<std::int64_t>(step)] = value;
}

bool RunFolder::better(double one, double other) const {
  return judge_.ends_with("loss") ? one < other : one > other;
}

std::optional<RunFolder::Best> RunFolder::best_checkpoint() const {
  std::optional<Best> best;
  for (const auto& [step, checkpoint] : model_files::checkpoints(path_))
    if (const auto score = scores_.find(step);
        score != scores_.end() && (!best || better(score->second, best->value)))
      best = {checkpoint, score->second};
  return best;
}

std::int64_t RunFolder::steps_without_improvement() const {
  auto best = scores_.begin();
  for (auto it = scores_.begin(); it != scores_.end(); ++it)
    if (better(it->second, best->second)) best = it;
  return scores_.empty() ? 0 : scores_.rbegin()->first - best->first;
}

// A link replaces another one in a single step. File systems without links have no such name.
void RunFolder::link_best() const {
  const auto best = best_checkpoint();
  if (!best) return;
  const fs::path temporary = path_ / "best.tmp";
  std::error_code failed;
  fs::remove(temporary, failed);
  fs::create_directory_symlink(best->checkpoint.filename(), temporary, failed);
  if (!failed) fs::rename(temporary, path_ / "best", failed);
}

std::string RunFolder::resume_hint() const {
  const auto newest = newest_checkpoint();
  return newest ? fmt::format("--resume continues from {}, which is intact", newest->string()) : "";
}

std::optional<std::int64_t> RunFolder::last_step_with(const std::string& name) const {
  std::optional<std::int64_t> last;
  formats::for_each_metrics_line(path_ / "metrics.jsonl", [&](const formats::MetricsLine& line) {
    if (line.numbers.contains(name)) last = line.step;
  });
  return last;
}

void RunFolder::rewind(std::int64_t step) {
  const fs::path file = path_ / "metrics.jsonl";
  if (!is_there(file)) return;
  std::string kept;
  formats::for_each_metrics_line(file, [&](const formats::MetricsLine& line) {
    if (line.step <= step) kept += std::string(line.text) + '\n';
  });
  write_file(file.string(), kept);
}

fs::path RunFolder::write_checkpoint(std::int64_t step, std::int64_t keep,
                                     const std::function<void(const fs::path&)>& fill) const {
  const fs::path target = path_ / fmt::format("{}{}", model_files::kCheckpointPrefix, step);
  try {
    model_files::AtomicFolder folder(target);
    fill(folder.path());
    write_file((folder.path() / model_files::kCheckpointDone).string(), "");
    folder.commit();
  } catch (const Error& error) {
    throw Error(fmt::format("step {} is not saved: {}", step, error.what()), "", resume_hint());
  }
  link_best();
  const auto best = best_checkpoint();
  const auto all = model_files::checkpoints(path_);
  auto superfluous = static_cast<std::int64_t>(all.size()) - keep;
  for (auto it = all.begin(); superfluous > 0; ++it, --superfluous) {
    if (best && it->second == best->checkpoint) continue;
    // A kill while files are removed leaves a name that remove_leftovers() knows.
    fs::path leftover = it->second;
    leftover += ".tmp";
    std::error_code failed;
    fs::rename(it->second, leftover, failed);
    remove_tree(failed ? it->second : leftover);
  }
  return target;
}

}  // namespace mgdm::training
