#include "runtime/weight_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formats/floats.h"
#include "runtime/amx.h"
#include "runtime/int8_amx.h"
#include "runtime/quantised.h"

namespace mgdm::runtime {
namespace {

// W (out, in) as a product reads it; what fills up panels and tiles is zero.
template <class T, class Layout, class From, class Convert>
Array<T> arranged(const Layout& layout, std::span<const From> weights, std::size_t out,
                  const Convert& convert) {
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < layout.in; ++k) rows.push_back(layout.row(k));
  Array<T> data(layout.size(out));
  for (std::size_t j = 0; j < out; ++j) {
    T* const column = data.data() + layout.column(j);
    const From* const from = weights.data() + j * layout.in;
    for (std::size_t k = 0; k < layout.in; ++k) column[rows[k]] = convert(from[k]);
  }
  return data;
}

template <class T, class Layout, class Convert>
void read_column(const Layout& layout, const Array<T>& data, std::size_t j, float* to,
                 const Convert& convert) {
  const T* const column = data.data() + layout.column(j);
  for (std::size_t k = 0; k < layout.in; ++k) to[k] = convert(column[layout.row(k)]);
}

template <class T>
T as_it_is(T x) {
  return x;
}

}  // namespace

Arithmetic arithmetic_named(std::string_view name) {
  if (name == "fp32") return Arithmetic::kFp32;
  if (name == "bf16") return Arithmetic::kBf16;
  if (name == "int8") return Arithmetic::kInt8;
  throw UsageError(fmt::format("arithmetic {}", in_quotes(name)), "fp32, bf16 or int8");
}

std::size_t bytes_in(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFp32) return sizeof(float);
  return arithmetic == Arithmetic::kBf16 ? sizeof(std::uint16_t) : sizeof(std::int8_t);
}

WeightMatrix::WeightMatrix(std::span<const float> weights, std::size_t out, std::size_t in,
                           Arithmetic arithmetic)
    : out_(out), in_(in) {
  MGDM_CHECK(weights.size() == out * in);
  const bool amx = has_amx();
  if (arithmetic == Arithmetic::kFp32) {
    floats_ = arranged<float>(PanelLayout{in}, weights, out, as_it_is<float>);
  } else if (arithmetic == Arithmetic::kBf16) {
    form_ = amx ? Form::kTiles : Form::kNarrow;
    narrow_ = amx ? arranged<std::uint16_t>(AmxLayout{in}, weights, out, formats::bf16_of)
                  : arranged<std::uint16_t>(PanelLayout{in}, weights, out, formats::bf16_of);
  } else {
    form_ = amx ? Form::kInt8Tiles : Form::kInt8;
    QuantisedWeights whole = quantised(weights, out, in);
    const std::span<const std::int8_t> numbers(whole.numbers);
    int8s_ = amx ? arranged<std::int8_t>(Int8AmxLayout{in}, numbers, out, as_it_is<std::int8_t>)
                 : arranged<std::int8_t>(Int8PanelLayout{in}, numbers, out, as_it_is<std::int8_t>);
    scales_ = std::move(whole.scales);
  }
}

void WeightMatrix::multiply(ConstRows a, std::size_t rows, const Ending& ending, MutableRows c,
                            Scratch& scratch) const {
  const std::size_t next_panel = panel_columns() * in_;
  const Int8Panels int8{int8s_.data(), scales_.data(), in_, out_};
  switch (form_) {
    case Form::kFloats:
      return product(a, rows, Panels{floats_.data(), next_panel, in_, out_}, ending, c);
    case Form::kNarrow:
      return product(a, rows, NarrowPanels{narrow_.data(), next_panel, in_, out_}, ending, c);
    case Form::kTiles:
      return amx_product(a, rows, {narrow_.data(), in_, out_}, ending, c, scratch.numbers);
    case Form::kInt8:
      return product(a, rows, int8, ending, c, scratch);
    case Form::kInt8Tiles:
      return int8_amx_product(a, rows, int8, ending, c, scratch);
  }
}

void WeightMatrix::read_row(std::size_t j, float* to) const {
  const auto scaled = [&](std::int8_t x) { return static_cast<float>(x) * scales_[j]; };
  switch (form_) {
    case Form::kFloats:
      return read_column(PanelLayout{in_}, floats_, j, to, as_it_is<float>);
    case Form::kNarrow:
      return read_column(PanelLayout{in_}, narrow_, j, to, formats::float_of_bf16);
    case Form::kTiles:
      return read_column(AmxLayout{in_}, narrow_, j, to, formats::float_of_bf16);
    case Form::kInt8:
      return read_column(Int8PanelLayout{in_}, int8s_, j, to, scaled);
    case Form::kInt8Tiles:
      return read_column(Int8AmxLayout{in_}, int8s_, j, to, scaled);
  }
}

std::size_t WeightMatrix::scratch_size(std::size_t rows, std::size_t in) {
  return std::max(
      {amx_scratch_size(rows, in), int8_scratch_size(rows, in), int8_amx_scratch_size(rows, in)});
}

}  // namespace mgdm::runtime
