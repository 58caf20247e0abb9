// The bytes as a file of puzzles of any task, of text, and of answers.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "data/answers_file.h"
#include "data/examples_file.h"
#include "fuzz.h"
#include "tasks/all_tasks.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  using Lines = formats::Rules::Lines;
  static const auto task = tasks::make_task("countdown-4");
  static const std::filesystem::path memory = "/dev/shm";  // where there is no disk to wait for
  static const std::string path =
      (exists(memory) ? memory : std::filesystem::temp_directory_path()) /
      ("mgdm_records_fuzz_" + std::to_string(::getpid()));
  write_file(path, text);
  for (const Lines lines : {Lines::kAny, Lines::kOther, Lines::kText, Lines::kAnswers})
    formats::for_each_record(
        path, {lines},
        [&](const formats::Record& record) {
          fuzz::require(record.line > 0);
          formats::puzzle_of(record, {lines});
        },
        [](const Error&) {});
  data::read_answers(path, *task, [](const Error&) {});
}
