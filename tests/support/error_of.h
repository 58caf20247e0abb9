// The error of a call, for tests.
#pragma once

#include <string>

#include "base/error.h"

namespace mgdm {

// The text of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace mgdm
