// Dtypes and values of ONNX Runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/dtype.h"

namespace opwright::ort_bridge {

// None for one that no tensor of Opwright can have.
[[nodiscard]] std::optional<DType> to_dtype(OrtDType dtype);
[[nodiscard]] std::optional<OrtDType> to_ort_dtype(DType dtype);
// "string", "int4", ...: also of those that have no dtype here.
[[nodiscard]] std::string dtype_text(OrtDType dtype);

// What a value holds, in place.
struct OrtTensor {
  OrtDType dtype{};
  std::span<const int64_t> sizes;
  void* data = nullptr;
};
// `room` keeps the sizes for versions that cannot lend them.
[[nodiscard]] OrtTensor read_tensor(const OrtApi& api, const OrtValue* value,
                                    std::vector<int64_t>& room);

}  // namespace opwright::ort_bridge
