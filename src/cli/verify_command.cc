#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/complaints.h"
#include "cli/explain_format.h"
#include "cli/flags.h"
#include "cli/named_files.h"
#include "data/answers_file.h"
#include "data/examples_file.h"
#include "evaluation/score_report.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"
#include "tasks/text/task.h"

namespace mgdm::cli {
namespace {

struct VerifySettings {
  std::string task;
  std::string data;
  std::string keys;
  std::string verifier;
  std::string predictions;
  std::string json;
  std::int64_t explain = 0;
  std::int64_t threads = 0;
  bool explain_format = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("task", task, "a task; mgdm tasks lists them");
    v.field("data", data, "a file of puzzles in any format, or a folder of such files");
    v.field("keys", keys, formats::kKeysHelp);
    v.field(
        "predictions", predictions,
        "a file of answers in the same order: JSON or CSV with a field predict, output, solution "
        "or answer, plain lines, or the output of a SAT solver; or a folder of such files");
    v.field("explain_format", explain_format, kExplainFormatHelp);
    v.field("verifier", verifier, tasks::text::kVerifierHelp);
    v.field("json", json, "write the score to this file; - prints it alone");
    v.field("explain", explain, "explain the faults of the first N wrong answers",
            config::at_least(0));
    visit_threads(v, threads);
    v.field("quiet", quiet, "print nothing but errors");
  }
};

tasks::Score score_of(const VerifySettings& settings, const tasks::Task& task,
                      const std::vector<data::LocatedExample>& examples,
                      const std::vector<data::LocatedAnswer>& answers) {
  tasks::Score score;
  Progress progress("verifying " + settings.task, examples.size(), settings.quiet);
  for_chunks<tasks::Score>(
      examples.size(), 1024, static_cast<int>(settings.threads),
      [&](std::size_t begin, std::size_t end) {
        tasks::Score chunk;
        for (std::size_t i = begin; i < end; ++i) {
          stop_if_interrupted();
          chunk.add(task, examples[i].example, answers[i].answer);
        }
        progress.add(end - begin);
        return chunk;
      },
      [&](tasks::Score&& chunk) { score.add(chunk); });
  return score;
}

// Answers that name their puzzle stand where it does. What the task cannot read as one, such as a
// question in words, says nothing.
void check_order(const VerifySettings& settings, const tasks::Task& task,
                 const std::vector<data::LocatedExample>& examples,
                 const std::vector<data::LocatedAnswer>& answers) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::string& puzzle = examples[i].example.input;
    // Most are written alike; reading a formula again takes longer than judging its answer.
    if (answers[i].input.empty() || answers[i].input == puzzle) continue;
    const std::string named = attempt([&] { return task.normalize_input(answers[i].input); },
                                      [&](const Error&) { return puzzle; });
    if (named != puzzle)
      throw Error(fmt::format("{}the answer is one to another puzzle: {}",
                              at(settings.predictions, answers[i].line), in_quotes(named)),
                  fmt::format("answers in the order of {}", shown_path(settings.data)));
  }
}

struct Both {
  std::vector<data::LocatedExample> examples;
  std::vector<data::LocatedAnswer> answers;
};

// Reads puzzles and their answers. A puzzle that cannot be read is left out, and so is its answer,
// where there is one.
Both read_both(const VerifySettings& settings, const tasks::Task& task, Complaints& complaints) {
  Both both;
  std::vector<std::size_t> places;  // of the puzzles, among all lines that should be one
  std::size_t all = 0;
  data::for_each_example(
      settings.data, task,
      [&](data::LocatedExample&& example) {
        both.examples.push_back(std::move(example));
        places.push_back(all++);
      },
      [&](const Error& error) {
        complaints.add(error);
        ++all;
      },
      formats::keys_of(settings.keys));
  both.answers = data::read_answers(settings.predictions, task,
                                    [&](const Error& error) { complaints.add(error); });
  complaints.finish();
  if (both.examples.empty())
    throw Error(fmt::format("no puzzle in {} can be read", shown_path(settings.data)));
  if (both.answers.size() == all && all != places.size()) {
    std::vector<data::LocatedAnswer> theirs;
    for (const std::size_t place : places) theirs.push_back(std::move(both.answers[place]));
    both.answers = std::move(theirs);
  }
  if (both.answers.size() != both.examples.size())
    throw Error(
        fmt::format("{} has {} puzzles, {} has {} answers", shown_path(settings.data),
                    both.examples.size(), shown_path(settings.predictions), both.answers.size()),
        "one answer per puzzle, in the same order");
  return both;
}

int run_verify(const VerifySettings& settings) {
  check_files({{"--data", settings.data, /*written=*/false},
               {"--json", settings.json},
               {"--predictions", settings.predictions, /*written=*/false}});
  const auto task = settings.verifier.empty()
                        ? tasks::make_task(settings.task)
                        : tasks::text::make_verified(settings.task, settings.verifier);
  const formats::Keys keys = formats::keys_of(settings.keys);
  if (settings.explain_format) {
    explain_format(settings.data, keys, task.get());
    return 0;
  }
  if (settings.predictions.empty())
    throw UsageError("--predictions is required", "--predictions FILE");
  Complaints complaints;
  const auto [examples, answers] = read_both(settings, *task, complaints);
  check_order(settings, *task, examples, answers);
  const tasks::Score score = score_of(settings, *task, examples, answers);
  if (!settings.json.empty()) {
    VerifySettings used = settings;
    write_file(settings.json, evaluation::result_text(evaluation::score_json(settings.task, score),
                                                      config::Fields(used).all()));
  }
  const int code = complaints.count() == 0 ? 0 : 1;
  if (settings.quiet) return code;
  std::FILE* const out = evaluation::for_people({settings.json});
  std::int64_t to_explain = settings.explain;
  for (std::size_t i = 0; i < examples.size() && to_explain > 0; ++i) {
    const auto faults = task->explain(examples[i].example, tasks::up_to_end(answers[i].answer));
    if (faults.empty()) continue;
    --to_explain;
    const std::string place = at(settings.predictions, answers[i].line);
    say_to(out, "{}\n", printable(place + answers[i].answer));
    for (const tasks::Fault& fault : faults)
      say_to(out, "  {}: {}\n", fault.category, printable(fault.words));
  }
  say_to(out, "{}", evaluation::score_text(settings.task, score));
  return code;
}

}  // namespace

Command verify_command() {
  return make_command<VerifySettings>(
      "verify", "Check answers by both metrics and say what went wrong",
      "  mgdm verify countdown-4 --data test.jsonl --predictions answers.jsonl\n"
      "  mgdm verify sudoku --data test.csv --predictions answers.jsonl --json score.json\n"
      "  mgdm verify planning --data test.jsonl --predictions answers.jsonl --explain 5\n"
      "  mgdm verify sudoku --data test.csv --predictions answers.txt\n"
      "  mgdm verify sat --data problem.cnf --predictions solver.out\n",
      {"task"}, {"task", "data"}, run_verify);
}

}  // namespace mgdm::cli
