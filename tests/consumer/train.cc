// Trains a small model by a recipe and lets it answer: train RECIPE OUT
#include <mgdm/training.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    mgdm::TrainOptions options;
    std::int64_t steps = 0;
    options.on_progress = [&](const mgdm::TrainProgress& progress) {
      steps = progress.step;
      return true;  // false: enough
    };
    const std::string folder = mgdm::train(argv[1], argv[2], options);
    if (steps == 0) return 1;
    mgdm::use_libtorch();
    mgdm::Model model(folder);
    const std::string task = model.info().task;
    mgdm::GenerateOptions small;
    small.task_options = "nodes=3";
    const mgdm::Answer answer = model.solve(mgdm::generate(task, 1, small).front().input);
    std::cout << folder << " answered " << answer.text << "\n";
    return answer.passes > 0 ? 0 : 1;
  } catch (const mgdm::Failure& failure) {
    std::cerr << failure.what() << "\n";
    return 1;
  }
}
