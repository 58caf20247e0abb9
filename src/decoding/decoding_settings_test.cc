#include "decoding/decoding_settings.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::decoding {
namespace {

TEST(DecodingSettings, AutoRevisesWhereItIsSound) {
  DecodingSettings settings;
  EXPECT_EQ(settings.resolved(true).revise, "on");
  EXPECT_EQ(settings.resolved(false).revise, "off");
  settings.order = "random";
  EXPECT_EQ(settings.resolved(true).revise, "off");
  settings.revise = "remask";
  EXPECT_EQ(settings.resolved(true).revise, "remask");
}

TEST(DecodingSettings, EveryTemperatureAboveZeroSamples) {
  DecodingSettings settings;
  settings.noise = 0;
  EXPECT_FALSE(settings.samples_tokens());
  EXPECT_FALSE(settings.stochastic());
  for (const double temperature : {1e-9, 0.5, 1.0, 2.0}) {
    settings.temperature = temperature;
    EXPECT_TRUE(settings.samples_tokens()) << temperature;
    EXPECT_TRUE(settings.stochastic()) << temperature;
  }
}

TEST(DecodingSettings, GreedyDecodingIsNeverStochastic) {
  DecodingSettings settings;
  settings.decoder = Decoder::kLeftToRight;
  settings.temperature = 1;
  EXPECT_FALSE(settings.stochastic());
}

TEST(DecodingSettings, TriesThatAreAllTheSameAreAMistake) {
  DecodingSettings settings;
  settings.noise = 0;
  EXPECT_NO_THROW(settings.check_tries());
  settings.tries = 2;
  EXPECT_THROW(settings.check_tries(), UsageError);
  settings.temperature = 1;  // samples
  EXPECT_NO_THROW(settings.check_tries());
  settings.decoder = Decoder::kLeftToRight;
  EXPECT_THROW(settings.check_tries(), UsageError);
}

TEST(DecodingSettings, RangesAreChecked) {
  DecodingSettings settings;
  config::Fields fields(settings);
  EXPECT_THROW(fields.set("steps=0"), UsageError);
  EXPECT_THROW(fields.set("order=best"), UsageError);
  EXPECT_THROW(fields.set("noise=-1"), UsageError);
  EXPECT_THROW(fields.set("symmetries=0"), UsageError);
  EXPECT_THROW(fields.set("symmetries=257"), UsageError);
  EXPECT_THROW(fields.set("noise=1e39"), UsageError);  // too large for scores in float
  fields.set("steps=10");
  EXPECT_EQ(settings.steps, 10);
  EXPECT_EQ(settings.symmetries, 1);
  fields.set("symmetries=8");
  EXPECT_EQ(settings.symmetries, 8);
}

}  // namespace
}  // namespace mgdm::decoding
