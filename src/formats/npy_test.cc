#include "formats/npy.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

Rows read(const std::string& path) {
  NpyReader reader(path);
  Rows rows;
  for (std::vector<std::int64_t> row; reader.next(row);) rows.push_back(row);
  return rows;
}

class Npy : public testing::Test {
 protected:
  std::string file(const std::string& header, const std::string& data) const {
    const std::string path = (folder_.path() / "a.npy").string();
    write_file(path, std::string("\x93NUMPY\x01\x00", 8) +
                         std::string{static_cast<char>(header.size()), 0} + header + data);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(Npy, ReadsWhatItWrites) {
  const std::string path = (folder_.path() / "a.npy").string();
  const std::vector<std::int32_t> numbers{1, -2, 300, 70'000, -70'000, 0};
  write_npy(path, numbers, {2, 3});
  EXPECT_EQ(read(path), (Rows{{1, -2, 300}, {70'000, -70'000, 0}}));
  write_npy(path, numbers, {6});
  EXPECT_EQ(read(path), (Rows{{1}, {-2}, {300}, {70'000}, {-70'000}, {0}}));
}

// The bytes of numpy.save("a.npy", numpy.array([[1, 2]], dtype="int32")).
TEST_F(Npy, WritesNumpysBytes) {
  const std::string path = (folder_.path() / "a.npy").string();
  write_npy(path, std::vector<std::int32_t>{1, 2}, {1, 2});
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }";
  header.append(118 - header.size() - 1, ' ');
  EXPECT_EQ(read_file(path), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                                 std::string("\1\0\0\0\2\0\0\0", 8));
}

TEST_F(Npy, ReadsNumbersOfEachSize) {
  const auto of = [&](const std::string& dtype, const std::string& data) {
    return read(file("{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (1,), }", data));
  };
  EXPECT_EQ(of("|u1", "\xFF"), Rows{{255}});
  EXPECT_EQ(of("|i1", "\xFF"), Rows{{-1}});
  EXPECT_EQ(of("<u2", "\x01\x80"), Rows{{0x8001}});
  EXPECT_EQ(of("<i8", std::string(8, '\xFE')), Rows{{-72340172838076674}});
}

TEST_F(Npy, RefusesOtherFiles) {
  const std::string whole = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
  const std::string eight(8, '\0');
  EXPECT_EQ(read(file(whole, eight)).size(), 2u);
  EXPECT_THROW(read(file(whole, eight.substr(1))), Error);
  EXPECT_THROW(read(file(whole, eight + "x")), Error);
  for (const char* header : {"", "{}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                             "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
                             "{'descr': '<i4', 'fortran_order': True, 'shape': (2,), }",
                             "{'descr': '<i4', 'fortran_order': False, 'shape': (), }",
                             "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 1), }",
                             "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }",
                             "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 99999999), }"})
    EXPECT_THROW(read(file(header, eight)), Error) << header;
  write_file((folder_.path() / "b.npy").string(), "PK");
  EXPECT_THROW(read((folder_.path() / "b.npy").string()), Error);
}

}  // namespace
}  // namespace mgdm::formats
