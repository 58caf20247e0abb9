#include <gtest/gtest.h>

#include <stdexcept>

#include "mgdm/mgdm.h"

namespace mgdm {
namespace {

TEST(Library, GeneratesAnyPartOfTheList) {
  const auto puzzles = generate("planning", 3, 7), last = generate("planning", 1, 7, false, 2);
  EXPECT_EQ(puzzles.at(2).input, last.at(0).input);
  EXPECT_EQ(generate("planning", 2, 7, false, 4294967294).size(), 2u);
}

TEST(Library, TheListDoesNotBeginAgain) {
  EXPECT_THROW(generate("planning", 3, 7, false, 4294967294), std::runtime_error);
  EXPECT_THROW(generate("planning", std::size_t{1} << 33), std::runtime_error);
}

}  // namespace
}  // namespace mgdm
