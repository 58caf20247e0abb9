// Errors about lines of a file: the first five are printed in full, then their number.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace mgdm::cli {

class Complaints {
 public:
  void add(const Error& error);

  // Says how many more there were.
  void finish() const;

  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  std::string last_expected_, last_hint_;
};

}  // namespace mgdm::cli
