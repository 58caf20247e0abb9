#include "torch_commands/bench_report.h"

#include <fmt/format.h>

#include "base/progress.h"
#include "base/text.h"
#include "formats/markdown_table.h"

namespace mgdm::torch_commands {
namespace {

using formats::Align;
using Json = nlohmann::ordered_json;

constexpr const char* kKernels = "kernels";

Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

// amount / seconds / rate, where all are known.
Json share(double amount, double ms, double rate) {
  return amount > 0 && ms > 0 && rate > 0 ? Json(amount / ms * 1000 / rate) : Json(nullptr);
}

template <class Speed>
void add_common(Json& json, const Speed& speed) {
  json["tflop_per_second"] = speed.tflop_per_second();
  json["share_of_products"] =
      share(speed.tflop_per_second(), 1000, speed.rates.flop_per_second / 1e12);
  json["memory_bytes"] = speed.memory_bytes;
  json["measured_bytes_per_second"] = known(speed.rates.bytes_per_second);
  json["measured_flop_per_second"] = known(speed.rates.flop_per_second);
  json["device"] = speed.device;
  double all = 0;
  for (const compat::KernelUse& kernel : speed.kernels) all += kernel.ms;
  for (const compat::KernelUse& kernel : speed.kernels)
    json[kKernels].push_back(
        {{"name", kernel.name},
         {"label", kernel.label},
         {"calls", kernel.calls},
         {"ms", kernel.ms},
         {"share_of_time", kernel.ms / all},
         {"bytes", known(kernel.bytes)},
         {"flop", known(kernel.flop)},
         {"share_of_memory", share(kernel.bytes, kernel.ms, speed.rates.bytes_per_second)},
         {"share_of_products", share(kernel.flop, kernel.ms, speed.rates.flop_per_second)}});
}

// Times `scale`; empty where it is not known.
std::string cell(const Json& value, double scale, int digits) {
  return value.is_number() ? fmt::format("{:.{}f}", scale * value.get<double>(), digits) : "";
}

std::string kernel_table(const Json& kernels) {
  formats::MarkdownTable table({{"ms", Align::kRight},
                                {"%", Align::kRight},
                                {"calls", Align::kRight},
                                {"MB", Align::kRight},
                                {"% of memory", Align::kRight},
                                {"GFLOP", Align::kRight},
                                {"% of products", Align::kRight},
                                {"kernel"}});
  double ms = 0;
  for (const Json& kernel : kernels) {
    const auto label = kernel["label"].get<std::string>();
    const auto name = printable(kernel["name"].get<std::string>()).substr(0, 120);
    table.add_row({cell(kernel["ms"], 1, 3), cell(kernel["share_of_time"], 100, 1),
                   cell(kernel["calls"], 1, 0), cell(kernel["bytes"], 1e-6, 1),
                   cell(kernel["share_of_memory"], 100, 0), cell(kernel["flop"], 1e-9, 1),
                   cell(kernel["share_of_products"], 100, 0),
                   label.empty() ? name : label + ": " + name});
    ms += kernel["ms"].get<double>();
  }
  table.add_row({fmt::format("{:.3f}", ms), "100.0", "", "", "", "", "", "all kernels"});
  return table.text();
}

// What a bench's lines end with.
template <class Speed>
std::string end_of_text(const Speed& speed) {
  std::string text;
  if (speed.rates.flop_per_second > 0)
    text += fmt::format(" ({:.0f} % of a large product's)",
                        100e12 * speed.tflop_per_second() / speed.rates.flop_per_second);
  if (speed.memory_bytes > 0)
    text += fmt::format(", {:.1f} GB at most", static_cast<double>(speed.memory_bytes) / 1e9);
  text += '\n';
  if (speed.kernels.empty()) return text;
  text += fmt::format(
      "\nA copy moves {:.2f} TB/s, a product of large bf16 matrices computes {:.0f} "
      "TFLOP/s.\n\n",
      speed.rates.bytes_per_second / 1e12, speed.rates.flop_per_second / 1e12);
  return text + kernel_table(to_json(speed)[kKernels]);
}

std::string plain_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string markdown_cell(const Json& value) {
  return value.is_number_float() ? fmt::format("{:.4g}", value.get<double>()) : plain_text(value);
}

// Numbers and texts, not lists.
bool is_column(const Json& value) { return !value.is_array() && !value.is_object(); }

std::string csv_line(const Json& row, bool names) {
  std::string line;
  for (const auto& [name, value] : row.items())
    if (is_column(value)) line += csv_cell(names ? name : plain_text(value)) + ',';
  line.back() = '\n';
  return line;
}

}  // namespace

Json to_json(const TrainSpeed& speed) {
  Json json{{"parameters", speed.parameters}, {"length", speed.length},
            {"batch", speed.batch},           {"ms", speed.ms},
            {"turns_ms", speed.turns_ms},     {"tokens_per_second", speed.tokens_per_second()}};
  add_common(json, speed);
  return json;
}

Json to_json(const DecodeSpeed& speed) {
  Json json{{"parameters", speed.parameters},
            {"length", speed.length},
            {"batch", speed.batch},
            {"steps", speed.steps},
            {"passes", speed.passes},
            {"ms", speed.ms},
            {"ms_per_pass", speed.ms_per_pass()},
            {"turns_ms", speed.turns_ms},
            {"puzzles_per_second", speed.puzzles_per_second()},
            {"compared", speed.compared},
            {"same", speed.same}};
  add_common(json, speed);
  return json;
}

std::string to_text(const TrainSpeed& speed) {
  return fmt::format(
             "{}: {} parameters, {} rows of {} tokens\n"
             "{:.2f} ms a step, {} tokens/s, {:.1f} TFLOP/s",
             speed.device, speed.parameters, speed.batch, speed.length, speed.ms,
             format_count(speed.tokens_per_second()), speed.tflop_per_second()) +
         end_of_text(speed);
}

std::string to_text(const DecodeSpeed& speed) {
  return fmt::format(
             "{}: {} parameters, {} puzzles of {} tokens at a time, {} passes\n"
             "{} of {} answers are those of the plain path\n"
             "{:.2f} ms a batch, {:.3f} ms a pass, {} puzzles/s, {:.1f} TFLOP/s",
             speed.device, speed.parameters, speed.batch, speed.length, speed.passes, speed.same,
             speed.compared, speed.ms, speed.ms_per_pass(),
             format_count(speed.puzzles_per_second()), speed.tflop_per_second()) +
         end_of_text(speed);
}

std::string to_markdown(const Json& found) {
  std::vector<formats::MarkdownTable::Column> columns;
  std::vector<std::string> cells;
  for (const auto& [name, value] : found.items()) {
    if (!is_column(value)) continue;
    columns.push_back({name, value.is_string() ? Align::kLeft : Align::kRight});
    cells.push_back(markdown_cell(value));
  }
  formats::MarkdownTable row(columns);
  row.add_row(cells);
  return row.text() + (found.contains(kKernels) ? "\n" + kernel_table(found[kKernels]) : "");
}

std::string to_csv(const Json& found) {
  if (!found.contains(kKernels)) return csv_line(found, true) + csv_line(found, false);
  std::string text = csv_line(found[kKernels].front(), true);
  for (const Json& kernel : found[kKernels]) text += csv_line(kernel, false);
  return text;
}

}  // namespace mgdm::torch_commands
