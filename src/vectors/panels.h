// B in the panels that a product reads (product.h), from rows in memory.
#pragma once

#include <cstddef>

#include "vectors/product.h"
#include "vectors/rows.h"

namespace mgdm::vectors {

// The numbers that B (depth, columns) takes in panels.
std::size_t panels_size(std::size_t depth, std::size_t columns);

// B (depth, columns) in panels at `to`, aligned as an Array is. The columns of the last panel that
// B does not have stay as they are.
Panels pack(ConstRows b, std::size_t depth, std::size_t columns, float* to);

// The same for a matrix in memory that is B's transpose (columns, depth).
Panels pack_transposed(ConstRows b, std::size_t depth, std::size_t columns, float* to);

// `from` (rows, columns) as (columns, rows), for an A that a product is to read along its rows.
void transpose(ConstRows from, std::size_t rows, std::size_t columns, MutableRows to);

}  // namespace mgdm::vectors
