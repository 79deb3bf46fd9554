// Dtypes and values of ONNX Runtime.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/dtype.h"

namespace opwright::ort_bridge {

// By number; DType{} if Opwright's tensors do not have it.
inline constexpr size_t kNumOrtDTypes = 20;
extern const std::array<DType, kNumOrtDTypes> kDTypeByNumber;

// Empty for one that Opwright's tensors cannot have.
[[nodiscard]] inline std::optional<DType> to_dtype(OrtDType dtype) {
  const auto number = static_cast<size_t>(dtype);
  if (number >= kNumOrtDTypes || kDTypeByNumber[number] == DType{}) return std::nullopt;
  return kDTypeByNumber[number];
}
[[nodiscard]] std::optional<OrtDType> to_ort_dtype(DType dtype);
// "string", "int4", ...: also those without a dtype here.
[[nodiscard]] std::string dtype_text(OrtDType dtype);

// The contents of a value, in place.
struct OrtTensor {
  OrtDType dtype;  // Undefined if it is absent
  size_t rank;
  const int64_t* first_size;
  void* data;

  [[nodiscard]] std::span<const int64_t> sizes() const { return {first_size, rank}; }
};
// `room` stores the sizes for versions that cannot lend them.
[[nodiscard]] OrtTensor read_tensor(const OrtApi& api, const OrtValue* value,
                                    std::vector<int64_t>& room);

}  // namespace opwright::ort_bridge
