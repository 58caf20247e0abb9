// What benches found, for people and for programs. Everything is written from the same JSON: its
// numbers are the columns of one row, and its list of kernels is a table of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "workshop/bench_decode.h"
#include "workshop/bench_train.h"

namespace mgdm::workshop {

nlohmann::ordered_json to_json(const TrainSpeed& speed);
nlohmann::ordered_json to_json(const DecodeSpeed& speed);

// A few lines for people, and the kernels.
std::string to_text(const TrainSpeed& speed);
std::string to_text(const DecodeSpeed& speed);

// The row and, where there are kernels, their table. What is not known is empty.
std::string to_markdown(const nlohmann::ordered_json& found);

// The kernels, a line each; without any, the row. Behind a line of names.
std::string to_csv(const nlohmann::ordered_json& found);

}  // namespace mgdm::workshop
