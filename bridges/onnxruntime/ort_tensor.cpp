#include "bridges/onnxruntime/ort_tensor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::ort_bridge {
namespace {

struct DTypePair {
  OrtDType theirs;
  DType ours;
};
constexpr DTypePair kDTypePairs[] = {
    {OrtDType::Float32, DType::Float32},
    {OrtDType::UInt8, DType::UInt8},
    {OrtDType::Int8, DType::Int8},
    {OrtDType::UInt16, DType::UInt16},
    {OrtDType::Int16, DType::Int16},
    {OrtDType::Int32, DType::Int32},
    {OrtDType::Int64, DType::Int64},
    {OrtDType::Bool, DType::Bool},
    {OrtDType::Float16, DType::Float16},
    {OrtDType::Float64, DType::Float64},
    {OrtDType::UInt32, DType::UInt32},
    {OrtDType::UInt64, DType::UInt64},
    {OrtDType::Complex64, DType::Complex64},
    {OrtDType::Complex128, DType::Complex128},
    {OrtDType::BFloat16, DType::BFloat16},
    {OrtDType::Float8E4M3FN, DType::Float8E4M3FN},
    {OrtDType::Float8E5M2, DType::Float8E5M2},
};

// By number; those without a dtype here.
constexpr const char* kOtherNames[] = {
    nullptr,           nullptr, nullptr,           nullptr, nullptr, nullptr,
    nullptr,           nullptr, "string",          nullptr, nullptr, nullptr,
    nullptr,           nullptr, nullptr,           nullptr, nullptr, nullptr,
    "float8_e4m3fnuz", nullptr, "float8_e5m2fnuz", "uint4", "int4",  "float4_e2m1"};

}  // namespace

constexpr std::array<DType, kNumOrtDTypes> kDTypeByNumber = [] {
  std::array<DType, kNumOrtDTypes> all{};
  for (const DTypePair& pair : kDTypePairs) all[static_cast<size_t>(pair.theirs)] = pair.ours;
  return all;
}();

std::optional<OrtDType> to_ort_dtype(DType dtype) {
  for (const DTypePair& pair : kDTypePairs) {
    if (pair.ours == dtype) return pair.theirs;
  }
  return std::nullopt;
}

std::string dtype_text(OrtDType dtype) {
  if (const std::optional<DType> known = to_dtype(dtype)) return concatenate(*known);
  const auto number = static_cast<size_t>(dtype);
  if (number < std::size(kOtherNames) && kOtherNames[number]) return kOtherNames[number];
  return concatenate("element type ", number);
}

OrtTensor read_tensor(const OrtApi& api, const OrtValue* value, std::vector<int64_t>& room) {
  OrtTensor tensor{};
  api.require(entry::kGetData, value, &tensor.data);
  if (api.has(entry::kGetTypeShapeReference)) [[likely]] {
    api.require(entry::kGetTypeShapeReference, value, &tensor.dtype, &tensor.first_size,
                &tensor.rank);
    return tensor;
  }
  OrtTypeShape* info = nullptr;
  api.require(entry::kGetTypeShape, value, &info);
  size_t rank = 0;
  bool is_read = api.try_call(entry::kGetDType, info, &tensor.dtype) &&
                 api.try_call(entry::kGetRank, info, &rank);
  room.resize(rank);
  is_read = is_read && api.try_call(entry::kGetSizes, info, room.data(), rank);
  api.call(entry::kReleaseTypeShape, info);
  OPWRIGHT_CHECK(is_read, "ONNX Runtime did not tell the sizes of a tensor");
  tensor.rank = rank;
  tensor.first_size = room.data();
  return tensor;
}

}  // namespace opwright::ort_bridge
