#include "data/arrays_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "data/vocabulary.h"
#include "formats/json_text.h"
#include "formats/npy.h"

namespace mgdm::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout = "dataset.json";
constexpr std::string_view kUsualAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

struct About {
  std::int64_t pad = 0, ignored = 0;
  std::vector<std::string> characters;  // of the numbers after `pad`

  explicit About(const fs::path& folder) {
    const nlohmann::json json = formats::parse_json(read_file(folder / kAbout));
    const auto number = [&](const char* name, std::int64_t otherwise) {
      const auto member = json.find(name);
      return member != json.end() && member->is_number_integer() ? member->get<std::int64_t>()
                                                                 : otherwise;
    };
    if (!json.is_object() || !json.contains("vocab_size"))
      throw Error(fmt::format("{} does not describe arrays", (folder / kAbout).string()),
                  "a JSON object with vocab_size, pad_id and ignore_label_id");
    pad = number("pad_id", 0);
    ignored = number("ignore_label_id", pad);
    const auto alphabet = json.find("alphabet");
    characters =
        Vocabulary(alphabet != json.end() && alphabet->is_string() ? alphabet->get<std::string>()
                                                                   : std::string(kUsualAlphabet))
            .words();
    const std::int64_t size = number("vocab_size", 0);
    if (size - 1 > static_cast<std::int64_t>(characters.size()))
      throw Error(fmt::format("{} has a vocab_size of {}", (folder / kAbout).string(), size),
                  fmt::format("at most {}", characters.size() + 1),
                  "a member \"alphabet\" with the characters of 1, 2, ...");
  }

  // The text of a row, without the padding at its end.
  std::string text(const std::vector<std::int64_t>& row) const {
    const auto is_padding = [&](std::int64_t number) {
      return number == pad || number == ignored || number == -100;
    };
    auto end = row.end();
    while (end != row.begin() && is_padding(*(end - 1))) --end;
    std::string text;
    for (auto it = row.begin(); it != end; ++it) {
      const std::int64_t character = *it - pad - 1;
      if (character < 0 || character >= static_cast<std::int64_t>(characters.size()))
        throw Error(fmt::format("the number {} at place {}", *it, it - row.begin() + 1),
                    fmt::format("{} to {}, and padding at the end alone", pad + 1,
                                pad + static_cast<std::int64_t>(characters.size())));
      text += characters[static_cast<std::size_t>(character)];
    }
    return text;
  }
};

}  // namespace

bool is_arrays_folder(const std::string& path) { return is_there(fs::path(path) / kAbout); }

void for_each_in_arrays(const std::string& folder, const UsePuzzle& use, const OnBadLine& on_bad) {
  const About about(folder);
  const std::string inputs_path = (fs::path(folder) / "all__inputs.npy").string();
  formats::NpyReader inputs(inputs_path);
  formats::NpyReader labels((fs::path(folder) / "all__labels.npy").string());
  if (inputs.rows() != labels.rows())
    throw Error(fmt::format("{} has {} inputs and {} labels", folder, inputs.rows(), labels.rows()),
                "as many of one as of the other");
  std::vector<std::int64_t> input, label;
  for (std::size_t row = 1; inputs.next(input) && labels.next(label); ++row) {
    auto puzzle = unless_bad(on_bad, [&] {
      return with_location(inputs_path, row, [&] {
        return formats::Puzzle{.puzzle = about.text(input), .answer = about.text(label)};
      });
    });
    if (puzzle) use({inputs_path, "arrays", row, *std::move(puzzle)});
  }
}

void write_arrays(const std::string& folder, const std::vector<tasks::Example>& examples) {
  AlphabetFinder finder;
  for (const tasks::Example& example : examples) {
    finder.add(example.input);
    finder.add(example.output);
  }
  const Vocabulary vocabulary(finder.alphabet());
  std::size_t length = 0;
  for (const tasks::Example& example : examples)
    length = std::max({length, vocabulary.count(example.input), vocabulary.count(example.output)});

  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("cannot make {}: {}", folder, failed.message()));
  const auto write = [&](const char* name, const std::vector<std::int32_t>& numbers,
                         const std::vector<std::size_t>& shape) {
    formats::write_npy((fs::path(folder) / name).string(), numbers, shape);
  };
  const auto rows = [&](std::string tasks::Example::*part) {
    std::vector<std::int32_t> numbers(examples.size() * length, 0);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::vector<Token> tokens = vocabulary.encode(examples[i].*part);
      for (std::size_t n = 0; n < tokens.size(); ++n)
        numbers[i * length + n] = static_cast<std::int32_t>(tokens[n]) - kSpecialTokens + 1;
    }
    return numbers;
  };
  write("all__inputs.npy", rows(&tasks::Example::input), {examples.size(), length});
  write("all__labels.npy", rows(&tasks::Example::output), {examples.size(), length});
  // Every puzzle is a group of its own, and none has a name.
  std::vector<std::int32_t> begins(examples.size() + 1);
  std::iota(begins.begin(), begins.end(), 0);
  write("all__puzzle_indices.npy", begins, {begins.size()});
  write("all__group_indices.npy", begins, {begins.size()});
  write("all__puzzle_identifiers.npy", std::vector<std::int32_t>(examples.size(), 0),
        {examples.size()});
  const nlohmann::ordered_json about{{"pad_id", 0},
                                     {"ignore_label_id", 0},
                                     {"blank_identifier_id", 0},
                                     {"vocab_size", vocabulary.words().size() + 1},
                                     {"seq_len", length},
                                     {"num_puzzle_identifiers", 1},
                                     {"total_groups", examples.size()},
                                     {"mean_puzzle_examples", 1},
                                     {"total_puzzles", examples.size()},
                                     {"sets", {"all"}},
                                     {"alphabet", vocabulary.alphabet()}};
  write_file((fs::path(folder) / kAbout).string(), formats::json_text(about, 2) + "\n");
}

}  // namespace mgdm::data
