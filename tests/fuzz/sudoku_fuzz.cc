// A file of lines or CSV, then a puzzle and an answer from the same bytes.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "data/examples_file.h"
#include "fuzz.h"
#include "tasks/all_tasks.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  static const auto task = tasks::make_task("sudoku");
  static const std::filesystem::path memory = "/dev/shm";  // where there is no disk to wait for
  static const std::string path =
      (exists(memory) ? memory : std::filesystem::temp_directory_path()) /
      ("mgdm_fuzz_" + std::to_string(::getpid()));
  if (text.size() >= 162) {
    const tasks::Example example{task->normalize_input(text.substr(0, 81)), ""};
    const std::string_view answer = text.substr(81);
    fuzz::require(task->verify(example, answer).correct == task->explain(example, answer).empty());
  }
  write_file(path, text);
  for (const auto& [example, line] : data::read_examples(path, *task))
    fuzz::require(example.input.size() == 81 && line > 0);
}
