// Decodes some tries by itself, in place of the plain decoders over a Network: a whole batch on the
// GPU by kernels, or VDM's vectors. Slots (slots.h) hands every try to the first one that takes it.
#pragma once

#include <cstddef>
#include <vector>

#include "decoding/slots.h"

namespace mgdm::decoding {

class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual bool takes(const Try& one) const = 0;

  // The try takes part from the next pass() on. cancel() is false when the slot has left already.
  virtual void join(SlotId slot, Try one) = 0;
  virtual bool cancel(SlotId slot) = 0;
  virtual std::size_t active() const = 0;

  // One or more passes over the active tries: the results of those that finished, in any order.
  // Throws Interrupted only; other errors become results.
  virtual std::vector<TryResult> pass() = 0;
};

}  // namespace mgdm::decoding
