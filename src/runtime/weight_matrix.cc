#include "runtime/weight_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "formats/floats.h"
#include "runtime/amx.h"
#include "runtime/arm.h"
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

WeightMatrix::Form WeightMatrix::form_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      break;
    case Arithmetic::kBf16:
      return has_amx() ? Form::kTiles : has_bfmmla() ? Form::kArm : Form::kNarrow;
    case Arithmetic::kInt8:
      if (has_amx()) return Form::kInt8Tiles;
      return has_smmla() || has_sdot() ? Form::kInt8Arm : Form::kInt8;
  }
  return Form::kFloats;
}

WeightMatrix::WeightMatrix(std::span<const float> weights, std::size_t out, std::size_t in,
                           Arithmetic arithmetic)
    : form_(form_of(arithmetic)), out_(out), in_(in) {
  MGDM_CHECK(weights.size() == out * in);
  QuantisedWeights whole;
  if (arithmetic == Arithmetic::kInt8) whole = quantised(weights, out, in);
  const auto narrow = [&](const auto& layout) {
    narrow_ = arranged<std::uint16_t>(layout, weights, out, formats::bf16_of);
  };
  const auto int8 = [&](const auto& layout) {
    int8s_ = arranged<std::int8_t>(layout, std::span<const std::int8_t>(whole.numbers), out,
                                   as_it_is<std::int8_t>);
    scales_ = std::move(whole.scales);
  };
  switch (form_) {
    case Form::kFloats:
      floats_ = arranged<float>(PanelLayout{in}, weights, out, as_it_is<float>);
      break;
    case Form::kNarrow:
      narrow(PanelLayout{in});
      break;
    case Form::kTiles:
      narrow(AmxLayout{in});
      break;
    case Form::kArm:
      narrow(Bf16ArmLayout{in});
      break;
    case Form::kInt8:
      int8(Int8PanelLayout{in});
      break;
    case Form::kInt8Tiles:
      int8(Int8AmxLayout{in});
      break;
    case Form::kInt8Arm:
      int8(Int8ArmLayout{in});
      break;
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
    case Form::kArm:
      return bfmmla_product(a, rows, {narrow_.data(), in_, out_}, ending, c, scratch.numbers);
    case Form::kInt8:
      return product(a, rows, int8, ending, c, scratch);
    case Form::kInt8Tiles:
      return int8_amx_product(a, rows, int8, ending, c, scratch);
    case Form::kInt8Arm:
      return has_smmla() ? smmla_product(a, rows, int8, ending, c, scratch)
                         : sdot_product(a, rows, int8, ending, c, scratch);
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
    case Form::kArm:
      return read_column(Bf16ArmLayout{in_}, narrow_, j, to, formats::float_of_bf16);
    case Form::kInt8:
      return read_column(Int8PanelLayout{in_}, int8s_, j, to, scaled);
    case Form::kInt8Tiles:
      return read_column(Int8AmxLayout{in_}, int8s_, j, to, scaled);
    case Form::kInt8Arm:
      return read_column(Int8ArmLayout{in_}, int8s_, j, to, scaled);
  }
}

std::size_t WeightMatrix::scratch_size(std::size_t rows, std::size_t in) {
  return std::max({amx_scratch_size(rows, in), int8_scratch_size(rows, in),
                   int8_amx_scratch_size(rows, in), arm_scratch_size(rows, in)});
}

Table::Table(std::span<const float> numbers, std::size_t width, Arithmetic arithmetic)
    : width_(width) {
  if (arithmetic == Arithmetic::kFp32) {
    floats_ = Array<float>(numbers.size());
    std::ranges::copy(numbers, floats_.data());
  } else {
    narrow_ = Array<std::uint16_t>(numbers.size());
    std::ranges::transform(numbers, narrow_.data(), formats::bf16_of);
  }
}

void Table::add_row(std::size_t i, float* x) const {
  for (std::size_t c = 0; c < width_; ++c)
    x[c] +=
        narrow_.empty() ? floats_[i * width_ + c] : formats::float_of_bf16(narrow_[i * width_ + c]);
}

}  // namespace mgdm::runtime
