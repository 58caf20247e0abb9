// What a matrix is made of.
//
// The two 8-bit floats are those of matrix units from compute capability 8.9 on (Micikevicius et
// al., "FP8 formats for deep learning", 2022): e4m3 has four bits of exponent and three behind the
// point, up to 448; e5m2 has five and two, up to 57344.
#pragma once

namespace mgdm::ops::cuda {

enum class NumberType { kBfloat16, kFloat32, kE4m3, kE5m2 };

inline bool is_fp8(NumberType type) {
  return type == NumberType::kE4m3 || type == NumberType::kE5m2;
}

}  // namespace mgdm::ops::cuda
