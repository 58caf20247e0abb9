#include "api/failure.h"

namespace mgdm {

Failure::Failure(const std::string& seen, const std::string& expected, const std::string& hint)
    : std::runtime_error(Error(seen, expected, hint).what()),
      seen_(seen),
      expected_(expected),
      hint_(hint) {}

Failure::~Failure() = default;

}  // namespace mgdm
