// The planning task: who can look ahead (figure 2, section 3.1, table 7).
#include <fmt/format.h>

#include <iterator>

#include "reproduction/plan.h"

namespace mgdm::reproduction {
namespace {

const std::vector<std::string> kDistances{"0", "1", "2", "3", "4", "5"};

// A model at every planning distance, with the paper's numbers where it prints them.
PlanRow by_distance(const std::string& label, const std::string& model,
                    const std::vector<double>& paper = {}) {
  PlanRow row{label, {}};
  for (int distance = 0; distance < 6; ++distance) {
    Cell cell;
    if (!paper.empty()) cell.paper = paper[static_cast<std::size_t>(distance)];
    cell.model = model;
    cell.test = {.task = "planning"};
    cell.quantity = Quantity::kAtDistance;
    cell.place = distance;
    row.cells.push_back(cell);
  }
  return row;
}

const std::vector<double> kAr{100, 100, 51.1, 46.9, 52.0, 49.9};
const std::vector<double> kSolved(6, 100);

Table frame(const std::string& name, const std::string& title, const std::string& where,
            Chart chart) {
  Table table{name, title, where};
  table.corner = "planning distance";
  table.columns = kDistances;
  table.chart = chart;
  return table;
}

struct Method {
  const char *label, *recipe;
};

constexpr Method kMethods[] = {
    {"AR", "ar"}, {"AR, backwards", "reverse"}, {"teacherless", "teacherless"}, {"MGDM", "mgdm"}};

struct DataSize {
  const char *label, *ending;
  double thousands;
};

constexpr DataSize kDataSizes[] = {
    {"10k", "-10k", 10}, {"50k", "", 50}, {"100k", "-100k", 100}, {"1M", "-1m", 1000}};

constexpr double kSolvedFrom = 90;  // %

// The smallest data size that solves one distance, or nothing where a smaller size is not trained
// to its end.
Value least_of(const std::vector<const Value*>& by_size) {
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    Value least = *by_size[i];
    const bool solved = least.ours && *least.ours >= kSolvedFrom;
    if (!solved && least.note.empty()) continue;
    least.ours = solved ? std::optional(kDataSizes[i].thousands) : std::nullopt;
    least.strict.reset();
    least.error.reset();
    if (!solved) least.note = fmt::format("with {}: {}", kDataSizes[i].label, least.note);
    return least;
  }
  Value none;
  none.note = fmt::format("not with {}", kDataSizes[by_size.size() - 1].label);
  return none;
}

// A row for each method, of its rows with more and more data.
std::vector<TableRow> least_data(const std::vector<TableRow>& rows) {
  std::vector<TableRow> least;
  for (std::size_t method = 0; method < std::size(kMethods); ++method) {
    TableRow row{kMethods[method].label, {}};
    for (std::size_t distance = 0; distance < kDistances.size(); ++distance) {
      std::vector<const Value*> by_size;
      for (std::size_t size = 0; size < std::size(kDataSizes); ++size)
        by_size.push_back(&rows.at(method * std::size(kDataSizes) + size).values.at(distance));
      row.values.push_back(least_of(by_size));
    }
    least.push_back(row);
  }
  return least;
}

}  // namespace

Plan planning_plan() {
  return {frame("planning", "Planning: accuracy by distance, 50,000 examples",
                "Figure 2, left; AR's numbers are those of table 7", Chart::kLines),
          {by_distance("AR", "paper/planning-tiny-ar", kAr),
           by_distance("AR, backwards", "paper/planning-tiny-reverse"),
           by_distance("teacherless", "paper/planning-tiny-teacherless"),
           by_distance("MGDM", "paper/planning-tiny-mgdm-1200", kSolved)}};
}

Plan planning_sizes_plan() {
  return {
      frame("planning-sizes", "Planning: accuracy by distance and size of the AR model",
            "Section 3.1; of LLaMA and MGDM it says that all distances are solved", Chart::kLines),
      {by_distance("AR 6M", "paper/planning-tiny-ar", kAr),
       by_distance("AR 85M", "paper/planning-base-ar"),
       by_distance("AR 303M", "paper/planning-medium-ar"),
       by_distance("AR 1.5B", "paper/planning-xl-ar"),
       by_distance("LLaMA 7B", "paper/planning-llama-7b-lora", kSolved),
       by_distance("MGDM 6M", "paper/planning-tiny-mgdm-1200", kSolved)}};
}

Plan planning_data_accuracy_plan() {
  Plan plan{frame("planning-data-accuracy", "Planning: accuracy by distance and number of examples",
                  "Behind figure 2, right", Chart::kLines)};
  for (const Method& method : kMethods)
    for (const DataSize& size : kDataSizes)
      plan.rows.push_back(
          by_distance(fmt::format("{}, {}", method.label, size.label),
                      fmt::format("paper/planning-tiny-{}{}", method.recipe, size.ending)));
  return plan;
}

Plan planning_data_plan() {
  Plan plan = planning_data_accuracy_plan();
  plan.frame = frame("planning-data", "Planning: the least examples that solve a distance",
                     "Figure 2, right", Chart::kLines);
  plan.frame.unit = "examples, thousands";
  plan.frame.notes.push_back(fmt::format(
      "The fewest of 10, 50, 100 and 1000 thousand examples with an accuracy of {:g} % at least. "
      "The "
      "paper's figure has no numbers. `planning-data-accuracy` has all accuracies behind it.",
      kSolvedFrom));
  plan.condense = least_data;
  return plan;
}

Plan reweighting_plan() {
  return {frame("ar-reweighting", "AR with token reweighting", "Table 7", Chart::kBarsByColumn),
          {by_distance("AR", "paper/planning-tiny-ar", kAr),
           by_distance("AR with token reweighting", "paper/planning-tiny-ar-reweighted",
                       {100, 100, 52.1, 51.5, 50.3, 51.9})}};
}

}  // namespace mgdm::reproduction
