// The settings of `mgdm eval`, which two halves of the program serve: this one decodes, and one
// with LibTorch measures losses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/command.h"
#include "cli/compute_flags.h"
#include "cli/decoding_flags.h"
#include "config/settings.h"

namespace mgdm::cli {

struct EvalSettings {
  std::string model, data, json, predictions, losses, figure, figure_over = "auto";
  std::int64_t limit = 0, batch = 256, samples = 1;
  DecodingFlags decode;
  ComputeFlags compute;
  bool quiet = false;
  bool no_table = false;  // of losses, for who reads the JSON: no flag

  void visit(config::Visitor& v) {
    v.field("model", model, "a checkpoint folder, or the name of a model we ship");
    v.field("data", data,
            "the puzzles: JSONL, Sudoku CSV, lines or grids; without it 1000 of the test "
            "split (seed 77; of sudoku minimal ones), or as many as --limit says, but for losses");
    v.field("limit", limit, "only the first N puzzles (0 = all)", config::at_least(0));
    decode.visit(v);
    v.field("batch", batch, "puzzles decoded at a time, at most", config::range(1, 1e6));
    compute.visit(v);
    v.field("json", json, "write the score to this file; - prints it alone");
    v.field("predictions", predictions, "write the answers to this file, one JSON object per line");
    v.field("losses", losses,
            "instead of decoding, write the loss at each of --steps noise levels and each position "
            "to this JSON file");
    v.field("samples", samples, "losses: noised copies of every puzzle at every level",
            config::range(1, 1e6));
    v.field("figure", figure, "losses: draw them into this SVG file");
    v.field("figure_over", figure_over, "losses: what the figure draws them against",
            config::one_of({"auto", "level", "position"}));
    v.field("quiet", quiet, "print nothing but errors");
  }
};

// The puzzles of the file that the settings name.
std::vector<tasks::Example> read_puzzles(const EvalSettings& settings, const tasks::Task& task);

}  // namespace mgdm::cli
