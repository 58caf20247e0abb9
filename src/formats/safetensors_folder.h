// A model's tensors in a folder, in the two forms of the Hugging Face Hub:
//
//   model.safetensors                                        all in one file, or
//   model-00001-of-00003.safetensors, ...                    shards, and
//   model.safetensors.index.json                             which tensor is in which shard
//
//   write_safetensors_folder("runs/7/model", tensors);
//   const Safetensors model = open_safetensors_folder("runs/7/model");
//
// Several lists of tensors can lie in one folder under different names ("model", "optimizer").
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "formats/safetensors.h"

namespace mgdm::formats {

inline constexpr std::uint64_t kDefaultShardBytes = 5'000'000'000;  // as transformers does

// One file when all tensors together have at most `max_shard_bytes`, otherwise shards filled in the
// order given; a tensor larger than that has a shard for itself. Creates the folder.
//
// A reader never sees a mixture of two saves: the index is written last, and when a shard of an
// older save must be overwritten its index goes first. Then files of the older save are removed.
void write_safetensors_folder(const std::filesystem::path& folder,
                              std::span<const TensorView> tensors,
                              const Metadata& metadata = kDefaultMetadata,
                              std::uint64_t max_shard_bytes = kDefaultShardBytes,
                              std::string_view name = "model");

// Either form. The index and the shards must agree on every tensor; a folder with both forms (a
// save that was interrupted in its last moment) is refused, since only a person knows which counts.
// `total_size` in the index is not checked: files in circulation count tied weights in two ways.
Safetensors open_safetensors_folder(const std::filesystem::path& folder,
                                    std::string_view name = "model");

// Whether either form is there.
bool has_safetensors(const std::filesystem::path& folder, std::string_view name);

}  // namespace mgdm::formats
