// Reports of benchmarks as text, Markdown and CSV, all from the same JSON: its numbers are the
// columns of one row, and its list of kernels is a separate table.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "torch_commands/bench_decode.h"
#include "torch_commands/bench_train.h"

namespace mgdm::torch_commands {

// The measured peak rates of a device, with which kernels are compared (not with a data sheet).

struct DeviceRates {
  double bytes_per_second = 0;  // read and written by a copy within its memory; 0: not measured
  double flop_per_second = 0;   // of a large product of random matrices, on a GPU in bf16

  bool operator==(const DeviceRates&) const = default;
};

// Measures a copy of so many bytes and a matmul of (side, side) matrices: the best of a few
// timings, in a fraction of a second on a GPU.
DeviceRates measure_rates(c10::Device device, std::int64_t copied_bytes = std::int64_t{1} << 28,
                          std::int64_t side = 8192);

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
