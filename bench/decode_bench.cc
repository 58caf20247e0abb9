// How long a pass of a network takes in the room runtime, and how near that is to the most that the
// processor can add and multiply.
//
//   decode_bench                                  all cases, as a table
//   decode_bench sudoku 64 bf16                   one case, batch and arithmetic: one line of JSON,
//                                                 for peers/run
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "formats/markdown_table.h"
#include "formats/test_support.h"
#include "measure.h"
#include "peak.h"
#include "runtime/network.h"
#include "runtime/test_support.h"
#include "spec/model_card.h"

namespace mgdm::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  const char* name;
  const char* architecture;
  std::int64_t layers, loops, width, heads;
  std::size_t length;
};

// Also in peers/torch_decode_peer.py.
constexpr Case kCases[] = {
    {"planning", "looped", 2, 4, 128, 4, 40},  // models/quick-planning-mgdm
    {"sudoku", "looped", 2, 8, 256, 8, 81},
    {"tiny", "gpt2", 3, 1, 384, 12, 64},  // the paper's 6M
};

spec::ModelSettings settings_of(const Case& each) {
  spec::ModelSettings settings;
  settings.architecture = each.architecture;
  settings.layers = each.layers;
  settings.loops = each.loops;
  settings.width = each.width;
  settings.heads = each.heads;
  settings.positions = static_cast<std::int64_t>(each.length);
  settings.shift = false;
  return settings;
}

// Multiplications and additions of a pass over one row: matrices and attention.
double operations(const Case& each) {
  const auto n = static_cast<double>(each.length), c = static_cast<double>(each.width);
  const double blocks = static_cast<double>(each.layers * each.loops);
  return blocks * (2 * 12 * c * c * n + 4 * n * n * c) + 2 * 31 * c * n;
}

// The median time of a pass, in seconds.
double pass_seconds(const Case& each, std::size_t batch, const std::string& arithmetic) {
  const spec::ModelSettings settings = settings_of(each);
  const formats::TemporaryFolder folder;
  runtime::write_weights(folder.path(), settings, runtime::random_weights(settings));
  const auto network = runtime::load_network(folder.path(), settings,
                                             {.arithmetic = runtime::arithmetic_named(arithmetic)});
  std::vector<data::Token> tokens(batch * each.length);
  Stream random(1, Purpose::kTest, 0);
  for (data::Token& token : tokens) token = random.below(31);
  const std::vector<std::uint8_t> frozen(tokens.size());
  std::vector<float> logits(tokens.size() * 31);
  std::vector<double> seconds;
  const auto begin = Clock::now();
  while (seconds.size() < 5 || Clock::now() - begin < std::chrono::milliseconds(1500)) {
    const auto start = Clock::now();
    network->logits({batch, each.length, tokens, frozen}, 0, logits);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(seconds.begin(),
                   seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2),
                   seconds.end());
  return seconds[seconds.size() / 2];
}

void print_table() {
  using formats::Align;
  formats::MarkdownTable table({{"network · batch · arithmetic"},
                                {"ms per pass", Align::kRight},
                                {"GFLOP/s", Align::kRight},
                                {"of the peak in fp32", Align::kRight}});
  const double peak = peak_operations(thread_count(0));
  for (const Case& each : kCases)
    for (const std::size_t batch : {1u, 64u})
      for (const std::string& arithmetic : spec::arithmetic_names()) {
        const double seconds = pass_seconds(each, batch, arithmetic);
        const double rate = static_cast<double>(batch) * operations(each) / seconds;
        table.add_row({fmt::format("{} · {} · {}", each.name, batch, arithmetic),
                       fmt::format("{:.3f}", 1e3 * seconds), fmt::format("{:.0f}", rate / 1e9),
                       fmt::format("{:.0f} %", 100 * rate / peak)});
      }
  fmt::print("{}; peak {:.0f} GFLOP/s on {} threads\n\n{}", machine(), peak / 1e9, thread_count(0),
             table.text());
}

void print_one(const std::string& name, std::size_t batch, const std::string& arithmetic) {
  for (const Case& each : kCases)
    if (each.name == name) {
      fmt::print("{{\"ms\": {:.4f}}}\n", 1e3 * pass_seconds(each, batch, arithmetic));
      return;
    }
  throw UsageError(fmt::format("there is no case {}", in_quotes(name)));
}

}  // namespace
}  // namespace mgdm::bench

int main(int argc, char** argv) {
  if (argc == 4)
    mgdm::bench::print_one(argv[1], std::stoul(argv[2]), argv[3]);
  else
    mgdm::bench::print_table();
}
