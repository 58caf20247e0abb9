#include "reproduction/html_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "base/files.h"
#include "reproduction/test_support.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

// Whether every element that is opened is closed, and in order. Enough of HTML for what we write.
std::string unbalanced(const std::string& html) {
  static const std::set<std::string> kVoid{"meta", "link", "img"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<', 1); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const bool closes = html[at + 1] == '/';
    const std::size_t name = at + (closes ? 2 : 1);
    const std::string tag = html.substr(name, html.find_first_of(" >/\n", name) - name);
    if (html[end - 1] == '/' || (kVoid.contains(tag) && !closes)) continue;
    if (!closes) {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag) {
      return "</" + tag + "> after <" + (open.empty() ? "" : open.back()) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

TEST_F(Reproduction, ThePageHasAllOfItAndAsksForNothing) {
  write_table(reproduce(find_plan("sizes"), context_), context_);
  write_table(reproduce(find_plan("tasks"), context_), context_);
  write_table(reproduce(small_plan("quick-planning-mgdm", "quick-planning-ar"), context_),
              context_);
  write_file((context_.out / "small/small.svg").string(),
             "<svg onload=\"x\"><script>x</script></svg>");
  const fs::path run = context_.runs / "my <run>";
  fs::create_directories(run);
  write_file((run / "metrics.jsonl").string(),
             "{\"step\": 100, \"accuracy\": 0.25, \"loss\": 1}\n{\"step\": 200, \"loss\": 0.5}\n"
             "{\"step\": 300, \"accuracy\": 0.75}\n{\"st");
  write_file((run / "env.json").string(), R"({"recipe": "recipes/x.toml", "git_revision": "abc"})");
  write_file((run / "score.json").string(),
             R"({"task": "sudoku", "n": 10, "accuracy": 0.9, "stderr": 0.1,
                 "settings": {"model": "m&m"}, "git_revision": "def"})");
  write_file((run / "broken.json").string(), "{");
  const Page page = gather(context_.out, context_.runs);
  ASSERT_EQ(page.tables.size(), 3u);
  EXPECT_EQ(page.tables[0].table.name, "tasks");  // in the order of the plans
  EXPECT_EQ(page.tables[1].table.name, "sizes");
  EXPECT_EQ(page.tables[2].table.name, "small");
  ASSERT_EQ(page.scores.size(), 1u);
  ASSERT_EQ(page.runs.size(), 1u);
  EXPECT_EQ(page.runs[0].recipe, "recipes/x.toml");
  EXPECT_EQ(page.runs[0].accuracy, 0.75);
  const std::string html = to_html(page);
  EXPECT_EQ(unbalanced(html), "");
  EXPECT_CONTAINS(html, "my &lt;run&gt;");
  EXPECT_CONTAINS(html, "m&amp;m");
  EXPECT_CONTAINS(html, "width=device-width");
  EXPECT_CONTAINS(html, "<th colspan=\"2\">Base</th>");  // over the paper's number and ours
  EXPECT_CONTAINS(html, "<th rowspan=\"2\" class=\"text\">output</th>");
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<svg"), std::string::npos);
  EXPECT_CONTAINS(html, "form-action 'none'; base-uri 'none'");
  // No reference leaves the page.
  EXPECT_EQ(html.find("://"), std::string::npos);
  std::size_t figures = 0;
  for (std::size_t at = html.find(" src=\""); at != std::string::npos;
       at = html.find(" src=\"", at + 1), ++figures)
    EXPECT_EQ(html.substr(at + 6, 19), "data:image/svg+xml,");
  EXPECT_EQ(figures, 3u);  // one of a table, the accuracies and the losses of a run
  for (std::size_t at = html.find("href=\""); at != std::string::npos;
       at = html.find("href=\"", at + 1))
    EXPECT_TRUE(html[at + 6] == '#' || html.substr(at + 6, 6) == "data:,") << html.substr(at, 40);
  EXPECT_TRUE(gather(folder_.path() / "none", folder_.path() / "none").tables.empty());
}

TEST_F(Reproduction, ThePageTellsRunsApartAndHasThoseCutShort) {
  const std::string recipe = "recipes/smoke/mgdm.toml";
  const auto make = [&](const std::string& name, const std::vector<std::string>& overrides) {
    const fs::path run = context_.runs / name;
    fs::create_directories(run);
    spec::Recipe settings = spec::read_recipe(recipe, overrides);
    if (settings.data.length == 0) settings.data.length = 40;  // as training notes it
    write_file((run / "config.toml").string(), config::Fields(settings).dump());
    write_file((run / "env.json").string(), R"({"recipe": ")" + recipe + R"("})");
    return run;
  };
  make("at-once", {});
  write_file((make("changed", {"objective.beta=3", "seed=7"}) / "metrics.jsonl").string(),
             "{\"step\": 25, \"held_out_loss\": 1.75934, \"held_out_token_accuracy\": 0.571}\n"
             "{\"step\": 145, \"loss\": 1.5}\n");
  const Page page = gather(context_.out, context_.runs);
  ASSERT_EQ(page.runs.size(), 2u);
  EXPECT_EQ(page.runs[0].name, "at-once");
  EXPECT_EQ(page.runs[0].changes, "");
  EXPECT_EQ(page.runs[0].step, 0);
  EXPECT_EQ(page.runs[1].changes, "seed = 7, objective.beta = 3.0");
  EXPECT_EQ(page.runs[1].step, 145);
  EXPECT_FALSE(page.runs[1].accuracy);
  const std::string html = to_html(page);
  EXPECT_EQ(unbalanced(html), "");
  EXPECT_CONTAINS(html, "objective.beta = 3.0</td><td>145</td><td>1.7593</td><td>57.1</td>");
}

TEST_F(Reproduction, ThePageSaysHowAScoreWasDecoded) {
  fs::create_directories(context_.out);
  const auto write = [&](const std::string& name, const std::string& settings) {
    write_file((context_.out / name).string(),
               R"({"task": "sudoku", "n": 10, "accuracy": 0.9, "settings": )" + settings + "}");
  };
  write("a.json", R"({"decoding": "random", "steps": 20, "loops": 0})");
  write("b.json", R"({"decoding": "topk", "steps": 5, "loops": 8})");
  write("c.json", R"({"loops": 8})");
  write("d.json", "{}");
  for (const char* const none : {"-1", "1e300", "null"})  // no numbers of puzzles
    write_file((context_.out / fmt::format("f{}.json", none)).string(),
               fmt::format(R"({{"task": "sudoku", "n": {}, "accuracy": 0.9}})", none));
  const std::string cut = (context_.out / "e.json").string();
  write_file(cut, "{\"task\": \"sud");
  const Page page = gather(context_.out, context_.runs);
  EXPECT_EQ(page.unreadable, std::vector<std::string>{cut});
  ASSERT_EQ(page.scores.size(), 4u);
  EXPECT_EQ(page.scores[0].decoding, "random, 20 steps");
  EXPECT_EQ(page.scores[1].decoding, "topk, 5 steps, 8 loops");
  EXPECT_EQ(page.scores[2].decoding, "8 loops");
  EXPECT_EQ(page.scores[3].decoding, "");
  EXPECT_CONTAINS(to_html(page), "<td>topk, 5 steps, 8 loops</td>");
}

TEST_F(Reproduction, ThePageHasTheCurvesOfEverySeed) {
  for (const char* seed : {"seed-1", "seed-2"}) {
    const fs::path run = context_.runs / "three" / seed;
    fs::create_directories(run);
    write_file((run / "metrics.jsonl").string(),
               "{\"step\": 1, \"held_out_loss\": 2}\n{\"step\": 2, \"held_out_loss\": 1}\n");
  }
  write_file((context_.runs / "notes.txt").string(), "no run");
  const Page page = gather(context_.out, context_.runs);
  ASSERT_EQ(page.runs.size(), 2u);
  EXPECT_EQ(page.runs[1].name, "three/seed-2");
  EXPECT_CONTAINS(page.runs[1].losses, "held-out loss");
  EXPECT_EQ(page.runs[1].accuracies, "");
  EXPECT_TRUE(page.unreadable.empty());
}

TEST_F(Reproduction, ThePageLeavesOutAPipeAndSaysSo) {
  write_table(reproduce(find_plan("sizes"), context_), context_);
  const std::string figure = (context_.out / "sizes/sizes.svg").string();
  const fs::path run = context_.runs / "x";
  fs::create_directories(run);
  ASSERT_EQ(::mkfifo(figure.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((run / "metrics.jsonl").c_str(), 0600), 0);
  const Page page = gather(context_.out, context_.runs);
  EXPECT_EQ(page.unreadable,
            (std::vector<std::string>{(context_.out / "sizes/sizes.json").string(), run.string()}));
  EXPECT_TRUE(page.tables.empty() && page.runs.empty());
}

// What was prompted: in the table that with the most puzzles, on the page all of it.
TEST_F(Reproduction, GameOf24HasWhatWasPrompted) {
  const auto write = [&](const std::string& name, int n, double accuracy) {
    fs::create_directories(context_.runs / name);
    write_file((context_.runs / name / "score.json").string(),
               fmt::format(R"({{"task": "game24", "method": "tot", "model": "m", "n": {}, )"
                           R"("accuracy": {}, "prompt_tokens": 900.4, "generated_tokens": 800}})",
                           n, accuracy));
  };
  write("a-trial", 2, 1);
  write("whole", 100, 0.5);
  const Table table = reproduce(find_plan("game24"), context_);
  const TableRow& tot = table.rows.at(3);
  EXPECT_CONTAINS(tot.label, "ToT");
  EXPECT_EQ(tot.values[0].ours, 50);
  EXPECT_EQ(tot.values[1].ours, 900.4);
  EXPECT_EQ(tot.values[2].ours, 800);
  EXPECT_EQ(tot.values[3].paper, 186);
  EXPECT_FALSE(table.rows.at(0).values[0].ours);
  const Page page = gather(context_.out, context_.runs);
  ASSERT_EQ(page.scores.size(), 2u);
  EXPECT_EQ(page.scores[1].decoding, "tot, 900 prompt and 800 generated tokens");
}

}  // namespace
}  // namespace mgdm::reproduction
