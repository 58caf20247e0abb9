// Copies a matrix B from rows into the panels that product.h reads.
#pragma once

#include <cstddef>

#include "vectors/product.h"

namespace mgdm::vectors {

// The numbers that B (depth, columns) takes in panels.
std::size_t panels_size(std::size_t depth, std::size_t columns);

// Writes B (depth, columns) in panels to `to`, which is aligned like an Array. The padding columns
// of the last panel are not written.
Panels pack(ConstRows b, std::size_t depth, std::size_t columns, float* to);

// As above, from B's transpose (columns, depth).
Panels pack_transposed(ConstRows b, std::size_t depth, std::size_t columns, float* to);

// `from` (rows, columns) as (columns, rows), for an A that a product is to read along its rows.
void transpose(ConstRows from, std::size_t rows, std::size_t columns, MutableRows to);

}  // namespace mgdm::vectors
