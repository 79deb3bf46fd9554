// Argument checks whose messages name the argument.
#pragma once

#include <initializer_list>

#include "opwright/compat/ATen/core/Tensor.h"

namespace at OPWRIGHT_VISIBILITY {
using CheckedFrom = const char*;

// A tensor with its name and position, counted from one.
struct TensorArg {
  const Tensor& tensor;
  const char* name;
  int pos;

  TensorArg(const Tensor& argument, const char* argument_name, int position)
      : tensor(argument), name(argument_name), pos(position) {}
  const Tensor* operator->() const { return &tensor; }
  const Tensor& operator*() const { return tensor; }
};

inline void checkDim(CheckedFrom who, const TensorArg& arg, int64_t dim) {
  TORCH_CHECK(arg->dim() == dim, who, ": '", arg.name, "' needs ", dim, " dimensions, got ",
              arg->sizes());
}
inline void checkScalarType(CheckedFrom who, const TensorArg& arg, ScalarType dtype) {
  TORCH_CHECK(arg->scalar_type() == dtype, who, ": '", arg.name, "' needs dtype ", dtype, ", got ",
              arg->scalar_type());
}
inline void checkSameType(CheckedFrom who, const TensorArg& a, const TensorArg& b) {
  TORCH_CHECK(a->scalar_type() == b->scalar_type(), who, ": '", a.name, "' and '", b.name,
              "' need the same dtype, got ", a->scalar_type(), " and ", b->scalar_type());
}
inline void checkSameSize(CheckedFrom who, const TensorArg& a, const TensorArg& b) {
  TORCH_CHECK(a->sizes() == b->sizes(), who, ": '", a.name, "' and '", b.name,
              "' need the same sizes, got ", a->sizes(), " and ", b->sizes());
}
inline void checkContiguous(CheckedFrom who, const TensorArg& arg) {
  TORCH_CHECK(arg->is_contiguous(), who, ": '", arg.name, "' must be contiguous");
}
inline void checkAllSameType(CheckedFrom who, std::initializer_list<TensorArg> args) {
  for (const TensorArg& arg : args) checkSameType(who, *args.begin(), arg);
}
// The dispatcher rejects arguments on two devices before a kernel runs.
inline void checkSameGPU(CheckedFrom /*who*/, const TensorArg&, const TensorArg&) {}
inline void checkAllSameGPU(CheckedFrom /*who*/, std::initializer_list<TensorArg>) {}
}  // namespace at
