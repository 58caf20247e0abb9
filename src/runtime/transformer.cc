#include "runtime/transformer.h"

namespace mgdm::runtime {
namespace {

std::size_t bytes_of(const Norm& norm) { return norm.weight.bytes() + norm.bias.bytes(); }

std::size_t bytes_of(const Linear& linear) { return linear.weight.bytes() + linear.bias.bytes(); }

}  // namespace

std::size_t Transformer::bytes() const {
  std::size_t all = token_table.bytes() + position_table.bytes() + given_table.bytes() +
                    bytes_of(last_norm) + bytes_of(head);
  for (const Block& block : blocks)
    all += bytes_of(block.before_attention) + bytes_of(block.qkv) + bytes_of(block.projection) +
           bytes_of(block.before_mlp) + bytes_of(block.up) + bytes_of(block.down);
  return all;
}

}  // namespace mgdm::runtime
