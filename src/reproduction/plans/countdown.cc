// Countdown: the main table, scaling, the ablation, speed, errors by equation.
#include <fmt/format.h>

#include "evaluation/published_game24.h"
#include "reproduction/plan.h"
#include "tasks/all_tasks.h"

namespace mgdm::reproduction {
namespace {

using Paper = std::optional<double>;

std::string task_of(int numbers) { return fmt::format("countdown-{}", numbers); }

Cell cell(Paper paper, const std::string& recipe, int numbers = 4) {
  return {.paper = paper,
          .model = recipe.empty() ? "" : "paper/" + recipe,
          .test = {.task = task_of(numbers)}};
}

// A method with 3, 4 and 5 numbers, as many of them as the paper has, or all where it has none;
// `recipe` is what stands behind "countdown-3-".
PlanRow by_numbers(const std::string& label, const std::string& recipe,
                   const std::vector<Paper>& paper) {
  PlanRow row{label, {}};
  for (int numbers = 3; numbers <= 5; ++numbers) {
    const Paper printed = paper.empty() ? Paper() : paper[static_cast<std::size_t>(numbers - 3)];
    const bool trained = !recipe.empty() && (printed || paper.empty());
    row.cells.push_back(
        cell(printed, trained ? task_of(numbers) + "-" + recipe : std::string(), numbers));
  }
  return row;
}

// The diffusion models that the paper compares with, and its numbers for 3, 4 and 5.
struct Baseline {
  const char *label, *recipe;
  double three, four, five;
};

constexpr Baseline kVdm{"VDM", "vdm", 99.1, 73.4, 16.3}, kD3pm{"D3PM", "d3pm", 99.4, 83.1, 27.6},
    kRdm{"RDM", "rdm", 99.5, 87.0, 45.8};

PlanRow of_baseline(const Baseline& baseline) {
  return by_numbers(fmt::format("{} 85M", baseline.label), fmt::format("base-{}", baseline.recipe),
                    {baseline.three, baseline.four, baseline.five});
}

Table frame(const std::string& name, const std::string& title, const std::string& where,
            const std::string& corner, const std::vector<std::string>& columns, Chart chart) {
  Table table{name, title, where};
  table.corner = corner;
  table.columns = columns;
  table.chart = chart;
  return table;
}

}  // namespace

Plan countdown_plan() {
  const Cell search{.paper = 54.2, .model = "paper/search-4-neo-ar", .test = {.task = "search-4"}};
  return {frame("countdown", "Countdown with 3, 4 and 5 numbers", "Table 1", "method",
                {"CD 3", "CD 4", "CD 5"}, Chart::kBarsByRow),
          {by_numbers("AR 6M", "tiny-ar", {94.1, 31.9, 4.3}),
           by_numbers("AR 85M", "base-ar", {95.9, 45.8, 5.1}),
           by_numbers("AR 303M", "medium-ar", {96.4, 41.3, 4.5}),
           {"Stream of Search 250M", {{}, search, {}}},
           by_numbers("LLaMA 7B", "llama-7b-lora", {95.7, 41.1, 6.7}),
           by_numbers("LLaMA 13B", "llama-13b-lora", {96.5, 51.1, 7.4}),
           by_numbers("VDM 6M", "tiny-vdm", {}),
           of_baseline(kVdm),
           of_baseline(kD3pm),
           of_baseline(kRdm),
           by_numbers("MGDM 6M", "tiny-mgdm", {98.1, 52.0, 27.0}),
           by_numbers("MGDM 85M", "base-mgdm", {99.5, 91.5, 46.6}),
           by_numbers("MGDM 303M", "medium-mgdm", {99.9, 88.3, 39.0})}};
}

Plan scaling_plan() {
  return {
      frame("scaling", "Countdown-4: scaling of model and data", "Table 8", "model and data",
            {"AR", "MGDM"}, Chart::kBarsByRow),
      {{"85M, 500k", {cell(45.8, "countdown-4-base-ar"), cell(91.5, "countdown-4-base-mgdm")}},
       {"303M, 500k", {cell(41.3, "countdown-4-medium-ar"), cell(88.3, "countdown-4-medium-mgdm")}},
       {"303M, 1M",
        {cell(53.3, "countdown-4-medium-ar-1m"), cell(95.6, "countdown-4-medium-mgdm-1m")}}}};
}

Plan ablation_plan() {
  Plan plan{frame("ablation", "Countdown-4: what is weighted, and how it is decoded", "Table 3",
                  "weights", {"random", "TopK"}, Chart::kBarsByRow)};
  const auto row = [&](const std::string& label, const std::string& recipe, double random,
                       double topk) {
    PlanRow both{label, {cell(random, recipe), cell(topk, recipe)}};
    both.cells[0].decoding = {"order=random"};
    plan.rows.push_back(both);
  };
  row("none", "countdown-4-base-none", 82.1, 87.3);
  row("original", "countdown-4-base-original", 83.1, 88.5);
  row("original + (0.25, 1)", "countdown-4-base-original-alpha0.25-beta1", 84.9, 90.4);
  row("original + (1, 1)", "countdown-4-base-original-alpha1-beta1", 82.4, 89.3);
  row("original + (0.25, 2)", "countdown-4-base-original-alpha0.25-beta2", 82.4, 87.9);
  row("linear", "countdown-4-base-linear", 79.6, 87.0);
  row("linear + (0.25, 1)", "countdown-4-base-linear-alpha0.25-beta1", 83.2, 88.0);
  row("linear + (1, 1)", "countdown-4-base-linear-alpha1-beta1", 86.7, 90.4);
  row("linear + (0.25, 2)", "countdown-4-base-mgdm", 85.6, 91.5);
  return plan;
}

Plan speed_plan() {
  Plan plan{frame("speed", "Countdown: accuracy and speed by number of passes", "Figure 6a",
                  "passes", {"CD 4", "CD 5", "CD 4, puzzles/s", "CD 5, puzzles/s"},
                  Chart::kBarsByRow)};
  plan.frame.unit = "accuracy, %; puzzles per second";
  plan.frame.charted = 2;
  const auto row = [&](const std::string& label, const std::string& model,
                       const std::vector<std::string>& decoding, Paper four = {}, Paper five = {}) {
    PlanRow both{label, {}};
    for (const int numbers : {4, 5}) {
      both.cells.push_back(cell(numbers == 4 ? four : five,
                                fmt::format("countdown-{}-base-{}", numbers, model), numbers));
      both.cells.back().decoding = decoding;
    }
    for (const std::size_t measured : {0, 1}) {
      Cell speed = both.cells[measured];
      speed.paper.reset();
      speed.quantity = Quantity::kPerSecond;
      both.cells.push_back(speed);
    }
    plan.rows.push_back(both);
  };
  const auto in_passes = [&](const std::string& label, const std::string& model, int steps,
                             Paper four = {}, Paper five = {}) {
    row(fmt::format("{} 85M, {}", label, steps), model, {fmt::format("steps={}", steps)}, four,
        five);
  };
  row("AR 85M", "ar", {}, 45.8, 5.1);
  for (const int steps : {1, 2, 5, 10, 20, 50, 100}) {
    if (steps == 1)
      in_passes("MGDM", "mgdm", steps, 75.0, 12.7);
    else if (steps == 20)
      in_passes("MGDM", "mgdm", steps, 91.5, 46.6);
    else
      in_passes("MGDM", "mgdm", steps);
  }
  for (const Baseline& each : {kD3pm, kRdm, kVdm}) {
    in_passes(each.label, each.recipe, 5);
    in_passes(each.label, each.recipe, 20, each.four, each.five);
    in_passes(each.label, each.recipe, 100);
    in_passes(each.label, each.recipe, 1024);
  }
  plan.frame.notes.push_back(
      "Puzzles per second in batches, on the device that measured; the paper's speeds are for one "
      "puzzle at a time on a V100, in a figure without numbers. Its numbers at 20 passes are those "
      "of table 1.");
  return plan;
}

Plan errors_plan() {
  Plan plan{frame("errors", "Countdown-4: errors by equation", "Figure 6b", "model, error",
                  {"equation 1", "equation 2", "equation 3"}, Chart::kBarsByColumn)};
  plan.frame.unit = "% of the answers";
  for (const auto& [label, model] : {std::pair("AR 85M", "paper/countdown-4-base-ar"),
                                     std::pair("MGDM 85M", "paper/countdown-4-base-mgdm"),
                                     std::pair("shipped countdown-4", "countdown-4")})
    for (const std::string& error :
         tasks::family_of("countdown-4").faults("countdown-4").by_place) {
      PlanRow row{fmt::format("{}, {}s", label, error), {}};
      for (int equation = 1; equation <= 3; ++equation) {
        Cell one{.model = model, .test = {.task = "countdown-4"}, .quantity = Quantity::kErrors};
        one.place = equation;
        one.error = error;
        row.cells.push_back(one);
      }
      plan.rows.push_back(row);
    }
  // The only numbers that the paper prints.
  for (std::size_t i = 0; i < 3; ++i)
    plan.rows[1].cells[i].paper = std::vector<double>{0.2, 7.2, 48.9}[i];
  plan.frame.notes.push_back(
      "A planning error is counted in the equation after which the target is out of reach; a "
      "calculation error in every equation that is false. What is no equation shows neither: how "
      "many answers are right stands in `countdown`.");
  return plan;
}

Plan game24_plan() {
  Plan plan{frame(
      "game24", "Game of 24, with what it takes", "Tables 2 and 6", "method",
      {"accuracy", "prompt tokens", "generated tokens", "times as many as MGDM's, as printed"},
      Chart::kBarsByRow)};
  plan.frame.unit = "accuracy, %; tokens per puzzle";
  plan.frame.charted = 1;
  for (const evaluation::PublishedGame24& row : evaluation::kPublishedGame24) {
    const auto one = [&](double paper, Quantity quantity) {
      Cell made{.paper = paper};
      made.quantity = quantity;
      made.prompted = row.method;
      return made;
    };
    plan.rows.push_back({fmt::format("prompting, {} (paper: GPT-4)", row.name),
                         {one(row.accuracy, Quantity::kAccuracy),
                          one(row.prompt_tokens, Quantity::kPromptTokens),
                          one(row.generated_tokens, Quantity::kGeneratedTokens),
                          {.paper = row.times}}});
  }
  const auto trained = [&](const std::string& label, const std::string& model, Paper paper) {
    Cell made{.paper = paper, .model = model};
    made.test = {.task = "countdown-4",
                 .from = TestSet::From::kFile,
                 .file = "cd4_tot24.jsonl",
                 .ending = ",24",
                 .count = 100};
    PlanRow row{label, {made, made, made, {}}};
    row.cells[1].quantity = Quantity::kPromptTokens;
    row.cells[2].quantity = Quantity::kGeneratedTokens;
    const bool in_paper = paper.has_value();
    row.cells[1].paper = in_paper ? Paper(11) : Paper();
    row.cells[2].paper = in_paper ? Paper(26) : Paper();
    row.cells[3].paper = in_paper ? Paper(1) : Paper();
    plan.rows.push_back(row);
  };
  trained("AR 85M", "paper/countdown-4-base-ar", 18.8);
  trained("MGDM 85M", "paper/countdown-4-base-mgdm", 76.0);
  trained("shipped countdown-4, 5M", "countdown-4", {});
  return plan;
}

}  // namespace mgdm::reproduction
