#include "spec/model_card.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/checksums.h"
#include "formats/test_support.h"
#include "model_files/checkpoint_config.h"
#include "model_files/describe.h"
#include "model_files/model_folder.h"

namespace mgdm::model_files {
namespace {

using formats::TemporaryFolder;

const std::filesystem::path kShipped = MGDM_SOURCE_DIR "/models/quick-planning-mgdm";

std::string config_text() { return read_file(kShipped / "config.json"); }

// Without the line that has `word`.
std::string without_line(std::string text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return text;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

TEST(ModelCard, NamesFp32WhereItSaysNothing) {
  const CheckpointConfig old = parse_config(without_line(config_text(), "\"arithmetic\""), "old");
  EXPECT_EQ(old.about.card->arithmetic, "fp32");
}

TEST(ModelCard, KnowsNoVotesWhereItSaysNothing) {
  CheckpointConfig config = parse_config(without_line(config_text(), "\"symmetries\""), "old");
  EXPECT_EQ(config.about.card->decoding.symmetries, 1);
  config.about.card->decoding.symmetries = 8;
  EXPECT_EQ(parse_config(to_json(config), "written").about.card->decoding.symmetries, 8);
}

TEST(ModelCard, SaysWhichPuzzlesTheModelKnows) {
  const std::string six = "0,1/1,2/2,3/3,4/4,5/6,7/7,2/2,8/8,9/9,10-0,5";
  const CheckpointConfig config = parse_config(config_text(), "shipped");
  EXPECT_EQ(config.about.card->options, std::vector<std::string>{"nodes=4"});
  const CheckpointConfig again = parse_config(to_json(config), "written");
  EXPECT_EQ(again.about.card, config.about.card);
  EXPECT_EQ(spec::task_of(*config.about.card)->unfamiliar(six), "10 edges are not the 6");
  const CheckpointConfig old = parse_config(without_line(config_text(), "\"nodes\""), "old");
  EXPECT_TRUE(old.about.card->options.empty());
  EXPECT_FALSE(spec::task_of(*old.about.card)->unfamiliar(six));
  CheckpointConfig wrong = config;
  wrong.about.card->options = {"size=4"};
  EXPECT_THROW(parse_config(to_json(wrong), "wrong"), Error);
}

TEST(ModelCard, KeepsTheNotes) {
  CheckpointConfig config = parse_config(config_text(), "shipped");
  config.about.notes = {{"revision", "abc"}, {"step", "30"}};
  EXPECT_EQ(parse_config(to_json(config), "written").about.notes, config.about.notes);
  config.about.notes.clear();
  EXPECT_EQ(to_json(config).find("\"notes\""), std::string::npos);
}

// What cannot be is said of the file, and not of a command line.
TEST(ModelCard, AndNetworkFitTogether) {
  const auto complaint = [](auto change) -> std::string {
    CheckpointConfig config = parse_config(config_text(), "shipped");
    change(config.settings, *config.about.card);
    try {
      parse_config(to_json(config), "DIR/config.json");
    } catch (const UsageError&) {
      return "a wrong command line";
    } catch (const Error& error) {
      return error.seen();
    }
    return "";
  };
  EXPECT_EQ(complaint([](spec::ModelSettings&, spec::ModelCard&) {}), "");
  EXPECT_EQ(complaint([](spec::ModelSettings& model, spec::ModelCard&) { model.heads = 3; }),
            "DIR/config.json: width 128 and heads 3");
  EXPECT_CONTAINS(
      complaint([](spec::ModelSettings& model, spec::ModelCard&) { model.causal = true; }),
      "DIR/config.json: a causal model without shift");
  EXPECT_EQ(complaint([](spec::ModelSettings&, spec::ModelCard& card) { card.objective = "ar"; }),
            "DIR/config.json: objective.kind = ar with model.causal = false");
  EXPECT_EQ(complaint([](spec::ModelSettings&, spec::ModelCard& card) { card.objective = "vdm"; }),
            "DIR/config.json: objective.kind = vdm with model.vectors = 0");
  EXPECT_EQ(complaint([](spec::ModelSettings&, spec::ModelCard& card) { card.length = 41; }),
            "DIR/config.json: mgdm.card.length 41 of a network with 40 positions");
}

TEST(ModelCard, KeepsTheArithmetic) {
  CheckpointConfig config = parse_config(config_text(), "shipped");
  for (const std::string& name : spec::arithmetic_names()) {
    config.about.card->arithmetic = name;
    EXPECT_EQ(parse_config(to_json(config), "written").about.card->arithmetic, name);
  }
  config.about.card->arithmetic = "fp8";
  try {
    parse_config(to_json(config), "wrong");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("wrong: mgdm.card"), std::string::npos) << text;
    EXPECT_NE(text.find("bf16"), std::string::npos) << text;
  }
}

TEST(ModelCard, IsReadFromARegularFileOfAModestSize) {
  const TemporaryFolder folder;
  const std::filesystem::path config = folder.path() / "config.json";
  const auto error = [&] { return error_of([&] { read_config(folder.path()); }); };
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  EXPECT_CONTAINS(error(), "it is not a regular file");
  std::filesystem::remove(config);
  std::filesystem::create_symlink("/dev/zero", config);
  EXPECT_CONTAINS(error(), "it is not a regular file");
  std::filesystem::remove(config);
  write_file(config.string(), config_text());
  std::filesystem::resize_file(config, 9 << 20);
  EXPECT_CONTAINS(error(), "it is too large");
}

TEST(ModelCard, IsChangedInACopyOnlyWhereAsked) {
  const TemporaryFolder folder;
  copy_model(kShipped, folder.path() / "int8", {.arithmetic = "int8"});
  copy_model(folder.path() / "int8", folder.path() / "same", {});
  EXPECT_EQ(read_config(folder.path() / "same").about.card->arithmetic, "int8");
  const std::string text = describe(folder.path() / "same", 90);
  EXPECT_NE(text.find("int8"), std::string::npos);
  EXPECT_NE(text.find("It answers puzzles of "), std::string::npos);
  for (const std::string_view line : split(text, '\n'))
    EXPECT_LE(count_code_points(line), 90u) << line;
  CheckpointConfig before = read_config(kShipped), after = read_config(folder.path() / "same");
  after.about.card->arithmetic = before.about.card->arithmetic;
  EXPECT_EQ(after.about.card, before.about.card);
  write_file((folder.path() / "same/notes.txt").string(), "x");
  formats::write_checksums(folder.path() / "same");
  std::filesystem::remove(folder.path() / "same/notes.txt");
  EXPECT_CONTAINS(describe(folder.path() / "same", 90), "missing");
}

}  // namespace
}  // namespace mgdm::model_files
