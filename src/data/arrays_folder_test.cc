#include "data/arrays_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "formats/npy.h"
#include "formats/test_support.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

using tasks::Example;

class Arrays : public testing::Test {
 protected:
  std::vector<Example> read(const std::string& task = "text") const {
    std::vector<Example> examples;
    for (LocatedExample& located : read_examples(path_, *tasks::make_task(task)))
      examples.push_back(std::move(located.example));
    return examples;
  }

  void describe(const std::string& json) const {
    std::filesystem::create_directories(path_);
    write_file(path_ + "/dataset.json", json);
  }

  void rows(const char* name, const std::vector<std::int32_t>& numbers, std::size_t count) const {
    formats::write_npy(path_ + "/" + name, numbers, {count, numbers.size() / count});
  }

  formats::TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "data").string();
};

TEST_F(Arrays, ReadsWhatItWrites) {
  const std::vector<Example> examples{{"stressed", "desserts"}, {"a b@", "µ"}, {"x\ny", "1"}};
  write_arrays(path_, examples);
  const std::vector<Example> back = read();
  ASSERT_EQ(back.size(), examples.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].input, examples[i].input);
    EXPECT_EQ(back[i].output, examples[i].output);
  }
}

// As HRM's own program writes Sudokus: a digit is the number after it, 1 a blank.
TEST_F(Arrays, ReadsSudokusOfOthers) {
  const auto sudoku = tasks::make_task("sudoku");
  const Example puzzle = sudoku->generate(1, tasks::Split::kTest, 0);
  const auto numbers = [](const std::string& digits) {
    std::vector<std::int32_t> row;
    for (const char digit : digits) row.push_back(digit - '0' + 1);
    return row;
  };
  describe(
      R"({"pad_id": 0, "ignore_label_id": 0, "vocab_size": 11, "seq_len": 81, "sets": ["all"]})");
  rows("all__inputs.npy", numbers(puzzle.input), 1);
  rows("all__labels.npy", numbers(puzzle.output), 1);
  const std::vector<Example> back = read("sudoku");
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].input, puzzle.input);
  EXPECT_EQ(back[0].output, puzzle.output);
}

TEST_F(Arrays, WritesSudokusAsOthersDo) {
  write_arrays(path_, {{"10", "12"}, {"02", "12"}});
  formats::NpyReader inputs(path_ + "/all__inputs.npy");
  std::vector<std::int64_t> row;
  ASSERT_TRUE(inputs.next(row));
  EXPECT_EQ(row, (std::vector<std::int64_t>{2, 1}));
  for (const char* name : {"all__puzzle_indices.npy", "all__group_indices.npy"})
    EXPECT_EQ(formats::NpyReader(path_ + "/" + name).rows(), 3u);
  EXPECT_EQ(formats::NpyReader(path_ + "/all__puzzle_identifiers.npy").rows(), 2u);
}

TEST_F(Arrays, LeavesOutPaddingAtTheEndAlone) {
  describe(R"({"pad_id": 0, "ignore_label_id": -100, "vocab_size": 11})");
  rows("all__inputs.npy", {2, 3, 0, 0}, 1);
  rows("all__labels.npy", {4, 5, 6, -100}, 1);
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].input, "12");
  EXPECT_EQ(read()[0].output, "345");
  rows("all__inputs.npy", {2, 0, 3, 0}, 1);
  EXPECT_THROW(read(), Error);
}

TEST_F(Arrays, AnErrorNamesTheRow) {
  describe(R"({"vocab_size": 11})");
  rows("all__inputs.npy", {1, 1, 1, 99}, 2);
  rows("all__labels.npy", {1, 1, 1, 1}, 2);
  try {
    read();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.seen().find("all__inputs.npy:2: the number 99 at place 2"), std::string::npos)
        << error.seen();
  }
}

TEST_F(Arrays, RefusesFoldersThatDoNotFit) {
  describe("[]");
  EXPECT_THROW(read(), Error);
  describe(R"({"vocab_size": 1000})");
  rows("all__inputs.npy", {1}, 1);
  rows("all__labels.npy", {1}, 1);
  EXPECT_THROW(read(), Error);  // no character for most of them
  describe(R"({"vocab_size": 3})");
  rows("all__labels.npy", {1, 1}, 2);
  EXPECT_THROW(read(), Error);
}

}  // namespace
}  // namespace mgdm::data
