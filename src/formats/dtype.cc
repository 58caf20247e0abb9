#include "formats/dtype.h"

#include <array>

namespace mgdm::formats {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};

// In the order of the enum, so that a dtype is its own index.
constexpr std::array kRows{
    Row{Dtype::kBool, "BOOL", 1},      Row{Dtype::kU8, "U8", 1},
    Row{Dtype::kI8, "I8", 1},          Row{Dtype::kF8E5M2, "F8_E5M2", 1},
    Row{Dtype::kF8E4M3, "F8_E4M3", 1}, Row{Dtype::kI16, "I16", 2},
    Row{Dtype::kU16, "U16", 2},        Row{Dtype::kF16, "F16", 2},
    Row{Dtype::kBF16, "BF16", 2},      Row{Dtype::kI32, "I32", 4},
    Row{Dtype::kU32, "U32", 4},        Row{Dtype::kF32, "F32", 4},
    Row{Dtype::kF64, "F64", 8},        Row{Dtype::kI64, "I64", 8},
    Row{Dtype::kU64, "U64", 8},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
  return true;
}
static_assert(in_order());

const Row& row(Dtype dtype) { return kRows.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::size_t size_of(Dtype dtype) { return row(dtype).size; }

std::string_view name_of(Dtype dtype) { return row(dtype).name; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (const Row& candidate : kRows)
    if (candidate.name == name) return candidate.dtype;
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const Row& candidate : kRows) names.emplace_back(candidate.name);
  return names;
}

}  // namespace mgdm::formats
