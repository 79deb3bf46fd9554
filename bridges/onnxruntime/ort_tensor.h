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

// By number; DType{} where no tensor of Opwright has it.
inline constexpr size_t kNumOrtDTypes = 20;
extern const std::array<DType, kNumOrtDTypes> kDTypeByNumber;

// None for one that no tensor of Opwright can have.
[[nodiscard]] inline std::optional<DType> to_dtype(OrtDType dtype) {
  const auto number = static_cast<size_t>(dtype);
  if (number >= kNumOrtDTypes || kDTypeByNumber[number] == DType{}) return std::nullopt;
  return kDTypeByNumber[number];
}
[[nodiscard]] std::optional<OrtDType> to_ort_dtype(DType dtype);
// "string", "int4", ...: also of those that have no dtype here.
[[nodiscard]] std::string dtype_text(OrtDType dtype);

// What a value holds, in place.
struct OrtTensor {
  OrtDType dtype;  // Undefined: it is not there
  size_t rank;
  const int64_t* first_size;
  void* data;

  [[nodiscard]] std::span<const int64_t> sizes() const { return {first_size, rank}; }
};
// `room` keeps the sizes for versions that cannot lend them.
[[nodiscard]] OrtTensor read_tensor(const OrtApi& api, const OrtValue* value,
                                    std::vector<int64_t>& room);

}  // namespace opwright::ort_bridge
