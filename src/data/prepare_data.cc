#include "training/prepare_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/augmentation.h"
#include "data/examples_file.h"

namespace mgdm::training {
namespace {

using tasks::Example;

std::vector<Example> read_files(const tasks::Task& task, const DataSettings& settings) {
  std::vector<Example> examples;
  for (const std::string& file : settings.files)
    for (data::LocatedExample& located : data::read_examples(file, task)) {
      if (located.example.output.empty())
        throw Error(at(file, located.line) + "the puzzle has no answer to learn",
                    "an \"output\" in every line of training data");
      examples.push_back(std::move(located.example));
    }
  if (settings.count > 0 && static_cast<std::size_t>(settings.count) < examples.size())
    examples.resize(static_cast<std::size_t>(settings.count));
  if (examples.size() <= static_cast<std::size_t>(settings.held_out))
    throw Error(
        fmt::format("{} examples, of which {} are held out", examples.size(), settings.held_out),
        "more examples than held_out", "data.held_out=0");
  return examples;
}

std::vector<Example> generate(const tasks::Task& task, const DataSettings& settings,
                              std::uint64_t seed) {
  if (settings.count == 0)
    throw UsageError("data.count = 0 without files", "how many examples to generate");
  const auto count = static_cast<std::size_t>(settings.count + settings.held_out);
  std::vector<Example> examples;
  examples.reserve(count);
  for_chunks<std::vector<Example>>(
      count, 1024, static_cast<int>(settings.threads),
      [&](std::size_t begin, std::size_t end) {
        std::vector<Example> chunk;
        for (std::size_t i = begin; i < end; ++i)
          chunk.push_back(task.generate(seed, tasks::Split::kTrain, static_cast<std::uint32_t>(i)));
        return chunk;
      },
      [&](std::vector<Example>&& chunk) {
        stop_if_interrupted();
        std::move(chunk.begin(), chunk.end(), std::back_inserter(examples));
      });
  return examples;
}

// Tokens per row that hold every example, and every twin of it where there are such.
int longest_row(const tasks::Task& task, const std::vector<Example>& examples,
                const DataSettings& settings) {
  std::size_t longest = 0;
  for (const Example& example : examples) {
    const std::size_t both = settings.augment ? task.longest_twin(example)
                                              : example.input.size() + example.output.size();
    longest = std::max(longest, settings.layout == "in_place" ? example.output.size() : both + 2);
  }
  return static_cast<int>(longest);
}

int row_length(const tasks::Task& task, const std::vector<Example>& examples,
               const DataSettings& settings) {
  if (settings.length == 0) return longest_row(task, examples, settings);
  const auto length = static_cast<int>(settings.length);
  // Without twins, encoding finds what is too long, and names it.
  if (settings.augment)
    if (const int needed = longest_row(task, examples, settings); needed > length)
      throw UsageError(
          fmt::format("data.length = {}, but twins of the puzzles have up to {} tokens", length,
                      needed),
          fmt::format("at least {}, or 0", needed), "data.augment=false");
  return length;
}

}  // namespace

PreparedData prepare_data(const std::string& task_name, const DataSettings& settings,
                          std::uint64_t seed) {
  const std::shared_ptr<const tasks::Task> task =
      tasks::make_task(task_name, tasks::task_options(settings.nodes, settings.difficulty));
  std::vector<Example> examples =
      settings.files.empty() ? generate(*task, settings, seed) : read_files(*task, settings);
  data::Augment augment;  // refuses a task without symmetries
  if (settings.augment) augment = data::symmetries(task, seed, settings.reverse);
  const int length = row_length(*task, examples, settings);
  if (settings.reverse)
    for (Example& example : examples) example.output = task->reversed_output(example.output);

  const data::Vocabulary vocabulary(
      settings.alphabet.empty() ? data::kPaperAlphabet : std::string_view(settings.alphabet));
  const std::shared_ptr<const data::Layout> layout =
      data::make_layout(settings.layout, length, vocabulary);
  const std::size_t kept = examples.size() - static_cast<std::size_t>(settings.held_out);
  const std::span<const Example> all(examples);
  const int threads = static_cast<int>(settings.threads);
  return {task, data::encode(all.first(kept), vocabulary, layout, threads),
          data::encode(all.subspan(kept), vocabulary, layout, threads), std::move(augment)};
}

}  // namespace mgdm::training
