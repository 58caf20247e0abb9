#include "nn/batch_tensors.h"

#include <ATen/ops/empty.h>

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
  const auto count = static_cast<std::int64_t>(rows.count());
  return {tokens_tensor(rows.tokens, count, device), bool_tensor(rows.frozen, count, device),
          items_tensor(rows.items, device)};
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
