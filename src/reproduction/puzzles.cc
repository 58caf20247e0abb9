#include "reproduction/puzzles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "data/examples_file.h"
#include "tasks/all_tasks.h"
#include "tasks/released.h"

namespace mgdm::reproduction {
namespace {

std::unique_ptr<tasks::Task> task_of(const TestSet& test) {
  return tasks::make_task(test.task, tasks::Options(test.options));
}

// In the folder --files, or one folder below it; empty where it is not.
std::string place_of_file(const TestSet& test, const Context& context) {
  std::vector<std::filesystem::path> folders;
  if (!context.files.empty()) {
    folders = files_in(context.files);
    folders.insert(folders.begin(), context.files);
  }
  for (const std::filesystem::path& folder : folders)
    if (is_there(folder / test.file)) return (folder / test.file).string();
  return "";
}

std::string file_of(const TestSet& test, const Context& context) {
  if (const std::string why = missing_file(test, context); !why.empty())
    throw Error(why, "--files FOLDER that has it");
  return place_of_file(test, context);
}

// Another file may have got its name.
std::vector<tasks::Example> read_file_of(const TestSet& test, const tasks::Task& task,
                                         const Context& context) {
  const std::string file = file_of(test, context);
  std::vector<tasks::Example> puzzles;
  for (auto& located : data::read_examples(file, task)) {
    if (!located.example.input.ends_with(test.ending))
      throw Error(fmt::format("{}{} is none of the puzzles that {} should have",
                              at(file, located.line), in_quotes(located.example.input), test.file),
                  fmt::format("one that ends in {}", test.ending));
    puzzles.push_back(std::move(located.example));
  }
  return puzzles;
}

bool is_released(const TestSet& test) {
  return test.from == TestSet::From::kReleased && task_of(test)->abilities().released;
}

}  // namespace

std::string missing_file(const TestSet& test, const Context& context) {
  if (test.from != TestSet::From::kFile || !place_of_file(test, context).empty()) return "";
  return fmt::format("the file {} is not at hand", test.file);
}

std::vector<double> ratings_of(const TestSet& test, const Context& context) {
  const auto task = task_of(test);
  const std::string file = file_of(test, context), text = read_file(file);
  const std::vector<std::string_view> lines = split(text, '\n');
  constexpr std::size_t kLongest = 12;  // of a rating: longer is the puzzle itself
  std::vector<double> ratings;
  for (const auto& located : data::read_examples(file, *task)) {
    const std::string_view line = trim(lines.at(located.line - 1));
    const std::size_t space = line.find_last_of(" \t");
    double rating = 0;
    const auto read = std::from_chars(line.data() + std::min(space, line.size() - 1) + 1,
                                      line.data() + line.size(), rating);
    if (space == std::string_view::npos || read.ec != std::errc() ||
        read.ptr != line.data() + line.size() || line.size() - space > kLongest)
      throw Error(at(file, located.line) + "no rating", "a number at the end of the line");
    ratings.push_back(rating);
  }
  return ratings;
}

std::string rating_name(double rating) {
  return rating < 4 ? "below 4" : rating < 6 ? "4 to 5.9" : rating < 8 ? "6 to 7.9" : "8 and more";
}

std::vector<tasks::Example> puzzles_of(const TestSet& test, const Context& context) {
  const auto task = task_of(test);
  const std::int64_t wanted = context.limit > 0 ? std::min(context.limit, test.count) : test.count;
  const auto count = static_cast<std::size_t>(wanted);
  std::vector<tasks::Example> puzzles;
  if (test.from == TestSet::From::kFile) {
    puzzles = read_file_of(test, *task, context);
    puzzles.resize(std::min(count, puzzles.size()));
  } else if (is_released(test)) {
    puzzles = tasks::released_test(*task, static_cast<std::size_t>(test.count));
    puzzles.resize(count);
  } else {
    for (std::uint32_t i = 0; i < count; ++i)
      puzzles.push_back(
          task->generate(static_cast<std::uint64_t>(test.seed), tasks::Split::kTest, i));
  }
  return puzzles;
}

std::string about(const TestSet& test) {
  if (test.from == TestSet::From::kFile) return test.file;
  if (is_released(test)) return fmt::format("{} of {} as released", test.count, test.task);
  std::string kind = test.task;
  for (const std::string& option : test.options) kind += ", " + option;
  return fmt::format("{} of {}, generated from seed {}", test.count, kind, test.seed);
}

PuzzleFile puzzle_file(const TestSet& test) {
  if (test.from == TestSet::From::kFile) return {"", test.file};
  std::string words = fmt::format("mgdm generate {} --split test", test.task), name = test.task;
  if (is_released(test)) {
    words += " --as-released";
    name += "-released";
  } else {
    words += fmt::format(" --seed {}", test.seed);
    for (const std::string& option : test.options) {
      const std::size_t sign = option.find('=');
      const std::string key = option.substr(0, sign);
      std::string value = option.substr(sign + 1);
      words += fmt::format(" --{} {}", key, value);
      std::erase(value, '.');
      name += fmt::format("-{}-{}", key, value);
    }
  }
  name += ".jsonl";
  return {fmt::format("{} --count {} --out {}", words, test.count, name), name};
}

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
