#include "nn/batch_tensors.h"

#include <ATen/ops/empty.h>

#include <cstring>

namespace mgdm::nn {

at::Tensor bytes_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows) {
  const auto columns = static_cast<std::int64_t>(bytes.size()) / rows;
  at::Tensor tensor = at::empty({rows, columns}, at::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

at::Tensor tokens_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows,
                         c10::Device device) {
  return bytes_tensor(bytes, rows).to(device).to(at::kLong);
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
