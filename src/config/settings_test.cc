#include "config/settings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::config {
namespace {

struct Decoding {
  std::int64_t steps = 20;
  double temperature = 0.5;
  std::string order = "topk";
  void visit(Visitor& v) {
    v.field("steps", steps, "denoising steps", range(1, 1000));
    v.field("temperature", temperature, "noise on the scores", at_least(0));
    v.field("order", order, "which positions to show first", one_of({"topk", "random", "margin"}));
  }
};

struct Recipe {
  std::string task = "sudoku";
  bool revise = true;
  std::vector<std::string> files;
  Decoding decoding;
  void visit(Visitor& v) {
    v.field("task", task, "what to learn");
    v.field("revise", revise, "predict shown positions again");
    v.field("files", files, "training data");
    v.section("decoding", decoding);
  }
};

template <class Action>
std::string usage_error(Action&& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_MENTIONS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

TEST(Settings, ReadsTomlAndLeavesTheRest) {
  Recipe recipe;
  Fields(recipe).read_toml(
      "task = \"sat-9\"\nfiles = [\"a\", \"b\"]\n[decoding]\nsteps = 7\ntemperature = 1\n",
      "r.toml");
  EXPECT_EQ(recipe.task, "sat-9");
  EXPECT_TRUE(recipe.revise);
  EXPECT_EQ(recipe.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(recipe.decoding.steps, 7);
  EXPECT_EQ(recipe.decoding.temperature, 1.0);  // an integer is a number
  EXPECT_EQ(recipe.decoding.order, "topk");
}

TEST(Settings, AnIntegerThatIsTooLargeIsToldTheTrueRange) {
  struct Seeded {
    std::int64_t seed = 0;
    void visit(Visitor& v) { v.field("seed", seed, "a seed", at_least(0)); }
  } seeded;
  Fields fields(seeded);
  fields.set("seed=9223372036854775807");
  EXPECT_EQ(seeded.seed, 9223372036854775807);
  EXPECT_EQ(usage_error([&] { fields.set("seed=18446744073709551615"); }),
            "seed = 18446744073709551615\n  expected: an integer, 0 to 9223372036854775807");
  Recipe recipe;
  EXPECT_MENTIONS(usage_error([&] { Fields(recipe).set("decoding.steps=99999999999999999999"); }),
                  "an integer, 1 to 1000");
}

TEST(Settings, Overrides) {
  Recipe recipe;
  Fields fields(recipe);
  fields.set("decoding.order=margin");
  fields.set("task=\"quoted = text\"");
  fields.set(" decoding.temperature = 2.5e-3 ");
  fields.set("revise=false");
  fields.set("files=[\"x,y\"]");
  EXPECT_EQ(recipe.decoding.order, "margin");
  EXPECT_EQ(recipe.task, "quoted = text");
  EXPECT_EQ(recipe.decoding.temperature, 2.5e-3);
  EXPECT_FALSE(recipe.revise);
  EXPECT_EQ(recipe.files, std::vector<std::string>{"x,y"});
  fields.set("files=a \"b\".csv");  // one stands for a list of it
  EXPECT_EQ(recipe.files, std::vector<std::string>{"a \"b\".csv"});
  fields.set("files=\"[c]\"");
  EXPECT_EQ(recipe.files, std::vector<std::string>{"[c]"});
  fields.set("files=[]");
  EXPECT_TRUE(recipe.files.empty());
}

TEST(Settings, DumpReadsBack) {
  Recipe recipe;
  recipe.task = "quote\" backslash\\ tab\t";
  recipe.files = {"one", "two"};
  recipe.decoding.temperature = 0.1;
  for (const bool comments : {false, true}) {
    Recipe again;
    Fields fields(again);
    fields.read_toml(Fields(recipe).dump(comments), "dump");
    EXPECT_TRUE(fields.differences(Fields(recipe)).empty());
    EXPECT_EQ(again.task, recipe.task);
  }
}

TEST(Settings, Differences) {
  Recipe a, b;
  b.decoding.steps = 21;
  b.revise = false;
  EXPECT_EQ(Fields(a).differences(Fields(b)),
            (std::vector<Fields::Difference>{{"revise", "true", "false"},
                                             {"decoding.steps", "20", "21"}}));
}

TEST(Settings, UnknownKeyNamesTheNearest) {
  Recipe recipe;
  Fields fields(recipe);
  std::string error = usage_error([&] { fields.set("decoding.step=3"); });
  EXPECT_MENTIONS(error, "unknown key 'decoding.step'");
  EXPECT_MENTIONS(error, "did you mean 'decoding.steps'?");
  error = usage_error([&] { fields.read_toml("\n[decoding]\nodrer = \"topk\"", "r.toml"); });
  EXPECT_MENTIONS(error, "r.toml:3: unknown key 'decoding.odrer'");
  EXPECT_MENTIONS(error, "did you mean 'decoding.order'?");
  error = usage_error([&] { fields.set("steps=3"); });
  EXPECT_MENTIONS(error, "expected: decoding.steps");
}

TEST(Settings, WrongTypeRangeAndChoice) {
  Recipe recipe;
  Fields fields(recipe);
  std::string error = usage_error([&] { fields.read_toml("[decoding]\nsteps = \"x\"", "r.toml"); });
  EXPECT_MENTIONS(error, "r.toml:2: decoding.steps = text");
  EXPECT_MENTIONS(error, "an integer, 1 to 1000");
  error = usage_error([&] { fields.set("decoding.steps=0"); });
  EXPECT_MENTIONS(error, "decoding.steps = 0");
  EXPECT_MENTIONS(error, "an integer, 1 to 1000 (denoising steps)");  // the help may say why
  error = usage_error([&] { fields.set("decoding.steps=many"); });
  EXPECT_MENTIONS(error, "an integer, 1 to 1000 (denoising steps)");
  error = usage_error([&] { fields.set("decoding.steps=2.5"); });
  EXPECT_MENTIONS(error, "decoding.steps = 2.5");
  EXPECT_MENTIONS(error, "an integer, 1 to 1000");
  error = usage_error([&] { fields.set("decoding.temperature=inf"); });
  EXPECT_MENTIONS(error, "decoding.temperature = inf");
  error = usage_error([&] { fields.set("decoding.temperature=nan"); });
  EXPECT_MENTIONS(error, "a number, at least 0");
  error = usage_error([&] { fields.set("decoding.order=topc"); });
  EXPECT_MENTIONS(error, "topk, random or margin");
  EXPECT_MENTIONS(error, "did you mean 'topk'?");
  error = usage_error([&] { fields.set("decoding.steps=1\nrevise=false"); });
  EXPECT_MENTIONS(error, "decoding.steps");
  EXPECT_MENTIONS(usage_error([&] { fields.set("revise"); }), "key=value");
  EXPECT_EQ(recipe.decoding.steps, 20);
  EXPECT_TRUE(recipe.revise);
}

TEST(Settings, BrokenTomlNamesTheLine) {
  Recipe recipe;
  const std::string error =
      usage_error([&] { Fields(recipe).read_toml("task = \"a\"\nrevise = maybe\n", "r.toml"); });
  EXPECT_MENTIONS(error, "r.toml:2: ");
  EXPECT_MENTIONS(usage_error([&] { Fields(recipe).read_toml("[ \nx = 1\n", "r.toml"); }),
                  "r.toml:");
}

TEST(Settings, LettersBeyondAsciiInDoubleQuotesAndComments) {
  Recipe recipe;
  Fields fields(recipe);
  fields.read_toml(
      "# caf\u00e9\ntask = \"\u00e9\u4e2d\U0001F600\" # \ufef9\nfiles = [\"\"\"a\"\u00e9\"\"\"]\n",
      "r.toml");
  EXPECT_EQ(recipe.task, "\u00e9\u4e2d\U0001F600");
  EXPECT_EQ(recipe.files, std::vector<std::string>{"a\"\u00e9"});
  fields.set("task=\u00e9");
  EXPECT_EQ(recipe.task, "\u00e9");
  fields.read_toml(Fields(recipe).dump(), "dump");
  EXPECT_EQ(recipe.task, "\u00e9");
  EXPECT_MENTIONS(usage_error([&] { fields.read_toml("\ntask = \u00e9", "r.toml"); }),
                  "r.toml:2: U+00E9 outside of double quotes");
  for (const char* text : {"task = '\u00e9'", "task = \"\"\"\"\"\"\nfiles = \u00e9"})
    EXPECT_MENTIONS(usage_error([&] { fields.read_toml(text, "r.toml"); }), "U+00E9");
  EXPECT_MENTIONS(usage_error([&] { fields.read_toml("\n\ntask = \"\xff\"", "r.toml"); }),
                  "r.toml:3: a byte that is not UTF-8");
  EXPECT_MENTIONS(usage_error([&] {
                    fields.set(
                        "decoding.steps=\ufef9"
                        "0");
                  }),
                  "U+FEF9");
}

TEST(Settings, HelpListsEveryField) {
  Recipe recipe;
  const std::string help = Fields(recipe).help();
  EXPECT_MENTIONS(help, "decoding.order = \"topk\"");
  EXPECT_MENTIONS(help, "which positions to show first (text: topk, random or margin)");
}

}  // namespace
}  // namespace mgdm::config
