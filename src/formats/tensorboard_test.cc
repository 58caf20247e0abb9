#include "formats/tensorboard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "base/files.h"
#include "base/random.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

constexpr char kVersionEvent[] =
    "\x1A\x0D"
    "brain.Event:2";

std::string version_record() { return to_record(kVersionEvent); }

TEST(Tensorboard, TheExactBytesOfARecord) {
  const std::vector<Scalar> scalars{{"loss", 0.5f}};
  const std::string event = encode_event(1.5, 300, scalars);
  const unsigned char expected[] = {
      27,   0,    0,    0,    0,    0,   0, 0,           // length
      0x1A, 0x0D, 0x9E, 0x13,                            // its masked CRC
      0x09, 0,    0,    0,    0,    0,   0, 0xF8, 0x3F,  // field 1, double: 1.5
      0x10, 0xAC, 0x02,                                  // field 2, varint: 300
      0x2A, 13,                                          // field 5, 13 bytes: the summary
      0x0A, 11,                                          // field 1, 11 bytes: a value
      0x0A, 4,    'l',  'o',  's',  's',                 // field 1, 4 bytes: the tag
      0x15, 0,    0,    0,    0x3F,                      // field 2, float: 0.5
      0x69, 0xF9, 0x31, 0x5B,                            // masked CRC of the 27 bytes
  };
  EXPECT_EQ(to_record(event),
            std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST(Tensorboard, ReadsBackWhatWasWrittenWhileTheWriterLives) {
  TemporaryFolder folder;
  EventWriter events(folder.path() / "new" / "run");
  events.add_scalar("loss", 0.25f, 0);
  events.add_scalars({{"loss", 0.125f}, {"größe/µ", -3.0f}}, std::int64_t{1} << 40);
  events.add_scalar("diverged", std::numeric_limits<float>::quiet_NaN(), -1);

  const EventLog log = read_events(events.path());
  EXPECT_FALSE(log.truncated);
  ASSERT_EQ(log.scalars.size(), 4u);
  EXPECT_EQ(log.scalars[0].tag, "loss");
  EXPECT_EQ(log.scalars[0].value, 0.25f);
  EXPECT_EQ(log.scalars[0].step, 0);
  EXPECT_EQ(log.scalars[1].step, std::int64_t{1} << 40);
  EXPECT_EQ(log.scalars[2].tag, "größe/µ");
  EXPECT_EQ(log.scalars[2].value, -3.0f);
  EXPECT_EQ(log.scalars[3].step, -1);
  EXPECT_TRUE(std::isnan(log.scalars[3].value));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(log.scalars[0].wall_time, now, 600);
}

TEST(Tensorboard, TheFileHasTheNameAndStartTensorboardLooksFor) {
  TemporaryFolder folder;
  const EventWriter first(folder.path()), second(folder.path());
  EXPECT_TRUE(first.path().filename().string().starts_with("events.out.tfevents."));
  EXPECT_NE(first.path(), second.path());
  EXPECT_LT(first.path(), second.path());
  const std::string bytes = read_file(first.path());
  EXPECT_EQ(bytes.substr(12, 1), "\x09");
  EXPECT_EQ(bytes.substr(21, 15), kVersionEvent);
  EXPECT_TRUE(read_events(second.path()).scalars.empty());
}

TEST(Tensorboard, ATruncatedLastRecordEndsReading) {
  const std::vector<Scalar> scalars{{"x", 1}};
  const std::string record = to_record(encode_event(1, 1, scalars));
  const std::string whole = version_record() + record;
  for (std::size_t missing = 1; missing < record.size(); ++missing) {
    const EventLog log = parse_events(whole.substr(0, whole.size() - missing), "f");
    EXPECT_TRUE(log.truncated) << missing;
    EXPECT_TRUE(log.scalars.empty());
  }
  EXPECT_EQ(parse_events(whole, "f").scalars.size(), 1u);
  EXPECT_FALSE(parse_events(whole, "f").truncated);
  EXPECT_FALSE(parse_events("", "f").truncated);
}

TEST(Tensorboard, EveryFlippedBitIsFound) {
  const std::vector<Scalar> scalars{{"x", 1}};
  const std::string whole = version_record() + to_record(encode_event(1, 1, scalars));
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bad = whole;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_CONTAINS(error_of([&] { parse_events(bad, "f"); }), "CRC of its");
  }
}

TEST(Tensorboard, MalformedMessages) {
  const auto complaint = [](const std::string& event) {
    return error_of([&] { parse_events(version_record() + to_record(event), "f"); });
  };
  EXPECT_CONTAINS(complaint("\x2A\x05"), "f: the record at byte 31: a field ends outside");
  EXPECT_CONTAINS(complaint(std::string("\x09\0\0\0", 4)), "a field ends outside");
  EXPECT_CONTAINS(complaint("\x10\x80"), "a field ends outside");
  EXPECT_CONTAINS(complaint(std::string("\x10").append(11, '\x80')),
                  "varint of more than ten bytes");
  EXPECT_CONTAINS(complaint("\x0B"), "unknown wire type 3");
  EXPECT_CONTAINS(complaint("\x12\x01x"), "field 2 has wire type 2");
  EXPECT_EQ(complaint("\x32\x01x"), "") << "a field we do not know is skipped";
  EXPECT_EQ(complaint("\x2A\x05\x0A\x03\x0A\x01t"), "") << "a value that is not a scalar too";
}

TEST(Tensorboard, TheFirstRecordMustCarryTheVersion) {
  EXPECT_CONTAINS(error_of([] { parse_events(to_record("\x1A\x01x"), "f"); }), "brain.Event:2");
}

TEST(Tensorboard, SurvivesRandomMessages) {
  for (std::uint32_t i = 0; i < 5000; ++i) {
    Stream random(0, Purpose::kTest, i);
    std::string event = encode_event(1, 1, std::vector<Scalar>{{"tag", 1}});
    for (int changes = random.between(1, 4); changes > 0; --changes)
      event[random.below(static_cast<std::uint32_t>(event.size()))] =
          static_cast<char>(random.next());
    error_of([&] { parse_events(version_record() + to_record(event), "f"); });
  }
}

}  // namespace
}  // namespace mgdm::formats
