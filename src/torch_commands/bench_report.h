// What benches found, for people and for programs. Everything is written from the same JSON: its
// numbers are the columns of one row, and its list of kernels is a table of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "torch_commands/bench_decode.h"
#include "torch_commands/bench_train.h"

namespace mgdm::torch_commands {

nlohmann::ordered_json to_json(const TrainSpeed& speed);
nlohmann::ordered_json to_json(const DecodeSpeed& speed);

// A few lines for people, and the kernels.
std::string to_text(const TrainSpeed& speed);
std::string to_text(const DecodeSpeed& speed);

// The row and, where there are kernels, their table. What is not known is empty.
std::string to_markdown(const nlohmann::ordered_json& found);

// The kernels, a line each; without any, the row. Behind a line of names.
std::string to_csv(const nlohmann::ordered_json& found);

}  // namespace mgdm::torch_commands
