#include "runtime/weight_matrix.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "formats/floats.h"
#include "runtime/amx.h"

namespace mgdm::runtime {
namespace {

// B (in, out) in panels: see product.h.
template <class T, class Convert>
Array<T> in_panels(std::span<const float> weights, std::size_t out, std::size_t in,
                   const Convert& convert) {
  const std::size_t wide = panel_columns(), panels = (out + wide - 1) / wide;
  Array<T> data(panels * wide * in);
  for (std::size_t j = 0; j < out; ++j) {
    T* const to = data.data() + j / wide * wide * in + j % wide;
    for (std::size_t k = 0; k < in; ++k) to[k * wide] = convert(weights[j * in + k]);
  }
  return data;
}

}  // namespace

Arithmetic arithmetic_named(std::string_view name) {
  if (name == "fp32") return Arithmetic::kFp32;
  if (name == "bf16") return Arithmetic::kBf16;
  throw UsageError(fmt::format("arithmetic {}", in_quotes(name)), "fp32 or bf16");
}

WeightMatrix::WeightMatrix(std::span<const float> weights, std::size_t out, std::size_t in,
                           Arithmetic arithmetic)
    : out_(out), in_(in) {
  MGDM_CHECK(weights.size() == out * in);
  if (arithmetic == Arithmetic::kFp32) {
    floats_ = in_panels<float>(weights, out, in, [](float x) { return x; });
  } else if (!has_amx()) {
    form_ = Form::kNarrow;
    narrow_ = in_panels<std::uint16_t>(weights, out, in, formats::bf16_of);
  } else {
    form_ = Form::kTiles;
    narrow_ = in_amx_tiles(weights, out, in);
  }
}

void WeightMatrix::multiply(ConstRows a, std::size_t rows, const Ending& ending, MutableRows c,
                            Scratch& scratch) const {
  const std::size_t next_panel = panel_columns() * in_;
  switch (form_) {
    case Form::kFloats:
      return product(a, rows, Panels{floats_.data(), next_panel, in_, out_}, ending, c);
    case Form::kNarrow:
      return product(a, rows, NarrowPanels{narrow_.data(), next_panel, in_, out_}, ending, c);
    case Form::kTiles:
      return amx_product(a, rows, {narrow_.data(), in_, out_}, ending, c, scratch);
  }
}

std::size_t WeightMatrix::scratch_size(std::size_t rows, std::size_t in) {
  return amx_scratch_size(rows, in);
}

}  // namespace mgdm::runtime
