#include "data/prepare_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "data/examples_file.h"
#include "data/mixture.h"
#include "data/word_lists.h"
#include "tasks/all_tasks.h"
#include "tasks/released.h"

namespace mgdm::data {
namespace {

using tasks::Example;

// Where the items of a source begin, and how many numbers it has: as Mixture::key deals them out.
struct Items {
  std::uint64_t first = 0, range = 0;

  std::uint32_t at(std::uint64_t item) const {
    return static_cast<std::uint32_t>(first + item % range);
  }
};

// One source, read or generated.
struct Loaded {
  SourceSettings settings;
  std::shared_ptr<const tasks::Task> task;
  Items items;
  std::vector<Example> train;  // empty where examples are made on the fly
  std::vector<Example> held_out;
  std::optional<EncodedDataset> packed = {};  // in place of `train`: long texts are never all there
};

void judge(const tasks::Task& task, const std::string& file, const LocatedExample& located,
           WrongLabels& labels) {
  ++labels.looked_at;
  const Example& example = located.example;
  if (task.verify(example, example.output).correct || labels.count++ > 0) return;
  const std::vector<tasks::Fault> faults = task.explain(example, example.output);
  labels.first = at(file, located.line) + (faults.empty() ? "no answer" : faults.front().words);
}

// Where examples become tokens as they come: known before the first of them.
struct Packing {
  Vocabulary vocabulary;
  std::shared_ptr<const Layout> layout;
};

// make(first) and the `count` - 1 after it.
std::vector<Example> make_all(const std::function<Example(std::uint64_t)>& make,
                              std::uint64_t first, std::size_t count, int threads) {
  std::vector<Example> examples;
  examples.reserve(count);
  for_chunks<std::vector<Example>>(
      count, 1024, threads,
      [&](std::size_t begin, std::size_t end) {
        std::vector<Example> chunk;
        for (std::size_t i = begin; i < end; ++i) chunk.push_back(make(first + i));
        return chunk;
      },
      [&](std::vector<Example>&& chunk) {
        std::move(chunk.begin(), chunk.end(), std::back_inserter(examples));
      });
  return examples;
}

void read_files(Loaded& source, std::size_t held_out, WrongLabels& labels) {
  std::vector<Example>& train = source.train;
  for (const std::string& file : source.settings.files) {
    const bool judged = !source.task->abilities().failures;
    for (LocatedExample& located :
         read_examples(file, *source.task, formats::keys_of(source.settings.keys))) {
      if (located.example.output.empty())
        throw Error(at(file, located.line) + "the puzzle has no answer to learn",
                    "an \"output\" in every line of training data");
      if (judged) judge(*source.task, file, located, labels);
      train.push_back(std::move(located.example));
    }
  }
  const auto count = static_cast<std::size_t>(source.settings.count);
  const std::size_t needed = std::max<std::size_t>(1, count) + held_out;
  if (train.size() < needed)
    throw Error(
        fmt::format("{} examples in {}", train.size(), joined_by(source.settings.files, ", ")),
        fmt::format("at least {}: {} to train on and {} held out", needed, needed - held_out,
                    held_out),
        "a smaller data.count or data.held_out");
  const auto kept = train.end() - static_cast<std::ptrdiff_t>(held_out);
  std::move(kept, train.end(), std::back_inserter(source.held_out));
  train.erase(kept, train.end());
  if (count > 0) train.resize(count);
}

void make_released(Loaded& source, std::size_t held_out, const Packing* packing,
                   const OnMade& on_made) {
  if (source.settings.endless)
    throw UsageError("data.endless = true with data.as_released = true", "one of them");
  if (!source.task->abilities().released)
    throw UsageError(
        fmt::format("data.as_released = true, but what the paper released of {} cannot "
                    "be made again",
                    source.task->name()),
        "data.as_released=false, or with default options " +
            tasks::tasks_with(&tasks::Abilities::released));
  const auto count = static_cast<std::size_t>(source.settings.count);
  const auto released = source.task->abilities().released->released(tasks::Split::kTrain);
  if (packing != nullptr) source.packed.emplace(packing->vocabulary, packing->layout);
  std::size_t made = 0;
  // Held-out examples may come after the last one of the file: nothing is trained on them.
  const std::size_t in_file = released->goes_on() ? count : count + held_out;
  tasks::for_released(*released, in_file, [&](const Example& example) {
    if (on_made) on_made(1);
    if (made++ >= count)
      source.held_out.push_back(example);
    else if (source.packed)
      source.packed->add(example);
    else
      source.train.push_back(example);
  });
  while (source.held_out.size() < held_out) {
    source.held_out.push_back(released->next());
    if (on_made) on_made(1);
  }
  if (source.packed) source.packed->shrink_to_fit();
}

void fill(Loaded& source, std::size_t held_out, std::uint64_t seed, int threads,
          const Packing* packing, WrongLabels& labels, const OnMade& on_made) {
  const SourceSettings& settings = source.settings;
  if (!settings.files.empty()) {
    if (settings.endless)
      throw UsageError("data.endless = true with files", "examples that are generated");
    return read_files(source, held_out, labels);
  }
  const auto count = static_cast<std::uint64_t>(settings.count);
  if (count == 0 && !settings.endless)
    throw UsageError("data.count = 0 without files", "how many examples to generate");
  if (settings.as_released) return make_released(source, held_out, packing, on_made);
  const auto make = [&](std::uint64_t item) {
    stop_if_interrupted();
    Example example = source.task->generate(seed, tasks::Split::kTrain, source.items.at(item));
    if (on_made) on_made(1);
    return example;
  };
  if (!settings.endless && packing != nullptr)
    source.packed = encode_each(count, make, packing->vocabulary, packing->layout, threads);
  else if (!settings.endless)
    source.train = make_all(make, 0, count, threads);
  const std::uint64_t first = settings.endless ? source.items.range - held_out : count;
  source.held_out = make_all(make, first, held_out, threads);
}

// Tokens of a puzzle and its answer in any copy, at most. A tokenizer has no more than one for a
// character, but puts a beginning before the puzzle and may put a space before either text; which
// copy it makes most of cannot be known without trying all.
std::size_t most_in_copies(const tasks::Task& task, const Example& example,
                           const Vocabulary& vocabulary) {
  const std::size_t around = vocabulary.tokenizer() ? vocabulary.count_first("") + 2 : 0;
  return task.abilities().symmetries->longest_copy(example) + around;
}

// Tokens per row that hold every example, and every copy of it where there are such.
int longest_row(const tasks::Task& task, const std::vector<Example>& examples,
                const DataSettings& settings, const Vocabulary& vocabulary) {
  std::size_t longest = 0;
  for (const Example& example : examples) {
    const std::size_t output = vocabulary.count(example.output);
    const std::size_t both = settings.augment ? most_in_copies(task, example, vocabulary)
                                              : vocabulary.count_first(example.input) + output;
    longest = std::max(longest, settings.layout == "in_place" ? output : both + 2);
  }
  return static_cast<int>(longest);
}

int row_length(const std::vector<Loaded>& sources, const DataSettings& settings,
               const Vocabulary& vocabulary) {
  const auto length = static_cast<int>(settings.length);
  int needed = 0;
  for (const Loaded& source : sources) {
    if (length == 0 && source.settings.endless && settings.layout != "in_place")
      throw UsageError("data.endless without data.length",
                       "tokens per row: what is not generated yet cannot be measured");
    for (const std::vector<Example>* examples : {&source.train, &source.held_out})
      needed = std::max(needed, longest_row(*source.task, *examples, settings, vocabulary));
  }
  if (length == 0 && needed == 0) throw UsageError("no example to measure rows by", "data.length");
  if (length == 0) return needed;
  // Without copies, encoding finds what is too long, and names it.
  if (settings.augment && needed > length)
    throw UsageError(fmt::format("data.length = {}, but copies of the puzzles have up to {} tokens",
                                 length, needed),
                     fmt::format("at least {}, or 0", needed), "data.augment=false");
  return length;
}

// How many of `held_out` places are a source's, by the weights.
std::vector<std::size_t> held_out_counts(const std::vector<SourceSettings>& sources,
                                         std::int64_t held_out) {
  std::vector<std::size_t> counts;
  std::int64_t weights = 0, before = 0;
  for (const SourceSettings& source : sources) weights += source.weight;
  for (const SourceSettings& source : sources) {
    const auto up_to = [&](std::int64_t weight) { return held_out * weight / weights; };
    counts.push_back(static_cast<std::size_t>(up_to(before + source.weight) - up_to(before)));
    before += source.weight;
  }
  return counts;
}

std::vector<Loaded> load(const std::string& task, const DataSettings& settings, std::uint64_t seed,
                         const Packing* packing, WrongLabels& labels, const OnMade& on_made) {
  const std::vector<SourceSettings> asked = settings.all_sources();
  const std::vector<std::size_t> held_out = held_out_counts(asked, settings.held_out);
  const std::uint64_t range = (std::uint64_t{1} << 32) / asked.size();
  std::vector<Loaded> sources;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    sources.push_back(
        {asked[i], tasks::make_task(task, asked[i].task), {i * range, range}, {}, {}});
    fill(sources.back(), held_out[i], seed, static_cast<int>(settings.threads), packing, labels,
         on_made);
  }
  return sources;
}

// The layout `long` is for texts that are long: what they take in memory is their tokens.
std::optional<Packing> packing_of(const DataSettings& settings, const Vocabulary& vocabulary) {
  if (settings.layout != "long") return std::nullopt;
  if (settings.length == 0)
    throw UsageError("data.layout = long without data.length", "tokens per row: 4096, say");
  for (const SourceSettings& source : settings.all_sources())
    if (source.endless || settings.augment || settings.reverse)
      throw UsageError("data.layout = long with data.endless, data.augment or data.reverse",
                       "examples that are generated once, or come from files");
  return Packing{vocabulary, make_long(static_cast<int>(settings.length), vocabulary.specials())};
}

// Calls use(example) for every example of the files. An Error that it throws gets the line.
void for_each_line(const tasks::Task& task, const DataSettings& settings,
                   const std::function<void(const Example&)>& use) {
  for (const SourceSettings& source : settings.all_sources())
    for (const std::string& file : source.files)
      for_each_example(
          file, task,
          [&](LocatedExample&& located) {
            with_location(file, located.line, [&] {
              use(located.example);
              return true;
            });
          },
          {}, formats::keys_of(source.keys));
}

// Runs `work`, which encodes examples. If it fails because of an example in a file, the Error names
// the line: the files are read again for that.
template <class Work>
auto naming_the_line(const tasks::Task& task, const DataSettings& settings,
                     const Vocabulary& vocabulary, Work&& work) {
  return attempt(work, [&](const Error&) -> decltype(work()) {
    const auto layout = settings.length == 0
                            ? nullptr
                            : make_layout(settings.layout, static_cast<int>(settings.length),
                                          vocabulary, settings.blank);
    for_each_line(task, settings, [&](const Example& example) {
      const std::size_t input = vocabulary.encode_first(example.input).size(),
                        output = vocabulary.encode(example.output).size();
      if (layout) layout->check_fits(input, output);
    });
    throw;
  });
}

}  // namespace

Vocabulary vocabulary_of(const std::string& task_name, const DataSettings& settings) {
  if (!settings.alphabet.empty()) return Vocabulary(settings.alphabet);
  const auto task = tasks::make_task(task_name);
  if (!task->abilities().any_text) {
    if (!settings.words.empty())
      throw UsageError(fmt::format("data.words with the task {}", task_name), "the task text");
    return Vocabulary();
  }
  AlphabetFinder finder;
  for_each_line(*task, settings, [&](const Example& example) {
    finder.add(example.input);
    finder.add(example.output);
  });
  if (finder.alphabet().empty())
    throw UsageError(fmt::format("the task {} without files", task_name),
                     "data.files=FILE with puzzles and answers");
  if (settings.words.empty()) return Vocabulary(finder.alphabet());
  std::vector<std::string> words;
  std::set<std::string, std::less<>> characters = finder.characters();
  LineReader lines(settings.words);
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    words.emplace_back(line);
    characters.erase(words.back());
  }
  words.insert(words.end(), characters.begin(), characters.end());
  return with_location(settings.words, 0, [&] { return Vocabulary(own_words(words)); });
}

std::size_t examples_to_make(const DataSettings& settings) {
  const std::vector<SourceSettings> sources = settings.all_sources();
  const std::vector<std::size_t> held_out = held_out_counts(sources, settings.held_out);
  std::size_t examples = 0;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].files.empty())
      examples +=
          held_out[i] + (sources[i].endless ? 0 : static_cast<std::size_t>(sources[i].count));
  return examples;
}

PreparedData prepare_data(const std::string& task_name, const DataSettings& settings,
                          std::uint64_t seed) {
  return prepare_data(task_name, settings, seed, vocabulary_of(task_name, settings));
}

PreparedData prepare_data(const std::string& task_name, const DataSettings& settings,
                          std::uint64_t seed, const Vocabulary& vocabulary, const OnMade& on_made) {
  const std::optional<Packing> packing = packing_of(settings, vocabulary);
  WrongLabels labels;
  std::vector<Loaded> sources =
      load(task_name, settings, seed, packing ? &*packing : nullptr, labels, on_made);
  const std::shared_ptr<const tasks::Task> task = sources.front().task;
  Augment augment;  // refuses a task without symmetries
  if (settings.augment) augment = symmetries(task, seed, settings.reverse);
  if (settings.augment && std::all_of(sources.begin(), sources.end(),
                                      [](const Loaded& source) { return source.settings.endless; }))
    throw UsageError("data.augment with endless sources only",
                     "data.augment=false: no puzzle comes twice");
  const int length = naming_the_line(*task, settings, vocabulary,
                                     [&] { return row_length(sources, settings, vocabulary); });
  const std::shared_ptr<const Layout> layout =
      make_layout(settings.layout, length, vocabulary, settings.blank);
  const int threads = static_cast<int>(settings.threads);
  const auto encoded = [&](std::vector<Example>& examples) {
    if (settings.reverse)
      for (Example& example : examples)
        example.output = tasks::reversed_output(*task, example.output);
    return naming_the_line(*task, settings, vocabulary,
                           [&] { return encode(examples, vocabulary, layout, threads); });
  };

  std::vector<Mixture::Part> parts;
  EncodedDataset held_out(vocabulary, layout);
  std::vector<Example> held_out_texts;
  bool endless = false;
  for (Loaded& source : sources) {
    if (!task->abilities().generates)
      held_out_texts.insert(held_out_texts.end(), source.held_out.begin(), source.held_out.end());
    held_out.append(encoded(source.held_out));
    endless = endless || source.settings.endless;
    std::shared_ptr<const Source> made =
        source.settings.endless
            ? endless_source(
                  [task = source.task, seed, items = source.items,
                   reverse = settings.reverse](std::uint32_t item) {
                    Example example = task->generate(seed, tasks::Split::kTrain, items.at(item));
                    if (reverse) example.output = tasks::reversed_output(*task, example.output);
                    return example;
                  },
                  vocabulary, layout)
            : fixed_source(source.packed ? std::move(*source.packed) : encoded(source.train),
                           augment);
    parts.push_back({std::move(made), static_cast<std::uint32_t>(source.settings.weight)});
    source = {};
  }
  return {task,
          vocabulary,
          layout,
          Mixture(std::move(parts), length),
          std::move(held_out),
          endless || settings.augment,
          std::move(labels),
          std::move(held_out_texts)};
}

}  // namespace mgdm::data
