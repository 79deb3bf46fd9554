#include "opwright/convert/onnx/model/wide_dtype.h"

namespace opwright::onnx {

DType wide_dtype(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::UInt8:
    case DType::Int8:
    case DType::UInt16:
    case DType::Int16:
      return DType::Int32;
    case DType::UInt32:
    case DType::UInt64:
      return DType::Int64;
    case DType::Float16:
    case DType::BFloat16:
      return DType::Float32;
    default:
      return dtype;
  }
}

DType ordered_dtype(DType dtype) { return dtype == DType::UInt64 ? dtype : wide_dtype(dtype); }

OnnxValue recast(GraphBuilder& g, OnnxValue value, DType from, DType to) {
  return from == to ? value : g.cast(value, to);
}

OnnxValue where(GraphBuilder& g, OnnxValue condition, OnnxValue a, OnnxValue b, DType dtype) {
  const DType wide = dtype == DType::Float16 ? dtype : wide_dtype(dtype);
  const OnnxValue chosen =
      g.op("Where", {condition, recast(g, a, dtype, wide), recast(g, b, dtype, wide)});
  return recast(g, chosen, wide, dtype);
}

}  // namespace opwright::onnx
