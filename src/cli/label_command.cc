#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exact_search.h"
#include "cli/flags.h"
#include "cli/named_files.h"
#include "formats/jsonl.h"
#include "formats/sudoku_cells.h"
#include "tasks/all_tasks.h"

namespace mgdm::cli {
namespace {

struct LabelSettings {
  std::string data, out = "-", task, keys;
  std::int64_t threads = 0;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("data", data, "a file of puzzles, with or without answers; - reads standard input");
    v.field("out", out, "output file: .jsonl, or .csv (Sudoku); - prints");
    v.field("task", task, "the task of the puzzles (default: that of the first one)");
    v.field("keys", keys, formats::kKeysHelp);
    visit_threads(v, threads);
    v.field("quiet", quiet, "print nothing but errors");
  }
};

struct Labelled {
  enum class Was { kRight, kMissing, kWrong, kImpossible } was;
  std::string line, complaint;
};

// Error unless answers of the task can be searched for and written.
void check_task(const tasks::Task& task, const std::string& out, bool csv) {
  if (!task.can_solve())
    throw UsageError(fmt::format("the task {} has no exact search", task.name()),
                     joined_or(tasks::task_names()));
  if (csv && !task.abilities().sudoku_files)
    throw UsageError(
        fmt::format("--out {} asks for Sudoku CSV, but the task is {}", out, task.name()),
        "a name that ends in .jsonl");
}

Labelled labelled(const tasks::Task& task, const data::LocatedExample& located,
                  const LabelSettings& settings, bool csv) {
  using Was = Labelled::Was;
  tasks::Example example = located.example;
  Labelled label{Was::kRight, {}, {}};
  if (!task.verify(example, example.output).correct) {
    label.was = example.output.empty() ? Was::kMissing : Was::kWrong;
    const auto answer = task.solve(example.input);
    if (!answer)
      return {Was::kImpossible,
              {},
              fmt::format("{}{} has {}", at(settings.data, located.line), in_quotes(example.input),
                          task.no_solution())};
    if (label.was == Was::kWrong)
      label.complaint =
          at(settings.data, located.line) + task.explain(example, example.output).front().words;
    example.output = *answer;
  }
  label.line = csv ? formats::sudoku_csv_row({example.input, example.output})
                   : formats::jsonl_line({{"input", example.input}, {"output", example.output}});
  return label;
}

int run_label(const LabelSettings& settings) {
  check_files({{"--data", settings.data, /*written=*/false}, {"--out", settings.out}});
  const bool csv = lowered(settings.out).ends_with(".csv");
  std::unique_ptr<tasks::Task> task;  // where none is named, that of the first puzzle
  formats::Rules rules{formats::Rules::Lines::kAny, formats::keys_of(settings.keys)};
  const auto choose = [&](std::unique_ptr<tasks::Task> chosen) {
    check_task(*chosen, settings.out, csv);
    task = std::move(chosen);
  };
  if (!settings.task.empty()) {
    choose(tasks::make_task(settings.task));
    rules = data::rules_for(*task, rules.keys);
  }
  AtomicFile file(settings.out);
  if (csv) file.write(fmt::format("{}\n", formats::kSudokuCsvHeader));
  Progress progress("labelling", /*total=*/0, settings.quiet);
  constexpr std::size_t kMostComplaints = 5;
  std::size_t right = 0, missing = 0, wrong = 0, impossible = 0;
  std::vector<std::string> complaints;
  ExampleBatches<Labelled> batches(
      static_cast<int>(settings.threads),
      [&](const data::LocatedExample& located) { return labelled(*task, located, settings, csv); },
      [&](Labelled&& label) {
        using Was = Labelled::Was;
        progress.add(1);
        ++(label.was == Was::kRight     ? right
           : label.was == Was::kMissing ? missing
           : label.was == Was::kWrong   ? wrong
                                        : impossible);
        if (!label.complaint.empty() && complaints.size() < kMostComplaints)
          complaints.push_back(label.complaint);
        file.write(label.line);
      });
  data::for_each_puzzle(settings.data, rules, [&](data::FoundPuzzle&& found) {
    with_location(found.file, found.line, [&] {
      if (!task) choose(task_of_puzzle(found.puzzle.puzzle));
      batches.add({{task->normalize_input(found.puzzle.puzzle), std::move(found.puzzle.answer),
                    std::move(found.puzzle.also)},
                   found.line});
      return true;
    });
  });
  batches.finish();
  file.commit();
  for (const std::string& complaint : complaints) say("mgdm: {}\n", printable(complaint));
  if (!settings.quiet)
    say("{}: {} labels were right, {} filled in, {} wrong ones replaced{}\n", task->name(), right,
        missing, wrong,
        impossible > 0 ? fmt::format(", {} puzzles without a solution left out", impossible) : "");
  return impossible == 0 ? 0 : 1;
}

}  // namespace

Command label_command() {
  return make_command<LabelSettings>(
      "label", "Fill in answers by exact search, and check those that are there",
      "  mgdm label puzzles.txt --out train.jsonl\n"
      "  mgdm label grids.csv --out solved.csv\n"
      "  mgdm label train.jsonl --task countdown-4 --out checked.jsonl\n",
      {"data"}, {"data"}, run_label);
}

}  // namespace mgdm::cli
