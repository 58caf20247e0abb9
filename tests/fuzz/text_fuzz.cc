// Reads the bytes as a file of the task `text`.
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "data/examples_file.h"
#include "fuzz.h"
#include "tasks/all_tasks.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  static const auto task = tasks::make_task("text");
  static const std::filesystem::path memory = "/dev/shm";  // where there is no disk to wait for
  static const std::string path =
      (exists(memory) ? memory : std::filesystem::temp_directory_path()) /
      ("mgdm_text_fuzz_" + std::to_string(::getpid()));
  write_file(path, text);
  for (const auto& [example, line] : data::read_examples(path, *task))
    fuzz::require(!example.input.empty() && line > 0);
}
