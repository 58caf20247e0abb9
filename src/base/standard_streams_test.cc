#include "base/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace mgdm {
namespace {

TEST(StandardStreams, WordsThatCannotBeWrittenAreLost) {
  std::FILE* const full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_NO_THROW(say_to(full, "step {}\n", 1));
  std::fclose(full);
}

// In a process of its own: this one needs its streams.
template <class Test>
void expect_that_it_holds(Test&& test) {
  EXPECT_EXIT(std::_Exit(test() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(StandardStreams, NoFileTakesThePlaceOfOneThatIsClosed) {
  expect_that_it_holds([] {
    for (const int descriptor : {0, 1, 2}) ::close(descriptor);
    open_standard_streams();
    char byte = 0;
    return ::open("/dev/null", O_RDONLY) > 2 && ::read(0, &byte, 1) < 0 && ::write(1, "", 1) < 0 &&
           ::write(2, "", 1) < 0;
  });
  expect_that_it_holds([] {
    ::close(1);
    open_standard_streams();
    return ::write(2, "", 1) == 1;  // was open, and stays as it was
  });
}

}  // namespace
}  // namespace mgdm
