#include "spec/recipe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "data/layout.h"
#include "formats/test_support.h"
#include "spec/tensors.h"
#include "tasks/all_tasks.h"

namespace mgdm::spec {
namespace {

namespace fs = std::filesystem;

const fs::path kRecipes = fs::path(MGDM_SOURCE_DIR) / "recipes";

// Files that can be trained: what they extend stands in parts/ and common.toml.
std::vector<fs::path> recipes() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kRecipes)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".toml" && path.parent_path().filename() != "parts" &&
        path.filename() != "common.toml")
      found.push_back(path);
  }
  return found;
}

// As it resolves, read once.
const Recipe& recipe_at(const fs::path& path) {
  static std::map<fs::path, Recipe> known;
  const auto found = known.find(path);
  return found != known.end() ? found->second
                              : known.emplace(path, read_recipe(path, {})).first->second;
}

TEST(Recipes, EveryOneResolves) {
  std::size_t count = 0;
  for (const fs::path& path : recipes()) {
    SCOPED_TRACE(path.string());
    ++count;
    ASSERT_NO_THROW({
      const Recipe& recipe = recipe_at(path);
      tasks::make_task(recipe.task);
      resolved(recipe.objective);
      check(recipe.model);
      EXPECT_EQ((recipe.training.steps > 0) + (recipe.training.epochs > 0) +
                    (recipe.training.minutes > 0),
                1);
      EXPECT_LE(recipe.data.length, recipe.model.positions);
    });
  }
  EXPECT_GT(count, 80u);
}

TEST(Tensors, OfGpt2AreThoseOfItsFiles) {
  ModelSettings settings;
  settings.layers = 2;
  settings.width = 8;
  settings.positions = 5;
  settings.vocabulary = 10;
  EXPECT_EQ(tensors_of(settings).size(), 2u + 2u * 12u + 2u);
  EXPECT_EQ(parameter_count(settings), (10 + 5) * 8 + 2 * (12 * 8 * 8 + 13 * 8) + 2 * 8);
}

// Puzzles of every task and size fit the length that its recipes name.
TEST(Recipes, PaperLengthsHoldTheirPuzzles) {
  std::map<std::string, std::vector<tasks::Example>> puzzles;  // by task
  for (const fs::path& path : recipes()) {
    if (path.parent_path().filename() != "paper") continue;
    const Recipe& recipe = recipe_at(path);
    std::vector<tasks::Example>& examples = puzzles[recipe.task];
    const auto task = tasks::make_task(recipe.task);
    for (std::uint32_t item = 0; examples.size() < 100; ++item)
      examples.push_back(task->generate(0, tasks::Split::kTest, item));
    const data::Vocabulary vocabulary(recipe.data.alphabet.empty()
                                          ? data::kPaperAlphabet
                                          : std::string_view(recipe.data.alphabet));
    const auto layout =
        data::make_layout(recipe.data.layout, static_cast<int>(recipe.data.length), vocabulary);
    for (const tasks::Example& example : examples)
      ASSERT_NO_THROW(
          layout->check_fits(vocabulary.count(example.input), vocabulary.count(example.output)))
          << path;
  }
}

TEST(Recipes, LaterFilesAndOverridesWin) {
  const fs::path paper = kRecipes / "paper";
  const Recipe recipe = read_recipe(paper / "countdown-4-base-original-alpha1-beta1.toml", {});
  EXPECT_EQ(recipe.objective.sequence_weight, "original");  // this file
  EXPECT_EQ(recipe.objective.alpha, 1);
  EXPECT_EQ(recipe.training.epochs, 600);  // countdown-4-base-mgdm.toml
  EXPECT_EQ(recipe.model.layers, 12);      // parts/base.toml
  EXPECT_EQ(recipe.optimizer.lr, 3e-4);    // over parts/common.toml
  EXPECT_EQ(read_recipe(paper / "countdown-4-base-mgdm.toml", {"objective.beta=3"}).objective.beta,
            3);
}

// This test was built in a checkout, whose recipes count unless the variable names others.
TEST(Recipes, OnesOfTheProjectAreFoundFromAnyFolder) {
  const std::string name = "recipes/smoke/mgdm.toml";
  const fs::path before = fs::current_path();
  ::unsetenv("MGDM_RECIPES");
  fs::current_path(fs::temp_directory_path());
  EXPECT_NO_THROW(read_recipe(name, {}));
  ::setenv("MGDM_RECIPES", "/nowhere", 1);
  EXPECT_THROW(read_recipe(name, {}), Error);
  ::setenv("MGDM_RECIPES", kRecipes.c_str(), 1);
  EXPECT_EQ(read_recipe(name, {}).task, read_recipe(kRecipes / "smoke/mgdm.toml", {}).task);
  const auto hint_for = [](const std::string& asked) {
    try {
      read_recipe(asked, {});
    } catch (const Error& error) {
      return error.hint();
    }
    return std::string("there is one");
  };
  EXPECT_EQ(hint_for("recipes/smoke/mgmd.toml"), "did you mean 'recipes/smoke/mgdm.toml'?");
  EXPECT_EQ(hint_for("recipes/txt.toml"), "did you mean 'recipes/text.toml'?");
  EXPECT_EQ(hint_for("planing-tiny-mgdm"), "did you mean 'recipes/paper/planning-tiny-mgdm.toml'?");
  EXPECT_EQ(hint_for("xyzxyzxyz.toml"), "");
  ::unsetenv("MGDM_RECIPES");
  fs::current_path(before);
}

// A pipe in the folder of a run, or in a recipe's place, would be waited for without end.
TEST(Recipes, AreRegularFiles) {
  const formats::TemporaryFolder folder;
  const std::string pipe = folder.path() / "config.toml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")})
    EXPECT_CONTAINS(error_of([&] { read_recipe(path, {}); }), "not a regular file");
}

TEST(Recipes, SectionsMustFitTogether) {
  const auto read = [](const std::string& name, const std::vector<std::string>& overrides) {
    return read_recipe(kRecipes / "smoke" / (name + ".toml"), overrides);
  };
  EXPECT_NO_THROW(read("ar", {}));
  EXPECT_THROW(read("ar", {"model.causal=false"}), UsageError);  // it would be shown the answer
  EXPECT_THROW(read("teacherless", {"model.causal=false"}), UsageError);
  EXPECT_THROW(read("mgdm", {"model.causal=true"}), UsageError);
  EXPECT_THROW(read("ar", {"data.layout=in_place"}), UsageError);
  EXPECT_NO_THROW(read("looped", {"training.rounds=2", "model.loop_norm=true"}));
  EXPECT_THROW(read("looped", {"training.rounds=2"}), UsageError);
  EXPECT_THROW(read("looped", {"training.late_share=0.2"}), UsageError);
  EXPECT_NO_THROW(read("vdm", {}));
  EXPECT_THROW(read("vdm", {"model.vectors=0"}), UsageError);
  EXPECT_THROW(read("mgdm", {"model.vectors=8"}), UsageError);
  EXPECT_THROW(check(read("vdm", {"model.architecture=looped"}).model), UsageError);
  EXPECT_NO_THROW(read("ar", {"data.layout=long"}));
  EXPECT_THROW(read("mgdm", {"data.layout=long"}), UsageError);
  EXPECT_THROW(read("mgdm", {"extends=[\"ar.toml\"]"}), UsageError);  // only files do
}

// A user who names a default is not refused.
TEST(Recipes, TakeTheSmallestAndTheUsualNumbers) {
  EXPECT_EQ(read_recipe(kRecipes / "smoke/mgdm.toml", {"seed=0"}).seed, 0);
  EXPECT_THROW(read_recipe(kRecipes / "smoke/mgdm.toml", {"seed=-1"}), UsageError);
  const Recipe llama = read_recipe(kRecipes / "smoke/llama.toml", {"model.llama.norm_eps=1e-6"});
  EXPECT_EQ(llama.model.llama.norm_eps, 1e-6);
}

TEST(Recipes, NoNumberIsNegative) {
  Recipe recipe;
  config::Fields fields(recipe);
  for (const config::Field& field : fields.all()) {
    if (!std::holds_alternative<std::int64_t*>(field.target) &&
        !std::holds_alternative<double*>(field.target))
      continue;
    EXPECT_THROW(fields.set(field.key + "=-1"), UsageError) << field.key;
  }
}

TEST(Recipes, ARunGoesOnOnlyAsWhatItIs) {
  const fs::path path = kRecipes / "smoke/mgdm.toml";
  const Recipe before = read_recipe(path, {});
  for (const std::string other :
       {"task=countdown-3", "data.alphabet=abc", "data.length=99", "data.reverse=true",
        "model.width=128", "objective.kind=rdm", "optimizer.optimizer=muon", "training.ema=0.5"}) {
    try {
      check_continues(before, read_recipe(path, {other}), "runs/x");
      ADD_FAILURE() << other;
    } catch (const Error& error) {
      const std::string key = other.substr(0, other.find('='));
      EXPECT_NE(std::string(error.what()).find("the run in runs/x has " + key), std::string::npos)
          << error.what();
    }
  }
  EXPECT_TRUE(check_continues(before, before, "runs/x").empty());
  const std::vector<std::string> changes{"training.steps=99", "optimizer.lr=1e-5", "data.count=77",
                                         "model.dropout=0.3"};
  EXPECT_EQ(
      check_continues(before, read_recipe(path, changes), "runs/x"),
      (std::vector<std::string>{"data.count = 77, was 256", "model.dropout = 0.3, was 0.1",
                                "optimizer.lr = 1e-05, was 0.001", "training.steps = 99, was 12"}));
  const fs::path llama = kRecipes / "smoke/llama.toml";
  const auto with_lora = [&](const std::string& more) {
    return read_recipe(llama, {"model.lora.rank=4", "training.recompute=false", more});
  };
  const Recipe lora = with_lora("model.lora.dropout=0");
  EXPECT_EQ(check_continues(lora, with_lora("model.lora.dropout=0.1"), "runs/x"),
            std::vector<std::string>{"model.lora.dropout = 0.1, was 0.0"});
  EXPECT_THROW(check_continues(lora, with_lora("model.lora.alpha=3"), "runs/x"), Error);
}

TEST(Recipes, ARefusedExponentSaysWhyAndWhatToDo) {
  for (const char* override_text : {"objective.beta=0.5", "objective.beta=0"}) {
    try {
      read_recipe(kRecipes / "smoke/mgdm.toml", {override_text});
      FAIL() << override_text;
    } catch (const UsageError& error) {
      EXPECT_NE(error.expected().find("gradient"), std::string::npos) << error.what();
      EXPECT_NE(error.expected().find("reweight_tokens=false"), std::string::npos) << error.what();
    }
  }
}

TEST(Recipes, MistakesAreNamed) {
  const fs::path folder = fs::temp_directory_path() / "mgdm_recipe_test";
  fs::create_directories(folder);
  write_file((folder / "loop.toml").string(), "extends = [\"loop.toml\"]\n");
  write_file((folder / "no_task.toml").string(), "seed = 1\n");
  write_file((folder / "orphan.toml").string(), "extends = [\"nowhere.toml\"]\n");
  EXPECT_THROW(read_recipe(folder / "loop.toml", {}), UsageError);
  EXPECT_THROW(read_recipe(folder / "no_task.toml", {}), UsageError);
  EXPECT_THROW(read_recipe(folder / "orphan.toml", {}), Error);
  fs::remove_all(folder);
}

// docs/recipes.md names every recipe of the paper and no other, as `NAME` or with a choice of words
// in braces: `countdown-{3,4,5}-base-rdm`.
std::set<std::string> expanded(const std::string& name) {
  const std::size_t open = name.find('{');
  if (open == std::string::npos) return {name};
  const std::size_t close = name.find('}', open);
  std::set<std::string> names;
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(name.find(',', begin), close);
    names.merge(
        expanded(name.substr(0, open) + name.substr(begin, end - begin) + name.substr(close + 1)));
    begin = end + 1;
  }
  return names;
}

TEST(Recipes, TheDocumentListsThemAll) {
  std::set<std::string> documented, present;
  const std::string text = read_file(fs::path(MGDM_SOURCE_DIR) / "docs/recipes.md");
  static const std::regex kName("\n\\| `([^`/]+)` \\|");
  for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it)
    documented.merge(expanded((*it)[1]));
  for (const fs::path& path : recipes())
    if (path.parent_path().filename() == "paper") present.insert(path.stem());
  EXPECT_EQ(documented, present);
}

}  // namespace
}  // namespace mgdm::spec
