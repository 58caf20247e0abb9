// Matmul C = A B, where A are activations (a row per position) and B is stored in panels.
//
// B (depth K, columns) is stored in panels of P = panel_columns() columns: panel p has the K rows
// of columns pP .. pP+P-1, one after another. A tile of C, some rows by one panel, stays in
// registers while k runs over A's columns and the panel.
//
// Every number of C is the sum over k in order, so the numbers of a row do not depend on the other
// rows, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mgdm::vectors {

// Rows of numbers in memory, `stride` numbers from one row to the next.
struct ConstRows {
  const float* data = nullptr;
  std::size_t stride = 0;
};

struct MutableRows {
  float* data = nullptr;
  std::size_t stride = 0;
};

// The panel width for this processor's instructions; constant while the program runs.
std::size_t panel_columns();

// B in panels. The padding columns are never used.
template <class T>
struct PanelsOf {
  const T* data = nullptr;
  std::size_t next_panel = 0;  // from one panel to the next, in numbers
  std::size_t depth = 0;       // K
  std::size_t columns = 0;
};
using Panels = PanelsOf<float>;
using NarrowPanels = PanelsOf<std::uint16_t>;  // bf16

// Where number (j, k) of W (out, in), which is (k, j) of B, stands: at column(j) + row(k).
struct PanelLayout {
  std::size_t in, wide = panel_columns();

  std::size_t size(std::size_t out) const { return (out + wide - 1) / wide * wide * in; }
  std::size_t column(std::size_t j) const { return j / wide * wide * in + j % wide; }
  std::size_t row(std::size_t k) const { return k * wide; }
};

enum class Activation { kNone, kGelu, kReluSquared };

// The last step before C is stored: C = activation(A B + bias), or C += activation(A B + bias).
struct Ending {
  const float* bias = nullptr;  // one per column, or null
  Activation activation = Activation::kNone;
  bool add = false;
};

// A (rows, K) times B (K, columns) into C (rows, columns).
void product(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending, MutableRows c);
void product(ConstRows a, std::size_t rows, const NarrowPanels& b, const Ending& ending,
             MutableRows c);

// As above, from A's transpose (K, rows).
void transposed_product(ConstRows a, std::size_t rows, const Panels& b, const Ending& ending,
                        MutableRows c);

// Applies the last step to sums from elsewhere, at most 32 columns from first_column on. Reads
// whole vectors of the sums.
void end_product(ConstRows sums, std::size_t rows, std::size_t first_column, std::size_t columns,
                 const Ending& ending, MutableRows c);

}  // namespace mgdm::vectors
