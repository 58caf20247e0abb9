#include "cli/explain_format.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/complaints.h"
#include "cli/pick_model.h"
#include "data/examples_file.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

// The task that a puzzle fits best.
class TaskFinder {
 public:
  explicit TaskFinder(const tasks::Task* only) : only_(only) {
    if (only != nullptr) return;
    for (const std::string& name : tasks::task_names())
      tasks_.push_back(tasks::make_task(name, {}, /*learned=*/true));
    tasks_.push_back(tasks::make_task("sat"));
  }

  std::string name_of(const std::string& puzzle) {
    if (only_ != nullptr) {
      only_->normalize_input(puzzle);
      return only_->name();
    }
    if (last_ != nullptr && fit(*last_, puzzle) == Fit::kFits) return last_->name();
    Fit best = Fit::kNone;
    for (const auto& task : tasks_)
      if (const Fit here = fit(*task, puzzle); here > best) {
        best = here;
        last_ = task.get();
      }
    if (best == Fit::kNone)
      throw Error(fmt::format("{} is no puzzle of any task", in_quotes(puzzle)), "a puzzle of one",
                  "mgdm tasks shows one puzzle of each task");
    return last_->name();
  }

 private:
  const tasks::Task* only_;
  std::vector<std::unique_ptr<tasks::Task>> tasks_;
  const tasks::Task* last_ = nullptr;
};

std::string in_names(std::string_view what, const std::string& name) {
  return name.empty() ? "" : fmt::format(", {} in '{}'", what, printable(name));
}

}  // namespace

void explain_format(const std::string& path, const formats::Keys& keys, const tasks::Task* task) {
  struct Count {
    std::size_t puzzles = 0, answers = 0;
  };
  using Kind = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Kind, Count> counts;
  Complaints complaints;
  TaskFinder finder(task);
  formats::Rules rules{formats::Rules::Lines::kAny, keys};
  if (task != nullptr) rules = data::rules_for(*task, keys);
  const OnBadLine on_bad = [&](const Error& error) { complaints.add(error); };
  data::for_each_puzzle(
      path, rules,
      [&](data::FoundPuzzle&& found) {
        const formats::Puzzle& puzzle = found.puzzle;
        const auto name = unless_bad(on_bad, [&] {
          return with_location(found.file, found.line,
                               [&] { return finder.name_of(puzzle.puzzle); });
        });
        if (!name) return;
        Count& count =
            counts[{*name, std::string(found.format), puzzle.puzzle_name, puzzle.answer_name}];
        ++count.puzzles;
        count.answers += puzzle.answer.empty() ? 0 : 1;
      },
      on_bad);
  fmt::print("{}\n", printable(shown_path(path)));
  for (const auto& [kind, count] : counts) {
    const auto& [name, format, puzzle, answer] = kind;
    fmt::print("  {} puzzle{} of {}: {}{}{}, {}\n", count.puzzles, count.puzzles == 1 ? "" : "s",
               name, format, in_names("puzzles", puzzle), in_names("answers", answer),
               count.answers == 0               ? "without answers"
               : count.answers == count.puzzles ? "with answers"
                                                : fmt::format("{} with answers", count.answers));
  }
  if (complaints.count() > 0) fmt::print("  {} that cannot be read\n", complaints.count());
  flush_output();
  complaints.finish();
}

}  // namespace mgdm::cli
