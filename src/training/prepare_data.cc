#include "training/prepare_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
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
        std::move(chunk.begin(), chunk.end(), std::back_inserter(examples));
      });
  return examples;
}

int longest_row(const std::vector<Example>& examples, const std::string& layout) {
  std::size_t longest = 0;
  for (const Example& example : examples)
    longest =
        std::max(longest, layout == "in_place" ? example.output.size()
                                               : example.input.size() + example.output.size() + 2);
  return static_cast<int>(longest);
}

}  // namespace

PreparedData prepare_data(const std::string& task_name, const DataSettings& settings,
                          std::uint64_t seed) {
  const std::shared_ptr<const tasks::Task> task =
      tasks::make_task(task_name, tasks::task_options(settings.nodes, settings.difficulty));
  std::vector<Example> examples =
      settings.files.empty() ? generate(*task, settings, seed) : read_files(*task, settings);
  if (settings.reverse)
    for (Example& example : examples) example.output = task->reversed_output(example.output);

  const data::Vocabulary vocabulary(
      settings.alphabet.empty() ? data::kPaperAlphabet : std::string_view(settings.alphabet));
  const int length = settings.length > 0 ? static_cast<int>(settings.length)
                                         : longest_row(examples, settings.layout);
  const std::shared_ptr<const data::Layout> layout =
      data::make_layout(settings.layout, length, vocabulary);
  const std::size_t kept = examples.size() - static_cast<std::size_t>(settings.held_out);
  const std::span<const Example> all(examples);
  const int threads = static_cast<int>(settings.threads);
  PreparedData prepared{task,
                        data::encode(all.first(kept), vocabulary, layout, threads),
                        data::encode(all.subspan(kept), vocabulary, layout, threads),
                        {}};
  if (settings.augment) prepared.augment = data::symmetries(task, seed, settings.reverse);
  return prepared;
}

}  // namespace mgdm::training
