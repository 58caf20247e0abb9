// Example predictions on countdown-4, with errors marked: the paper's puzzles, our models.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evaluation/evaluate.h"
#include "reproduction/plan.h"
#include "reproduction/trained.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/verify.h"
#include "tasks/score.h"

namespace mgdm::reproduction {
namespace {

// A puzzle of the paper's table, with its label and what the paper's models answered.
struct Printed {
  tasks::Example puzzle;
  const char *ar, *mgdm;
};

const std::vector<Printed>& paper_puzzles() {
  static const std::vector<Printed> kPuzzles{
      {{"64,36,52,42,14", "64-52=12,36/12=3,42/3=14"},
       "64/36=2,52/2=26,42-26=14",
       "64-52=12,36/12=3,42/3=14"},
      {{"9,73,99,75,81", "75-73=2,9*2=18,99-18=81"},
       "99+75=174,174/9=16,73+16=81",
       "75-73=2,9*2=18,99-18=81"},
      {{"2,52,20,73,57", "52-20=32,32/2=16,73-16=57"},
       "2*20=40,73-52=21,40+21=57",
       "52-20=32,32/2=16,73-16=57"},
      {{"9,80,4,5,89", "9+80=89,5-4=1,89*1=89"}, "9-5=4,4/4=1,80+1=81", "9+80=89,5-4=1,89*1=89"},
      {{"65,2,61,22,96", "65-61=4,2+22=24,4*24=96"},
       "65-61=4,22*4=88,2+88=90",
       "65-61=4,2+22=24,4*24=96"},
      {{"42,47,9,14,81", "47-42=5,14-5=9,9*9=81"},
       "47-42=5,14*5=70,9+70=89",
       "47-42=5,14*5=70,9+70=81"},
      {{"41,4,48,20,96", "41*4=164,48+20=68,164-68=96"},
       "48-41=7,20-7=13,4*13=92",
       "4*20=80,41-40=2,48*2=96"},
      {{"21,36,3,42,39", "42-36=6,3*6=18,21+18=39"},
       "36-21=15,15/3=5,42-5=37",
       "42-21=21,36/3=12,21-12=39"}};
  return kPuzzles;
}

// The equations of an answer: those from the first planning error on, and those that are false.
std::vector<Part> marked(const tasks::Task& task, const tasks::Example& puzzle,
                         const std::string& answer) {
  const std::string_view text = tasks::up_to_end(answer);
  int planning = 0;
  std::vector<int> false_ones;
  for (const tasks::Fault& fault : task.explain(puzzle, text)) {
    if (fault.category == tasks::countdown::kPlanningError ||
        fault.category == tasks::countdown::kNotAvailable)
      planning = planning == 0 ? fault.where : std::min(planning, fault.where);
    if (fault.category == tasks::countdown::kCalculationError) false_ones.push_back(fault.where);
  }
  std::vector<Part> parts;
  int equation = 0;
  for (const std::string_view each : split(text, ',')) {
    ++equation;
    if (!parts.empty()) parts.push_back({","});
    parts.push_back({std::string(each), planning != 0 && equation >= planning,
                     std::ranges::find(false_ones, equation) != false_ones.end()});
  }
  return parts;
}

struct Shown {
  std::string column, model;
};

const std::vector<Shown>& shown() {
  static const std::vector<Shown> kShown{{"AR 85M", "paper/countdown-4-base-ar"},
                                         {"AR 6M", "paper/countdown-4-tiny-ar"},
                                         {"MGDM 85M", "paper/countdown-4-base-mgdm"},
                                         {"MGDM 6M", "paper/countdown-4-tiny-mgdm"},
                                         {"shipped countdown-4", "countdown-4"}};
  return kShown;
}

std::vector<TableRow> predictions(const Context& context, const TimeLeft& time) {
  const auto task = tasks::make_task("countdown-4");
  std::vector<tasks::Example> puzzles;
  std::vector<TableRow> rows;
  for (const auto& [puzzle, ar, mgdm] : paper_puzzles()) {
    if (context.limit > 0 && std::ssize(puzzles) == context.limit) break;
    puzzles.push_back(puzzle);
    rows.push_back({puzzle.input, std::vector<Value>(3)});
    rows.back().values[0].parts = {{puzzle.output}};
    rows.back().values[1].parts = marked(*task, puzzle, ar);
    rows.back().values[2].parts = marked(*task, puzzle, mgdm);
  }
  for (const auto& [column, model] : shown()) {
    const auto trained = find_trained(context, model);
    if (!trained || time.seconds() == 0) {
      for (TableRow& row : rows) {
        row.values.emplace_back();
        row.values.back().note =
            trained ? "not answered: the budget was spent before" : why_untrained(context, model);
      }
      continue;
    }
    const auto loaded = inference::LoadedModel::load(
        trained->folder, {.device = context.device, .threads = context.threads});
    const auto result = evaluation::evaluate(loaded, puzzles, loaded.card().decoding,
                                             static_cast<std::int64_t>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Value value;
      value.parts = marked(*task, puzzles[i], result.answers[i].first.text);
      value.note = trained->note;
      value.commands = {fmt::format("mgdm solve --model {} {}",
                                    is_recipe(model) ? trained->folder : model, rows[i].label)};
      rows[i].values.push_back(value);
    }
  }
  return rows;
}

}  // namespace

Plan predictions_plan() {
  Table frame{"predictions", "Example predictions on countdown-4, with errors marked", "Table 9"};
  frame.corner = "numbers, target";
  frame.columns = {"label", "paper: AR", "paper: MGDM"};
  for (const Shown& each : shown()) frame.columns.push_back(each.column);
  frame.unit = "text";
  frame.notes = {
      "Underlined: from here on the target is out of reach, or a number is used that is not there. "
      "Bold: the equation is false. Both are judged by our rules, in the paper's answers, too. The "
      "puzzles are those of the paper's table; some of them may be in the training data of a "
      "model."};
  return {frame, {}, predictions};
}

}  // namespace mgdm::reproduction
