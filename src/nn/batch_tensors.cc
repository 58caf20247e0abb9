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
  // One copy for all, and nobody waits for it: of a few rows it is the copies that take time, not
  // their bytes. So does every tensor that is made of them.
  const auto count = static_cast<std::int64_t>(rows.count()),
             length = static_cast<std::int64_t>(rows.length), numbers = count * length;
  constexpr std::int64_t kFlags = sizeof(std::int64_t);  // in a word
  const std::int64_t flags = numbers + count;            // where they begin
  const at::Tensor here =
      at::empty({flags + (numbers + kFlags - 1) / kFlags},
                at::TensorOptions().dtype(at::kLong).pinned_memory(device.is_cuda()));
  auto* const words = here.data_ptr<std::int64_t>();
  std::copy(rows.tokens.begin(), rows.tokens.end(), words);
  std::copy(rows.items.begin(), rows.items.end(), words + numbers);
  std::transform(rows.frozen.begin(), rows.frozen.end(),
                 reinterpret_cast<std::uint8_t*>(words + flags),
                 [](std::uint8_t flag) { return std::uint8_t{flag != 0}; });
  const at::Tensor there = here.to(device, at::kLong, /*non_blocking=*/true);
  return {there.as_strided({count, length}, {length, 1}),
          there.view(at::kBool).as_strided({count, length}, {length, 1}, kFlags * flags),
          there.slice(0, numbers, flags)};
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
