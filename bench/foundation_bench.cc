// How fast puzzles are made, verified and encoded, with all cores, beside what we promise.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "data/batches.h"
#include "data/encoded_dataset.h"
#include "data/examples_file.h"
#include "formats/jsonl.h"
#include "formats/markdown_table.h"
#include "measure.h"
#include "tasks/all_tasks.h"

namespace mgdm::bench {
namespace {

using tasks::Example;

formats::MarkdownTable& table() {
  using formats::Align;
  static formats::MarkdownTable rows(
      {{"what"}, {"promised / s", Align::kRight}, {"measured / s", Align::kRight}, {""}});
  return rows;
}

void row(const std::string& what, double promised, double measured) {
  table().add_row({what, promised > 0 ? format_count(promised) : "", format_count(measured),
                   promised > 0 ? (measured >= promised ? "ok" : "MISSED") : ""});
}

// Does chunks of the items on all cores.
template <class Item>
double parallel_rate(Item&& item) {
  return rate([&](std::size_t first, std::size_t count) {
    for_chunks<int>(
        count, 64, 0,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) item(first + i);
          return 0;
        },
        [](int) {});
  });
}

void generating(const std::string& label, const std::string& name, const tasks::Options& options,
                double promised) {
  const auto task = tasks::make_task(name, options);
  row("generate " + label, promised, parallel_rate([&](std::size_t i) {
        task->generate(0, tasks::Split::kTrain, static_cast<std::uint32_t>(i));
      }));
}

void verifying(const std::string& name) {
  const auto task = tasks::make_task(name);
  std::vector<Example> examples;
  for (std::uint32_t i = 0; i < 4096; ++i)
    examples.push_back(task->generate(1, tasks::Split::kTrain, i));
  std::atomic<std::size_t> right = 0, all = 0;
  const double measured = parallel_rate([&](std::size_t i) {
    // Every other answer is that of another puzzle: mostly wrong, but well formed.
    const Example& example = examples[i % examples.size()];
    const Example& other = examples[(i + i % 2) % examples.size()];
    right += task->verify(example, other.output).correct ? 1 : 0;
    ++all;
  });
  MGDM_CHECK(2 * right >= all && right < all);  // it did verify
  row("verify " + name, 500e3, measured);
}

// Bytes of JSONL that one core reads, finds the puzzles in and checks.
void reading(const std::string& name) {
  const auto task = tasks::make_task(name);
  std::string lines;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const Example example = task->generate(1, tasks::Split::kTrain, i);
    lines += formats::jsonl_line({{"input", example.input}, {"output", example.output}});
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("mgdm_bench_{}", ::getpid())).string();
  write_file(path, lines);
  const double files = rate([&](std::size_t, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t found = 0;
      data::for_each_example(path, *task, [&](data::LocatedExample&&) { ++found; });
      MGDM_CHECK(found > 0);
    }
  });
  std::filesystem::remove(path);
  row(fmt::format("read {}, bytes", name), 300e6, files * static_cast<double>(lines.size()));
}

void encoding(const std::string& name, int length) {
  const auto task = tasks::make_task(name);
  std::vector<Example> examples;
  for (std::uint32_t i = 0; i < 100000; ++i)
    examples.push_back(task->generate(1, tasks::Split::kTrain, i));
  const auto layout = std::shared_ptr<const data::Layout>(data::make_seq2seq(length));
  const double measured = rate([&](std::size_t, std::size_t count) {
    for (std::size_t done = 0; done < count; done += examples.size())
      data::encode(std::span(examples).first(std::min(examples.size(), count - done)),
                   data::Vocabulary(), layout);
  });
  row("encode " + name, 1e6, measured);
  const data::Mixture mixture =
      data::Mixture::of(data::encode(examples, data::Vocabulary(), layout));
  row(fmt::format("batch {}, 1024 rows of {}", name, length), 0,
      rate([&](std::size_t first, std::size_t count) {
        data::Batches batches(mixture, 1024, 0, first / 1024);
        for (std::size_t done = 0; done < count; done += 1024) batches.next();
      }));
}

void run() {
  generating("planning", "planning", {}, 500e3);
  generating("countdown-4", "countdown-4", {}, 250e3);
  generating("countdown-5", "countdown-5", {}, 60e3);
  generating("countdown-6", "countdown-6", {}, 0);
  generating("sudoku, easy", "sudoku", {}, 5e3);
  generating("sudoku, minimal", "sudoku", {"difficulty=hard"}, 2e3);
  for (const char* name : {"sat-5", "sat-7"}) generating(name, name, {}, 0);
  generating("sat-9", "sat-9", {}, 50e3);
  for (const char* name :
       {"planning", "countdown-4", "countdown-5", "sudoku", "sat-5", "sat-7", "sat-9"})
    verifying(name);
  for (const char* name : {"planning", "countdown-4", "sudoku"}) reading(name);
  encoding("countdown-4", 64);
  encoding("planning", 75);
  fmt::print("{}\n\n{}", machine(), table().text());
}

}  // namespace
}  // namespace mgdm::bench

int main() { mgdm::bench::run(); }
