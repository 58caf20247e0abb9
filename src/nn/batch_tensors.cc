#include "nn/batch_tensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

namespace mgdm::nn {

namespace {

template <class Number>
at::Tensor rows_tensor(std::span<const Number> numbers, std::int64_t rows, at::ScalarType type) {
  const auto columns = static_cast<std::int64_t>(numbers.size()) / rows;
  at::Tensor tensor = at::empty({rows, columns}, type);
  std::memcpy(tensor.data_ptr(), numbers.data(), numbers.size_bytes());
  return tensor;
}

}  // namespace

at::Tensor bytes_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows) {
  return rows_tensor(bytes, rows, at::kByte);
}

at::Tensor narrow_tokens(std::span<const data::Token> tokens, std::int64_t rows) {
  return rows_tensor(tokens, rows, at::kInt);  // ids are far below 2^31
}

at::Tensor tokens_tensor(std::span<const data::Token> tokens, std::int64_t rows,
                         c10::Device device) {
  return narrow_tokens(tokens, rows).to(device).to(at::kLong);
}

TensorRows tensors_of(const data::Rows& rows, c10::Device device) {
  // One copy for all: of a few rows it is the copies that take time, not their bytes.
  const auto count = static_cast<std::int64_t>(rows.count()),
             length = static_cast<std::int64_t>(rows.length), numbers = count * length;
  constexpr std::int64_t kWide = sizeof(std::int64_t);
  const std::int64_t items = kWide * numbers, frozen = items + kWide * count;  // where they begin
  const at::Tensor here = at::empty({frozen + numbers}, at::kByte);
  auto* const words = static_cast<std::int64_t*>(here.data_ptr());
  std::copy(rows.tokens.begin(), rows.tokens.end(), words);
  std::copy(rows.items.begin(), rows.items.end(), words + numbers);
  std::transform(rows.frozen.begin(), rows.frozen.end(), here.data_ptr<std::uint8_t>() + frozen,
                 [](std::uint8_t flag) { return std::uint8_t{flag != 0}; });
  const at::Tensor there = here.to(device);
  const auto part = [&](std::int64_t begin, std::int64_t end, at::ScalarType type) {
    return there.slice(0, begin, end).view(type);
  };
  return {part(0, items, at::kLong).view({count, length}),
          part(frozen, frozen + numbers, at::kBool).view({count, length}),
          part(items, frozen, at::kLong)};
}

std::vector<data::Token> tokens_of(const at::Tensor& row) {
  const at::Tensor ids = row.to(at::kCPU, at::kInt).contiguous();
  const std::int32_t* const first = ids.data_ptr<std::int32_t>();
  return {first, first + ids.numel()};
}

at::Tensor bool_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows, c10::Device device) {
  return bytes_tensor(bytes, rows).to(device).to(at::kBool);
}

at::Tensor items_tensor(std::span<const std::uint32_t> items, c10::Device device) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(items.size())}, at::kLong);
  std::int64_t* const out = tensor.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < items.size(); ++i) out[i] = items[i];
  return tensor.to(device);
}

}  // namespace mgdm::nn
