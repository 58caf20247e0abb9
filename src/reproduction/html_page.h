// All results as one HTML page without scripts or external files, readable on a phone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduction/table.h"

namespace mgdm::reproduction {

struct PageTable {
  Table table;
  std::string figure = {};    // SVG, or empty
  std::string revision = {};  // that wrote it
};

// A score of `mgdm eval`, `verify` or `prompt` outside the tables.
struct PageScore {
  std::string file, task, model;
  std::size_t n = 0;
  double accuracy = 0, error = 0;
  std::optional<double> accuracy_paper = {};
  std::string decoding = {};  // "topk, 20 steps, 8 loops"; empty where nothing says so
  std::string revision = {};
};

// A training run.
struct PageRun {
  std::string name, recipe = {}, revision = {}, device = {};
  std::string changes = {};  // to its recipe: "objective.beta = 1.0"
  std::int64_t step = 0;     // the last that is known of
  // The latest measurements.
  std::optional<double> held_out_loss = {}, token_accuracy = {}, accuracy = {};
  std::string accuracies = {}, losses = {};  // through training: SVG, or empty
};

struct Page {
  std::string version, revision, date;
  std::vector<PageTable> tables = {};
  std::vector<PageScore> scores = {};
  std::vector<PageRun> runs = {};
  std::vector<std::string> unreadable = {};  // files that should be results; not on the page
};

// Collects the contents of the folders of results and runs: tables of `mgdm reproduce` in the order
// of the plans, scores of `eval`, `verify` and `prompt` in any JSON file, runs of `train`. Other
// files are skipped.
Page gather(const std::filesystem::path& results, const std::filesystem::path& runs);

std::string to_html(const Page& page);

}  // namespace mgdm::reproduction
