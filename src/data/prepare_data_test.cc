#include "data/prepare_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/jsonl.h"
#include "formats/test_support.h"
#include "support/error_of.h"
#include "tasks/all_tasks.h"
#include "tasks/released.h"

namespace mgdm::data {
namespace {

std::vector<tasks::Example> examples_of(const EncodedDataset& dataset) {
  std::vector<tasks::Example> examples;
  for (std::size_t i = 0; i < dataset.size(); ++i) examples.push_back(dataset.example(i));
  return examples;
}

// The example at a place of the mixture, by its row.
std::string row_text(const PreparedData& data, std::size_t part, std::uint32_t item) {
  std::vector<Token> tokens(static_cast<std::size_t>(data.train.length()));
  std::vector<std::uint8_t> frozen(tokens.size());
  data.train.parts()[part].source->write_row(item, 0, {tokens, frozen});
  return data.vocabulary.decode(tokens);
}

std::string row_of(const tasks::Example& example) {
  return example.input + "[SEP]" + example.output + "[EOS]";
}

TEST(PrepareData, GeneratedExamplesAreTheFirstItemsAndHeldOutTheNext) {
  DataSettings settings;
  settings.count = 20;
  settings.held_out = 5;
  const PreparedData data = prepare_data("countdown-3", settings, 7);
  const auto task = tasks::make_task("countdown-3");
  ASSERT_EQ(data.train.size(), 20u);
  EXPECT_FALSE(data.made_on_the_fly);
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_TRUE(
        row_text(data, 0, i).starts_with(row_of(task->generate(7, tasks::Split::kTrain, i))));
  std::vector<tasks::Example> expected;
  for (std::uint32_t i = 20; i < 25; ++i)
    expected.push_back(task->generate(7, tasks::Split::kTrain, i));
  EXPECT_EQ(examples_of(data.held_out), expected);
}

// Rows of a long text are its parts, and no text is lost between them.
TEST(PrepareData, LongTextsAreCutIntoRows) {
  DataSettings settings;
  settings.count = 6;
  settings.held_out = 2;
  settings.alphabet = "@search";
  settings.layout = "long";
  settings.length = 48;
  for (const bool as_released : {false, true}) {
    settings.as_released = as_released;
    const PreparedData data = prepare_data("search-3", settings, 7);
    const auto task = tasks::make_task("search-3");
    const auto released = task->abilities().released->released(tasks::Split::kTrain);
    std::string expected, rows;
    for (std::uint32_t i = 0; i < 6; ++i)
      expected +=
          row_of(as_released ? released->next() : task->generate(7, tasks::Split::kTrain, i));
    EXPECT_GT(data.train.size(), 6u);
    for (std::uint32_t i = 0; i < data.train.size(); ++i) {
      std::string row = row_text(data, 0, i);
      rows += row.substr(0, row.find("[PAD]"));
    }
    EXPECT_EQ(rows, expected);
    EXPECT_GE(data.held_out.size(), 2u);
  }
  settings.length = 0;
  EXPECT_THROW(prepare_data("search-3", settings, 7), UsageError);
  settings.length = 48;
  settings.as_released = false;
  for (bool* const refused : {&settings.endless, &settings.augment, &settings.reverse}) {
    *refused = true;
    EXPECT_CONTAINS(error_of([&] { prepare_data("search-3", settings, 7); }),
                    "data.layout = long with");
    *refused = false;
  }
  settings.length = 8;  // no room for a puzzle
  EXPECT_THROW(prepare_data("search-3", settings, 7), Error);
}

TEST(PrepareData, CountIsTheTrainingExamplesOfFilesToo) {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("mgdm_prepare_" + std::to_string(::getpid()) + ".jsonl");
  const auto task = tasks::make_task("countdown-3");
  std::string text;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const auto [input, output, also] = task->generate(1, tasks::Split::kTrain, i);
    text += formats::jsonl_line({{"input", input}, {"output", output}});
  }
  write_file(path, text);
  DataSettings settings;
  settings.files = {path};
  settings.held_out = 4;
  settings.count = 0;
  EXPECT_EQ(prepare_data("countdown-3", settings, 0).train.size(), 26u);
  settings.count = 26;
  const PreparedData all = prepare_data("countdown-3", settings, 0);
  EXPECT_EQ(all.train.size(), 26u);
  EXPECT_EQ(all.held_out.example(0), task->generate(1, tasks::Split::kTrain, 26));
  settings.count = 10;
  const PreparedData some = prepare_data("countdown-3", settings, 0);
  EXPECT_EQ(some.train.size(), 10u);
  EXPECT_EQ(some.held_out.example(3), task->generate(1, tasks::Split::kTrain, 29));
  settings.count = 27;
  EXPECT_THROW(prepare_data("countdown-3", settings, 0), Error);
  std::filesystem::remove(path);
}

// The result of looking at files of these texts.
WrongLabels labels_in(const std::string& task, const std::vector<std::string>& texts,
                      DataSettings settings = {}) {
  const formats::TemporaryFolder folder;
  for (const std::string& text : texts) {
    settings.files.push_back(
        (folder.path() / fmt::format("{}.jsonl", settings.files.size())).string());
    write_file(settings.files.back(), text);
  }
  settings.count = 1;
  settings.held_out = 0;
  return prepare_data(task, settings, 0).wrong_labels;
}

// Game of 24's file has "=24" in place of solutions: one would learn that.
TEST(PrepareData, CountsAnswersInFilesThatAreWrong) {
  const WrongLabels labels =
      labels_in("countdown-4",
                {"{\"input\": \"86,28,13,31,96\", \"output\": \"86+28=114,31-13=18,114-18=96\"}\n"
                 "{\"input\": \"86,28,13,31,96\", \"output\": \"=96\"}\n"
                 "{\"input\": \"86,28,13,31,96\", \"output\": \"96=96\"}\n"});
  EXPECT_EQ(labels.count, 2u);
  EXPECT_EQ(labels.looked_at, 3u);
  EXPECT_CONTAINS(labels.first, "0.jsonl:2: ");
  EXPECT_EQ(labels_in("countdown-4", {}).looked_at, 0u);  // made, not read
}

// Every label is looked at.
TEST(PrepareData, LooksIntoEveryFileForWrongAnswers) {
  const std::string right = "{\"input\": \"1,2,3,6\", \"output\": \"1+2=3,3+3=6\"}\n";
  std::string many;
  for (int i = 0; i < 10001; ++i) many += right;
  const WrongLabels labels =
      labels_in("countdown-3", {many, right + "{\"input\": \"1,2,3,6\", \"output\": \"=6\"}\n"});
  EXPECT_EQ(labels.looked_at, 10003u);
  EXPECT_EQ(labels.count, 1u);
  EXPECT_CONTAINS(labels.first, "1.jsonl:2: ");
}

// A search that finds nothing teaches how to search.
TEST(PrepareData, SearchesMayFail) {
  const tasks::Example example = tasks::make_task("search-3")->generate(0, tasks::Split::kTrain, 0);
  DataSettings settings;
  settings.alphabet = "@search";
  settings.layout = "long";
  settings.length = 256;
  EXPECT_EQ(labels_in("search-3",
                      {fmt::format("{{\"input\": \"{}\", \"output\": \"{}\"}}\n", example.input,
                                   example.output.substr(0, 20))},
                      settings)
                .count,
            0u);
}

TEST(PrepareData, AsReleasedIsThePapersFileWhateverTheSeed) {
  DataSettings settings;
  settings.as_released = true;
  settings.count = 3;
  settings.held_out = 2;
  const PreparedData data = prepare_data("countdown-4", settings, 7);
  std::vector<tasks::Example> expected;
  const auto released =
      tasks::make_task("countdown-4")->abilities().released->released(tasks::Split::kTrain);
  tasks::for_released(*released, 5, [&](const auto& example) { expected.push_back(example); });
  ASSERT_EQ(data.train.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_TRUE(row_text(data, 0, i).starts_with(row_of(expected[i])));
  EXPECT_EQ(examples_of(data.held_out),
            std::vector<tasks::Example>(expected.begin() + 3, expected.end()));
}

TEST(PrepareData, SourcesHaveItemsOfTheirOwnAndShareTheHeldOut) {
  DataSettings settings;
  settings.count = 6;
  settings.held_out = 8;
  settings.layout = "in_place";
  settings.sources = {"weight=3", "difficulty=hard guesses=2..", "difficulty=hard endless=true"};
  const PreparedData data = prepare_data("sudoku", settings, 1);
  ASSERT_EQ(data.train.parts().size(), 3u);
  EXPECT_EQ(data.train.parts()[0].weight, 3u);
  EXPECT_EQ(data.train.parts()[1].source->size(), 6u);
  EXPECT_EQ(data.train.parts()[2].source->size(), 0u);
  EXPECT_EQ(data.train.size(), 0u);
  EXPECT_TRUE(data.made_on_the_fly);
  EXPECT_EQ(data.held_out.size(), 8u);
  std::set<std::string> solutions;
  for (std::size_t part = 0; part < 3; ++part)
    for (std::uint32_t item = 0; item < 6; ++item) solutions.insert(row_text(data, part, item));
  for (const tasks::Example& example : examples_of(data.held_out)) solutions.insert(example.output);
  EXPECT_EQ(solutions.size(), 26u);
}

TEST(PrepareData, TellsOfEveryExampleThatIsMade) {
  DataSettings fixed, mixed, released;
  fixed.count = 2000;
  mixed.count = 6;
  mixed.layout = "in_place";
  mixed.sources = {"weight=3", "difficulty=hard endless=true"};
  released.count = 3;
  released.as_released = true;
  for (const auto& [task, settings, held_out, wanted] : {std::tuple{"planning", &fixed, 5, 2005u},
                                                         {"sudoku", &mixed, 8, 14u},
                                                         {"countdown-4", &released, 2, 5u}}) {
    settings->held_out = held_out;
    settings->threads = 2;
    EXPECT_EQ(examples_to_make(*settings), wanted) << task;
    std::atomic<std::size_t> made = 0;
    prepare_data(task, *settings, 1, vocabulary_of(task, *settings),
                 [&](std::size_t examples) { made += examples; });
    EXPECT_EQ(made, wanted) << task;
  }
}

// Puzzles of the task `text` in a file.
class OwnText : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  PreparedData prepare(const std::string& lines, const std::string& more = "") {
    write_file(path_, lines);
    DataSettings settings;
    settings.files = {path_};
    settings.count = 0;
    settings.held_out = 1;
    config::Fields fields(settings);
    for (const std::string_view word : split(more, ' '))
      if (!word.empty()) fields.set(word);
    return prepare_data("text", settings, 1);
  }
  const std::string path_ =
      testing::TempDir() + "mgdm_own_text_" + std::to_string(::getpid()) + ".tsv";
};

TEST_F(OwnText, AlphabetAndLengthAreFoundInTheFiles) {
  const PreparedData data = prepare("b@\tä\nab\tb\nb\ta\n");
  EXPECT_EQ(data.vocabulary.alphabet(), "abä@");
  EXPECT_EQ(data.train.length(), 2 + 1 + 2);  // the longest, [SEP] and [EOS]
  EXPECT_EQ(data.train.size(), 2u);
  EXPECT_EQ(row_text(data, 0, 0), "b@[SEP]ä[EOS]");
  EXPECT_EQ(data.held_out_texts, (std::vector<tasks::Example>{{"b", "a"}}));
}

TEST_F(OwnText, BytesNeedNoAlphabet) {
  for (const auto& [character, shown] : {std::pair{"\xff", "\\xff"}, {"\x01", "\\x01"}}) {
    const std::string error =
        error_of([&, c = std::string(character)] { prepare("a\tb\n" + c + "\ta\n"); });
    EXPECT_NE(error.find(fmt::format(":2: '{0}' has '{0}', which", shown)), std::string::npos)
        << error;
  }
  EXPECT_EQ(row_text(prepare("\xff\ta\na\tb\n", "alphabet=@bytes"), 0, 0), "\xff[SEP]a[EOS]");
}

TEST_F(OwnText, WordsOfAListAreTokensBesideTheCharacters) {
  const std::string words = path_ + ".words";
  write_file(words, "the\n cat\na\n");
  const PreparedData data = prepare("the cat\tat\nthe\tc\na\tt\n", "words=" + words);
  EXPECT_EQ(data.vocabulary.words(),
            (std::vector<std::string>{"the", " cat", "a", " ", "c", "e", "h", "t"}));
  EXPECT_EQ(data.train.length(), 2 + 1 + 3);  // "the", " cat", [SEP], "a", "t", [EOS]
  EXPECT_EQ(data::Vocabulary(data.vocabulary.alphabet()).words(), data.vocabulary.words());
  write_file(words, "the\nthe\n");
  EXPECT_NE(error_of([&] { prepare("a\tb\na\tb\n", "words=" + words); }).find("'the' comes twice"),
            std::string::npos);
  std::filesystem::remove(words);
}

TEST_F(OwnText, ABlankMarksWhatIsFilledInInPlace) {
  const PreparedData data = prepare("#.#\t#o#\n..#\too#\n..#\too#\n", "layout=in_place blank=.");
  std::vector<Token> tokens(3);
  std::vector<std::uint8_t> frozen(3);
  data.train.parts()[0].source->write_row(0, 0, {tokens, frozen});
  EXPECT_EQ(data.vocabulary.decode(tokens), "#o#");
  EXPECT_EQ(frozen, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_THROW(prepare("a\tb\na\tb\n", "layout=in_place blank=ab"), UsageError);
}

TEST_F(OwnText, WhatCannotBeLearnedIsNamedWithItsLine) {
  const auto refused = [&](const std::string& lines, const std::string& more) {
    return error_of([&] { prepare(lines, more); });
  };
  for (const auto& [lines, more, seen] :
       {std::tuple{"a\tb\na\tB\n", "alphabet=ab", ":2: character 'B' of 'B' has no token"},
        {"a\tb\nabcdef\tb\n", "length=8", ":2: an input of 6 and an output of 1 tokens need 9"},
        {"a\tb\na\t\n", "", ":2: the puzzle has no answer to learn"}}) {
    const std::string error = refused(lines, more);
    EXPECT_NE(error.find(path_ + seen), std::string::npos) << error;
  }
  EXPECT_THROW(prepare_data("text", {}, 1), UsageError);  // no files
}

TEST(PrepareData, RefusesWhatDoesNotFitTogether) {
  const auto refused = [](const char* task, const std::vector<std::string>& lines) {
    DataSettings settings;
    settings.count = settings.held_out = 2;
    config::Fields fields(settings);
    for (const std::string& line : lines) fields.set(line);
    try {
      prepare_data(task, settings, 0);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(refused("planning", {}));
  EXPECT_TRUE(refused("planning", {"sources=[\"wieght=3\"]"}));
  EXPECT_TRUE(refused("planning", {"sources=[\"weight=0\"]"}));
  EXPECT_TRUE(refused("planning", {"endless=true"}));  // how long are rows?
  EXPECT_FALSE(refused("planning", {"endless=true", "length=75"}));
  EXPECT_TRUE(refused("planning", {"guesses=3.."}));
  EXPECT_TRUE(refused("sudoku", {"guesses=3.."}));  // easy ones take none
  EXPECT_TRUE(refused("sudoku", {"difficulty=hard", "guesses=9..3"}));
  EXPECT_TRUE(refused("countdown-4", {"augment=true"}));  // has no symmetries
  EXPECT_FALSE(refused("countdown-4", {"as_released=true"}));
  EXPECT_TRUE(refused("countdown-4", {"as_released=true", "endless=true", "length=64"}));
  EXPECT_TRUE(refused("countdown-6", {"as_released=true"}));
  EXPECT_TRUE(refused("countdown-4", {"as_released=true", "largest=13"}));
  EXPECT_TRUE(refused("countdown-4", {"as_released=true", "labels=any"}));
  EXPECT_TRUE(refused("planning", {"as_released=true", "nodes=4"}));
  EXPECT_TRUE(refused("planning", {"as_released=true", "count=999999"}));  // and two held out
}

}  // namespace
}  // namespace mgdm::data
