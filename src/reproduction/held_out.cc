#include "reproduction/held_out.h"

namespace mgdm::reproduction {

std::vector<HeldOut> held_out_of(const ShippedModel& model, std::int64_t count) {
  TestSet test{.task = model.task,
               .from = TestSet::From::kGenerated,
               .count = count,
               .options = model.options};
  if (model.task != "sudoku") return {{model.name, test}};
  test.options = {"difficulty=hard"};
  TestSet hard = test;
  hard.options.emplace_back("guesses=10..");
  return {{model.name + ", random minimal", test}, {model.name + ", 10 guesses or more", hard}};
}

}  // namespace mgdm::reproduction
