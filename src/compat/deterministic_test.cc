#include "compat/deterministic.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace mgdm::compat {
namespace {

bool rounds() { return at::globalContext().allowTF32CuBLAS(); }

TEST(Tf32Products, RoundOnlyWhileAsked) {
  ASSERT_FALSE(rounds());
  {
    const Tf32Products outer(true);
    EXPECT_TRUE(rounds());
    const Tf32Products inner(false);  // what is allowed stays so
    EXPECT_TRUE(rounds());
  }
  EXPECT_FALSE(rounds());
  try {
    const Tf32Products one(true);
    throw std::runtime_error("a step that fails");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(rounds());
  const Tf32Products off(false);
  EXPECT_FALSE(rounds());
}

}  // namespace
}  // namespace mgdm::compat
