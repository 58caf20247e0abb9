// Converts the errors of the rooms into Failure, the one exception of the public interface.
#pragma once

#include <exception>
#include <new>

#include "base/error.h"
#include "mgdm/mgdm.h"

namespace mgdm::api {

// Runs `work`; an exception becomes a Failure.
template <class Work>
auto or_failure(Work&& work) {
  try {
    return work();
  } catch (const Failure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& error) {
    throw Failure(error.seen(), error.expected(), error.hint());
  } catch (const std::exception& error) {
    throw Failure(error.what());
  }
}

}  // namespace mgdm::api
