#include "torch_commands/bench_report.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mgdm::torch_commands {
namespace {

TrainSpeed some_speed() {
  TrainSpeed speed{.parameters = 100,
                   .length = 8,
                   .batch = 4,
                   .ms = 2,
                   .turns_ms = {1, 2, 3},
                   .flop = 1e9,
                   .memory_bytes = 5000,
                   .device = "some \"GPU\", 2 of them"};
  speed.rates = {.bytes_per_second = 1e12, .flop_per_second = 1e14};
  speed.kernels = {{.name = "norm<4, 2>", .label = "norm", .calls = 3, .ms = 1.5, .bytes = 6e8},
                   {.name = "gemm|fast", .calls = 1, .ms = 0.5, .flop = 2e10}};
  return speed;
}

TEST(BenchReport, SharesAreOfWhatTheDeviceDoesAtBest) {
  const auto json = to_json(some_speed());
  EXPECT_EQ(json["tokens_per_second"], 16000);
  EXPECT_DOUBLE_EQ(json["share_of_products"].get<double>(), 1e9 / 2e-3 / 1e14);
  const auto& kernels = json["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_DOUBLE_EQ(kernels[0]["share_of_time"].get<double>(), 0.75);
  EXPECT_DOUBLE_EQ(kernels[0]["share_of_memory"].get<double>(), 6e8 / 1.5e-3 / 1e12);
  EXPECT_TRUE(kernels[0]["flop"].is_null());
  EXPECT_TRUE(kernels[0]["share_of_products"].is_null());
  EXPECT_TRUE(kernels[1]["bytes"].is_null());
  EXPECT_DOUBLE_EQ(kernels[1]["share_of_products"].get<double>(), 2e10 / 0.5e-3 / 1e14);
}

TEST(BenchReport, SaysNothingOfWhatWasNotMeasured) {
  TrainSpeed speed = some_speed();
  speed.rates = {};
  speed.kernels.clear();
  const auto json = to_json(speed);
  EXPECT_TRUE(json["share_of_products"].is_null());
  EXPECT_FALSE(json.contains("kernels"));
  EXPECT_EQ(to_text(speed),
            "some \"GPU\", 2 of them: 100 parameters, 4 rows of 8 tokens\n"
            "2.00 ms a step, 16.0k tokens/s, 0.5 TFLOP/s, 0.0 GB at most\n");
}

TEST(BenchReport, IsMarkdownAndCsvToo) {
  const TrainSpeed speed = some_speed();
  const std::string table =
      "|    ms |     % | calls |    MB | % of memory | GFLOP | % of products | kernel           |\n"
      "|------:|------:|------:|------:|------------:|------:|--------------:|:-----------------|\n"
      "| 1.500 |  75.0 |     3 | 600.0 |          40 |       |               | norm: norm<4, 2> |\n"
      "| 0.500 |  25.0 |     1 |       |             |  20.0 |            40 | gemm\\|fast       "
      "|\n"
      "| 2.000 | 100.0 |       |       |             |       |               | all kernels      "
      "|\n";
  EXPECT_TRUE(to_text(speed).ends_with(table)) << to_text(speed);
  EXPECT_TRUE(to_markdown(to_json(speed)).ends_with("\n\n" + table)) << to_markdown(to_json(speed));
  const std::string csv = to_csv(to_json(speed));
  EXPECT_TRUE(
      csv.starts_with("name,label,calls,ms,share_of_time,bytes,flop,share_of_memory,"
                      "share_of_products\n\"norm<4, 2>\",norm,3,1.5,0.75,600000000.0,,"))
      << csv;
  TrainSpeed plain = speed;
  plain.kernels.clear();
  const std::string row = to_csv(to_json(plain));
  EXPECT_TRUE(row.starts_with("parameters,length,batch,ms,tokens_per_second,")) << row;
  EXPECT_TRUE(row.ends_with(",\"some \"\"GPU\"\", 2 of them\"\n")) << row;
}

TEST(DeviceRates, AreMeasured) {
  const DeviceRates rates = measure_rates(c10::Device(c10::kCPU), /*copied_bytes=*/4096,
                                          /*side=*/32);
  EXPECT_TRUE(std::isfinite(rates.bytes_per_second) && rates.bytes_per_second > 0);
  EXPECT_TRUE(std::isfinite(rates.flop_per_second) && rates.flop_per_second > 0);
}

}  // namespace
}  // namespace mgdm::torch_commands
