#include "compat/kernel_work.h"

#include <fmt/format.h>

#include "base/text.h"

namespace mgdm::compat {
namespace {

constexpr std::string_view kPrefix = "mgdm kernel work";

double element_bytes(std::string_view type) {
  if (type == "c10::BFloat16" || type == "c10::Half") return 2;
  if (type == "float" || type == "int") return 4;
  if (type == "double" || type == "long int" || type == "long") return 8;
  if (type == "bool" || type == "unsigned char") return 1;
  return 0;  // not known
}

double numbers(const std::vector<std::int64_t>& shape) {
  double product = 1;
  for (const std::int64_t size : shape) product *= static_cast<double>(size);
  return product;
}

}  // namespace

KernelWork::KernelWork(const char* label, double bytes, double flop) {
  if (scope_.isActive()) scope_.before(work_name({label, bytes, flop}));
}

std::string work_name(const Work& work) {
  return fmt::format("{}|{}|{:.0f}|{:.0f}", kPrefix, work.label, work.bytes, work.flop);
}

std::optional<Work> work_of(std::string_view name) {
  const auto parts = split(name, '|');
  if (parts.size() != 4 || parts[0] != kPrefix) return std::nullopt;
  const auto bytes = parse_int(parts[2]), flop = parse_int(parts[3]);
  if (!bytes || !flop) return std::nullopt;
  return Work{std::string(parts[1]), static_cast<double>(*bytes), static_cast<double>(*flop)};
}

bool is_matrix_product(std::string_view name) {
  return name == "aten::mm" || name == "aten::bmm" || name == "aten::addmm" ||
         name == "aten::baddbmm";
}

double operation_bytes(std::string_view name, c10::ArrayRef<std::vector<std::int64_t>> shapes,
                       c10::ArrayRef<std::string> types) {
  if (shapes.size() != types.size()) return 0;
  if (name == "aten::copy_" && shapes.size() >= 2) {
    const double there = element_bytes(types[0]), here = element_bytes(types[1]);
    return there > 0 && here > 0 && shapes[0] == shapes[1] ? numbers(shapes[0]) * (there + here)
                                                           : 0;
  }
  if (!is_matrix_product(name)) return 0;
  const bool adds = name == "aten::addmm" || name == "aten::baddbmm";
  const std::size_t first = adds ? 1 : 0;  // behind what is added
  if (shapes.size() < first + 2) return 0;
  const std::vector<std::int64_t>&a = shapes[first], &b = shapes[first + 1];
  if (a.size() < 2 || a.size() != b.size()) return 0;
  std::vector<std::int64_t> out = a;
  out.back() = b.back();
  const double added = adds ? numbers(shapes[0]) : 0;
  return element_bytes(types[first]) * (added + numbers(a) + numbers(b) + numbers(out));
}

}  // namespace mgdm::compat
