#include "bridges/jax/xla_buffer.h"

#include <cstdint>

#include "bridges/jax/xla_ffi.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::jax_bridge {
namespace {

struct DTypePair {
  XlaDType theirs;
  DType ours;
};
constexpr DTypePair kDTypePairs[] = {
    {XlaDType::Pred, DType::Bool},
    {XlaDType::S8, DType::Int8},
    {XlaDType::S16, DType::Int16},
    {XlaDType::S32, DType::Int32},
    {XlaDType::S64, DType::Int64},
    {XlaDType::U8, DType::UInt8},
    {XlaDType::U16, DType::UInt16},
    {XlaDType::U32, DType::UInt32},
    {XlaDType::U64, DType::UInt64},
    {XlaDType::F16, DType::Float16},
    {XlaDType::F32, DType::Float32},
    {XlaDType::F64, DType::Float64},
    {XlaDType::BF16, DType::BFloat16},
    {XlaDType::C64, DType::Complex64},
    {XlaDType::C128, DType::Complex128},
    {XlaDType::F8E5M2, DType::Float8E5M2},
    {XlaDType::F8E4M3FN, DType::Float8E4M3FN},
};

}  // namespace

DType read_dtype(XlaDType dtype) {
  for (const DTypePair& pair : kDTypePairs) {
    if (pair.theirs == dtype) return pair.ours;
  }
  throw_error("TypeError", "XLA's element type ", static_cast<uint32_t>(dtype),
              " has no dtype of Opwright");
}

}  // namespace opwright::jax_bridge
