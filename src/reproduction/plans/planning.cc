// The planning task: who can look ahead (figure 2, section 3.1, table 7).
#include <fmt/format.h>

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

Plan planning_data_plan() {
  Plan plan{frame("planning-data", "Planning: accuracy by distance and number of examples",
                  "Figure 2, right: a distance counts as solved from 90 % on", Chart::kLines)};
  for (const auto& [label, method] :
       {std::pair("AR", "ar"), std::pair("AR, backwards", "reverse"),
        std::pair("teacherless", "teacherless"), std::pair("MGDM", "mgdm")})
    for (const auto& [size, ending] : {std::pair("10k", "-10k"), std::pair("50k", ""),
                                       std::pair("100k", "-100k"), std::pair("1M", "-1m")})
      plan.rows.push_back(by_distance(fmt::format("{}, {}", label, size),
                                      fmt::format("paper/planning-tiny-{}{}", method, ending)));
  plan.frame.notes.push_back(
      "The paper's figure shows the least data with which a distance is solved: read a column from "
      "the top.");
  return plan;
}

Plan reweighting_plan() {
  return {frame("ar-reweighting", "AR with token reweighting", "Table 7", Chart::kBarsByColumn),
          {by_distance("AR", "paper/planning-tiny-ar", kAr),
           by_distance("AR with token reweighting", "paper/planning-tiny-ar-reweighted",
                       {100, 100, 52.1, 51.5, 50.3, 51.9})}};
}

}  // namespace mgdm::reproduction
