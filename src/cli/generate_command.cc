#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/named_files.h"
#include "data/arrays_folder.h"
#include "formats/dimacs.h"
#include "formats/jsonl.h"
#include "formats/sudoku_cells.h"
#include "tasks/all_tasks.h"
#include "tasks/released.h"
#include "tasks/sat/formula.h"

namespace mgdm::cli {
namespace {

struct GenerateSettings {
  std::string task;
  std::int64_t count = 1000;
  std::int64_t seed = 0;
  std::string split = "train";
  tasks::Options options;
  bool as_released = false;
  bool traces = false;
  std::int64_t threads = 0;
  std::string out = "-";
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("task", task, "a task; mgdm tasks lists them");
    v.field("count", count, "number of examples", config::range(1, 4e9));
    v.field("seed", seed, "seed of the examples", config::at_least(0));
    v.field("split", split, "train or test; they never share a puzzle",
            config::one_of({"train", "test"}));
    options.visit(v);
    static const std::string kReleased = tasks::tasks_with(&tasks::Abilities::released),
                             kTraces = tasks::tasks_with(&tasks::Abilities::traces);
    v.field("as_released", as_released, kReleased + ": the paper's own examples, byte for byte");
    v.field("traces", traces,
            kTraces +
                ", with --as-released: also the search that found each answer (Stream of Search)");
    visit_threads(v, threads);
    v.field(
        "out", out,
        "output file: .jsonl, .csv (Sudoku), .txt (puzzles alone) or .cnf (one formula), and with "
        ".gz or .zst behind it compressed; - prints; a name that ends in / is a folder of NumPy's "
        "arrays, as HRM and TRM read them");
    v.field("quiet", quiet, "hide the progress line");
  }
};

enum class Form { kJsonl, kSudokuCsv, kPuzzles, kDimacs, kArrays };

// What the name of the output asks for.
Form form_of(const GenerateSettings& settings, const tasks::Task& task) {
  if (settings.out.empty()) throw UsageError("--out is empty", "a file, or - for the screen");
  std::string name = lowered(settings.out);
  if (name.ends_with('/')) {
    if (settings.as_released || settings.traces)
      throw UsageError(fmt::format("--out {} asks for arrays", settings.out),
                       "a file that ends in .jsonl, as the paper's");
    return Form::kArrays;
  }
  for (const std::string_view suffix : {".gz", ".zst"})
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  const bool csv = name.ends_with(".csv");
  if (csv && !task.abilities().sudoku_files)
    throw UsageError(fmt::format("--out {} asks for Sudoku CSV, but the task is {}", settings.out,
                                 settings.task),
                     "a name that ends in .jsonl or .txt");
  const bool dimacs = name.ends_with(".cnf") || name.ends_with(".dimacs");
  if (dimacs && (!task.abilities().variables || settings.count != 1))
    throw UsageError(
        fmt::format("--out {} asks for a DIMACS formula of {}", settings.out, settings.task),
        tasks::tasks_with([](const tasks::Abilities& can) { return can.variables.has_value(); }) +
            ", and --count 1, as a file has one formula");
  for (const std::string_view suffix : {".xlsx", ".xls", ".ods", ".parquet", ".xz", ".bz2", ".zip"})
    if (name.ends_with(suffix))
      throw UsageError(fmt::format("--out {} asks for a format that is not written", settings.out),
                       "a name that ends in .jsonl, .txt or, for Sudoku CSV, .csv, and then .gz or "
                       ".zst for a compressed file");
  const bool puzzles = name.ends_with(".txt");
  if (puzzles && (settings.as_released || settings.traces))
    throw UsageError(fmt::format("--out {} asks for puzzles alone", settings.out),
                     "a name that ends in .jsonl, as the paper's files have both");
  if (dimacs) return Form::kDimacs;
  return csv ? Form::kSudokuCsv : puzzles ? Form::kPuzzles : Form::kJsonl;
}

std::string line_of(const tasks::Example& example, const tasks::Task& task, Form form) {
  const std::string &input = example.input, &output = example.output;
  if (form == Form::kSudokuCsv) return formats::sudoku_csv_row({input, output});
  if (form == Form::kDimacs) {
    const int variables = *task.abilities().variables;
    return formats::write_dimacs(
        tasks::sat::parse_formula(input, tasks::sat::Notation::of(variables)));
  }
  return form == Form::kPuzzles ? input + "\n"
                                : formats::jsonl_line({{"input", input}, {"output", output}});
}

tasks::Split split_of(const GenerateSettings& settings) {
  return settings.split == "test" ? tasks::Split::kTest : tasks::Split::kTrain;
}

void write_released(const GenerateSettings& settings, const tasks::Task& task) {
  if (settings.seed != 0)
    throw UsageError(fmt::format("--seed {} with the released examples", settings.seed),
                     "no --seed: they have one of their own");
  const tasks::Abilities can = task.abilities();
  if (can.released == nullptr)
    throw UsageError(fmt::format("the released data of {} cannot be regenerated", task.name()),
                     tasks::tasks_with(&tasks::Abilities::released) + ", with default options");
  if (settings.traces && !can.traces)
    throw UsageError(fmt::format("{} has no traces", settings.task),
                     tasks::tasks_with(&tasks::Abilities::traces));
  const auto released = can.released->released(split_of(settings));
  const auto count = static_cast<std::size_t>(settings.count);
  AtomicFile file(settings.out);
  Progress progress("generating " + settings.task, released->passed_over() + count, settings.quiet);
  tasks::for_released(
      *released, count,
      [&](const tasks::Example&) {
        file.write(settings.traces ? released->trace_line() : released->line());
      },
      [&] { progress.add(1); });
  file.commit();
}

// Calls take(part) for make(example) of all examples, in their order.
template <class Made>
void generate_all(const GenerateSettings& settings, const tasks::Task& task,
                  const std::function<Made(tasks::Example&&)>& make,
                  const std::function<void(std::vector<Made>&&)>& take) {
  const tasks::Split split = split_of(settings);
  const auto seed = static_cast<std::uint64_t>(settings.seed);
  const auto count = static_cast<std::size_t>(settings.count);
  Progress progress("generating " + settings.task, count, settings.quiet);
  constexpr std::size_t kChunk = 256;
  for_chunks<std::vector<Made>>(
      count, kChunk, static_cast<int>(settings.threads),
      [&](std::size_t begin, std::size_t end) {
        std::vector<Made> part;
        for (std::size_t i = begin; i < end; ++i) {
          stop_if_interrupted();
          part.push_back(make(task.generate(seed, split, static_cast<std::uint32_t>(i))));
          progress.add(1);
        }
        return part;
      },
      take);
}

void write_generated(const GenerateSettings& settings, const tasks::Task& task, Form form) {
  AtomicFile file(settings.out);
  if (form == Form::kSudokuCsv) file.write(fmt::format("{}\n", formats::kSudokuCsvHeader));
  generate_all<std::string>(
      settings, task, [&](tasks::Example&& example) { return line_of(example, task, form); },
      [&](std::vector<std::string>&& lines) {
        for (const std::string& line : lines) file.write(line);
      });
  file.commit();
}

void write_generated_arrays(const GenerateSettings& settings, const tasks::Task& task) {
  std::vector<tasks::Example> all;
  generate_all<tasks::Example>(
      settings, task, [](tasks::Example&& example) { return std::move(example); },
      [&](std::vector<tasks::Example>&& part) {
        all.insert(all.end(), std::make_move_iterator(part.begin()),
                   std::make_move_iterator(part.end()));
      });
  data::write_arrays(settings.out, all);
}

void run_generate(const GenerateSettings& settings) {
  const auto task = tasks::make_task(settings.task, settings.options);
  const Form form = form_of(settings, *task);
  if (form != Form::kArrays) check_files({{"--out", settings.out}});
  if (settings.as_released || settings.traces)
    write_released(settings, *task);
  else if (form == Form::kArrays)
    write_generated_arrays(settings, *task);
  else
    write_generated(settings, *task, form);
}

}  // namespace

Command generate_command() {
  return make_command<GenerateSettings>(
      "generate", "Make examples of a task; the same seed gives the same bytes, always",
      "  mgdm generate sudoku --count 3\n"
      "  mgdm generate countdown-4 --count 500000 --out train.jsonl\n"
      "  mgdm generate countdown-4 --count 1000 --split test --out test.jsonl\n"
      "  mgdm generate sudoku --difficulty hard --count 10000 --out hard.csv\n"
      "  mgdm generate sudoku --difficulty hard --guesses 10.. --count 1000\n"
      "  mgdm generate sudoku --difficulty extreme --count 1000 --out arrays/train/\n"
      "  mgdm generate sat-5 --split test --count 20 --out formulas.txt\n"
      "  mgdm generate sat-5 --split test --count 1 --out formula.cnf\n"
      "  mgdm generate planning --nodes 4 --seed 7\n"
      "  mgdm generate countdown-4 --largest 13\n"
      "  mgdm generate countdown-5 --labels smallest\n"
      "  mgdm generate countdown-4 --as-released --count 500000 --out train.jsonl\n"
      "  mgdm generate planning --as-released --split test --out path_test.jsonl\n"
      "  mgdm generate countdown-4 --traces --count 60 --out traces.jsonl\n",
      {"task"}, {"task"}, run_generate);
}

}  // namespace mgdm::cli
