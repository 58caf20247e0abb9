// Reports of benchmarks as text, Markdown and CSV, all from the same JSON: its numbers are the
// columns of one row, and its list of kernels is a separate table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "torch_commands/bench_decode.h"
#include "torch_commands/bench_train.h"

namespace mgdm::torch_commands {

nlohmann::ordered_json to_json(const TrainSpeed& speed);
nlohmann::ordered_json to_json(const DecodeSpeed& speed);

// Text: a few lines, and the kernels.
std::string to_text(const TrainSpeed& speed);
std::string to_text(const DecodeSpeed& speed);

// Markdown: the row, and the table of kernels if there are any. Unknown values are empty.
std::string to_markdown(const nlohmann::ordered_json& found);

// CSV: a header, then the kernels, one per line, or the row if there are none.
std::string to_csv(const nlohmann::ordered_json& found);

}  // namespace mgdm::torch_commands
