#include "model_files/history.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/paths.h"
#include "formats/test_support.h"
#include "model_files/model_folder.h"

namespace mgdm::model_files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = MGDM_SOURCE_DIR "/models/quick-planning-mgdm";

class HistoryFiles : public testing::Test {
 protected:
  // runs/NAME with what it measured, and a checkpoint of a planning model.
  fs::path run(const std::string& name, const std::string& metrics, const std::string& config,
               int step) const {
    const fs::path folder = folder_.path() / name;
    const fs::path checkpoint = folder / ("checkpoint-" + std::to_string(step));
    make_folder(checkpoint);
    fs::copy(fs::path(kModel) / "config.json", checkpoint / "config.json");
    write_file((folder / "metrics.jsonl").string(), metrics);
    if (!config.empty()) write_file((folder / "config.toml").string(), config);
    return checkpoint;
  }

  History written(const std::string& text) const {
    write_file((folder_.path() / kHistoryFile).string(), text);
    return read_history(folder_.path());
  }

  formats::TemporaryFolder folder_;
};

constexpr const char* kMetrics =
    R"({"step":100,"loss":0.5,"gradient_norm":2,"seconds":60,"held_out_loss":0.4,"held_out_token_accuracy":0.75}
{"step":150,"accuracy":0.25,"accuracy_paper":0.5}
{"step":200,"loss":0.25,"seconds":180}
{"step":200,"accuracy":1,"accuracy_paper":1}
{"step":300,"loss":0.125,"seconds":240}
{"step":4)";

TEST_F(HistoryFiles, AreReadFromMetrics) {
  run("a", kMetrics, "", 300);
  const History all = read_metrics(folder_.path() / "a/metrics.jsonl");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0], (HistoryPoint{100, 1, 0.5, 0.4, 0.75}));
  EXPECT_EQ(all[1], (HistoryPoint{150, 2, {}, {}, {}, 0.25, 0.5}));  // halfway between the logs
  EXPECT_EQ(all[2], (HistoryPoint{200, 3, 0.25, {}, {}, 1, 1}));     // both lines of the step
  EXPECT_EQ(read_metrics(folder_.path() / "a/metrics.jsonl", 150).size(), 2u);
}

TEST_F(HistoryFiles, GoThroughTheFile) {
  const History history{{100, 1, 0.5, 0.4, 0.75}, {300, 2.5, {}, {}, {}, 0.25, 0.5}};
  write_history(folder_.path(), history);
  EXPECT_EQ(read_history(folder_.path()), history);
  EXPECT_TRUE(read_history(folder_.path() / "nowhere").empty());
  EXPECT_CONTAINS(error_of([&] { written("{\"step\":1,\"minutes\":1}\n\n{\"step\":2}"); }),
                  "history.jsonl:3: no minutes");
  EXPECT_EQ(error_of([&] { written(R"({"step":1,"minutes":0})"); }), "");
  for (const char* wrong :
       {"[]", "x", R"({"minutes":1})", R"({"step":-1,"minutes":1})", R"({"step":1.5,"minutes":1})",
        R"({"step":1,"minutes":-1})", R"({"step":1,"minutes":1,"loss":"low"})",
        "{\"step\":2,\"minutes\":1}\n{\"step\":1,\"minutes\":2}"})
    EXPECT_NE(error_of([&] { written(wrong); }), "") << wrong;
}

TEST_F(HistoryFiles, AreThinnedButForEvaluations) {
  History history;
  for (int i = 1; i <= 1000; ++i) {
    history.push_back({i, i / 10.0, 1.0 / i});
    if (i % 100 == 0) history.back().accuracy = i / 1000.0;
  }
  const auto evaluations = [](const History& points) {
    return std::ranges::count_if(points,
                                 [](const auto& point) { return point.accuracy.has_value(); });
  };
  const History some = thinned(history);
  EXPECT_EQ(some.size(), kMostHistory);
  EXPECT_EQ(evaluations(some), 10);
  EXPECT_EQ(some.back(), history.back());
  EXPECT_TRUE(std::ranges::is_sorted(some, {}, &HistoryPoint::step));
  EXPECT_EQ(thinned(some), some);
  for (std::size_t i = 0; i < history.size(); i += 2) history[i].accuracy = 0.5;
  EXPECT_EQ(thinned(history, 20).size(), 20u);
  EXPECT_EQ(evaluations(thinned(history, 20)), 10);  // half of the places
  for (HistoryPoint& point : history) point.accuracy = 0.5;
  EXPECT_EQ(evaluations(thinned(history, 20)), 20);
  EXPECT_EQ(thinned(history, 20).back(), history.back());
  for (HistoryPoint& point : history) point.accuracy.reset();
  EXPECT_EQ(thinned(history, 20).size(), 20u);
}

// A run that began from another run's model goes on where that one stood.
TEST_F(HistoryFiles, JoinRunsThatBeganFromOneAnother) {
  const fs::path first = run("first", kMetrics, "task = \"planning\"\n", 200);
  const auto after = [&](const std::string& task) {
    return "task = \"" + task + "\"\ninit = \"" + first.string() + "/\"\n";
  };
  const char* const metrics = "{\"step\":50,\"seconds\":30,\"accuracy\":1}\n";
  const History both = history_of(run("second", metrics, after("planning"), 50));
  ASSERT_EQ(both.size(), 4u);  // up to step 200 of the first
  EXPECT_EQ(both.back(), (HistoryPoint{250, 3.5, {}, {}, {}, 1}));
  // Another task is another curve, and what cannot be read is passed over.
  EXPECT_EQ(history_of(run("other", metrics, after("sudoku"), 50)).size(), 1u);
  EXPECT_EQ(history_of(run("old", metrics, "nonsense = 3\n", 50)).size(), 1u);
  EXPECT_TRUE(history_of(fs::path(folder_.path())).empty());
  // By hand: runs, checkpoints and models, in their order.
  const fs::path model = folder_.path() / "model";
  make_folder(model);
  write_history(model, both);
  const std::vector<std::string> parts{first.string(), (folder_.path() / "second").string() + "/",
                                       model.string()};
  const History three = history_of(parts);
  EXPECT_EQ(three.size(), 8u);
  EXPECT_EQ(three.back().step, 500);
  EXPECT_CONTAINS(error_of([] { history_of(std::vector<std::string>{"/nowhere"}); }),
                  "'/nowhere' has no history");
}

// Metrics of a run are its checkpoints' own, and those alone: another folder in it has none.
TEST_F(HistoryFiles, OfAFolderAreThoseOfItsRunWhereItIsACheckpoint) {
  const fs::path checkpoint = run("a", kMetrics, "", 150);
  const fs::path beside = folder_.path() / "a/notes";
  make_folder(beside);
  const auto points = [](const fs::path& folder) {
    return history_of(std::vector<std::string>{folder.string()}).size();
  };
  EXPECT_EQ(points(checkpoint), 2u);
  EXPECT_CONTAINS(error_of([&] { points(beside); }), "notes' has no history");
  fs::remove(folder_.path() / "a/metrics.jsonl");
  EXPECT_CONTAINS(error_of([&] { points(checkpoint); }), "checkpoint-150' has no history");
}

TEST_F(HistoryFiles, ComeWithACopyOfTheModel) {
  const fs::path copy = folder_.path() / "copy";
  copy_model(kModel, copy, {.history = {{100, 1, 0.5}}});
  EXPECT_EQ(history_of(copy), (History{{100, 1, 0.5}}));
  copy_model(copy, folder_.path() / "without", {});
  EXPECT_FALSE(is_there(folder_.path() / "without" / kHistoryFile));
}

}  // namespace
}  // namespace mgdm::model_files
