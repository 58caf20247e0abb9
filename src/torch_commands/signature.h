// The signature: one hash of all random draws, to compare machines, builds and commits (the idea is
// Stockfish's bench).
//
// It covers integers only: generated puzzles, encoded and shuffled batches, masks, and the tokens
// that decoders show after each pass of a fake network. It does not depend on the machine, the
// LibTorch version, the device, the number of threads or the batch size. A commit that changes it
// changes what seeds mean, and must say so.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mgdm::torch_commands {

struct SignatureSettings {
  c10::Device device = c10::kCPU;  // draws masks and decodes
  int threads = 0;                 // make data; 0 = all cores
  std::size_t batch = 16;          // rows at a time
};

struct SignaturePart {
  std::string name;
  std::uint64_t hash = 0;
};

struct Signature {
  std::vector<SignaturePart> parts;
  std::uint64_t hash = 0;  // over the parts
};

Signature signature(const SignatureSettings& settings);

}  // namespace mgdm::torch_commands
