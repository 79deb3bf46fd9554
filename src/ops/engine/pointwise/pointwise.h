// Describes pointwise operations: what each elementwise operator must define.
//
// A family file (src/ops/pointwise) holds one PointwiseOp per operation: its kernels over dense
// elements and its dtype rule. Everything else is shared: shapes and dtypes of results
// (pointwise_result.h), the CPU engine (cpu/pointwise_engine.h), fake kernels, and argument
// parsing, so overloads with numbers, in-place and out forms come from one PointwiseOp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/base/small_vector.h"
#include "opwright/dtype.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

inline constexpr size_t kMostInputs = 3;
inline constexpr size_t kMostNumbers = 3;

// The tensor in an argument, without its own reference count; lives as long as `value`.
inline const Tensor& borrow_tensor(const OpwValue& value) {
  static_assert(sizeof(Tensor) == sizeof value.as_tensor);
  return reinterpret_cast<const Tensor&>(value.as_tensor);
}

// A borrowed tensor argument, or a number instead of one.
struct PointwiseOperand {
  const Tensor* tensor = nullptr;
  Scalar number = {};

  [[nodiscard]] bool is_tensor() const { return tensor != nullptr; }
  [[nodiscard]] bool is_bool() const {
    return tensor ? tensor->dtype() == DType::Bool : number.is_bool();
  }
};

// Computes `count` dense elements. All inputs have the dtype of the kernel's table entry, except a
// leading condition, which is bool. The output may be one of the inputs.
using PointwiseKernel = void (*)(std::span<const Scalar> numbers, std::byte* output,
                                 const std::byte* const* inputs, int64_t count);

// One kernel per CPU level (cpu/cpu_level.h); the output's dtype.
struct LeveledKernel {
  std::array<PointwiseKernel, 3> by_level{};
  // For inputs after the first that are a single element each; optional.
  std::array<PointwiseKernel, 3> repeated_by_level{};
  DType output{};
};

// Indexed by compute dtype; halves are computed in float32.
inline constexpr size_t kNumKernelDTypes = 13;
using KernelTable = std::array<LeveledKernel, kNumKernelDTypes>;

// The index of a dtype in a KernelTable.
constexpr size_t kernel_index(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return 0;
    case DType::UInt8:
      return 1;
    case DType::UInt16:
      return 2;
    case DType::UInt32:
      return 3;
    case DType::UInt64:
      return 4;
    case DType::Int8:
      return 5;
    case DType::Int16:
      return 6;
    case DType::Int32:
      return 7;
    case DType::Int64:
      return 8;
    case DType::Float64:
      return 10;
    case DType::Complex64:
      return 11;
    case DType::Complex128:
      return 12;
    default:  // float32 and the halves
      return 9;
  }
}
constexpr bool is_half(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }
// The compute dtype for values of a dtype.
constexpr DType kernel_dtype(DType dtype) { return is_half(dtype) ? DType::Float32 : dtype; }

// How the dtype of the result follows from the common dtype of the operands.
enum class ResultRule : uint8_t {
  Common,       // computed and returned in the common dtype
  Inexact,      // like Common, with ints and bools as the default float
  Bool,         // computed in the common dtype, returns bool
  Int32,        // computed in the common dtype, returns int32
  Real,         // like Common; complex inputs give a real result
  InexactReal,  // like Inexact; complex inputs give a real result
};

struct PointwiseCall;

// Instead of a formula: there is none for these dtypes.
inline constexpr const char* kNoFormula = "";

struct PointwiseOp {
  uint8_t arity;  // the number of operands; they are the first arguments that are not ints
  const KernelTable* kernels = nullptr;
  ResultRule rule = ResultRule::Common;
  const char* takes = "numbers";  // the supported dtypes, for error messages
  // The first operand is a bool condition and is ignored in promotion.
  bool has_condition = false;
  // A number keeps the compute precision, even if the common dtype is a half.
  bool keeps_numbers_wide = false;
  // A new result is contiguous, whatever the memory order of the operands.
  bool gives_contiguous = false;
  // Reads the operator's other arguments, and may replace the operation, operands or numbers.
  void (*prepare)(PointwiseCall& call) = nullptr;
  // Rejects calls that the kernels could compute but the operator does not allow.
  void (*check)(const PointwiseCall& call, DType common) = nullptr;
  // What the kernels compute, for compilers (pointwise_formula.h); separate formulas for ints and
  // bools if they differ.
  const char* formula = nullptr;
  const char* formula_of_ints = nullptr;
  const char* formula_of_bools = nullptr;
  // For ints: the kernels throw if y is zero.
  bool refuses_zero = false;
};

// One call: the operation, its operands, and the numbers that are the same for every element.
struct PointwiseCall {
  const char* who;  // the operator's name in errors
  const PointwiseOp* op;
  SmallVector<PointwiseOperand, kMostInputs> operands;
  SmallVector<Scalar, kMostNumbers> numbers;
  // The arguments before the operands if there are any, else those after them, without `out`;
  // Scalars among them are also in `numbers`.
  std::span<const OpwValue> others;
  // `prepare` made an operand that is a number part of the operation; strides of results still
  // count it.
  bool has_hidden_number = false;
};

}  // namespace opwright
