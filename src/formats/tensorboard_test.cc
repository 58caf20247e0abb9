#include "formats/tensorboard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "base/files.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

constexpr char kVersionEvent[] =
    "\x1A\x0D"
    "brain.Event:2";

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

TEST(Tensorboard, AFileIsTheVersionAndARecordForEachCall) {
  TemporaryFolder folder;
  EventWriter events(folder.path() / "new" / "run");
  const std::vector<Scalar> scalars{{"loss", 0.125f}, {"größe/µ", -3.0f}};
  events.add_scalars(scalars, std::int64_t{1} << 40);
  const std::string bytes = read_file(events.path());  // while the writer lives
  // The version event: 12 bytes, a field for the time (9 bytes) and one for the version, 4 bytes.
  const std::size_t record = 12 + 9 + sizeof kVersionEvent - 1 + 4;
  ASSERT_GT(bytes.size(), record + 21);
  double time = 0;
  std::memcpy(&time, bytes.data() + record + 13, sizeof time);
  EXPECT_EQ(bytes.substr(record), to_record(encode_event(time, std::int64_t{1} << 40, scalars)));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(time, now, 600);
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
}

}  // namespace
}  // namespace mgdm::formats
