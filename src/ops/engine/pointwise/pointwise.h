// Pointwise operations: what every operator that works element by element says about itself.
//
// A family file (src/ops/pointwise) holds one PointwiseOp for each operation: its kernels over
// dense elements and how dtypes meet. Everything else is the same for all of them and stands
// elsewhere: shapes and dtypes of results (pointwise_result.h), the CPU's engine
// (cpu/pointwise_engine.h), fake kernels, and the reading of arguments, so that overloads with
// numbers, in-place and out forms come from one PointwiseOp.
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

// The tensor of an argument that holds one, without a count of its own; lives as long as `value`.
inline const Tensor& borrow_tensor(const OpwValue& value) {
  static_assert(sizeof(Tensor) == sizeof value.as_tensor);
  return reinterpret_cast<const Tensor&>(value.as_tensor);
}

// A tensor argument, borrowed, or a number in its place.
struct PointwiseOperand {
  const Tensor* tensor = nullptr;
  Scalar number = {};

  [[nodiscard]] bool is_tensor() const { return tensor != nullptr; }
  [[nodiscard]] bool is_bool() const {
    return tensor ? tensor->dtype() == DType::Bool : number.is_bool();
  }
};

// Computes `count` dense elements. All inputs have the dtype that the kernel stands under in its
// table, but a leading condition, which is bool. The output may be one of the inputs.
using PointwiseKernel = void (*)(std::span<const Scalar> numbers, std::byte* output,
                                 const std::byte* const* inputs, int64_t count);

// One kernel for each level of the machine (cpu/cpu_level.h); the output's dtype.
struct LeveledKernel {
  std::array<PointwiseKernel, 3> by_level{};
  // The same where every input after the first is one element for all; may be missing.
  std::array<PointwiseKernel, 3> repeated_by_level{};
  DType output{};
};

// By the dtype that is computed in; halves are computed in float32.
inline constexpr size_t kNumKernelDTypes = 13;
using KernelTable = std::array<LeveledKernel, kNumKernelDTypes>;

// The place of a dtype in a KernelTable.
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
// Where values of a dtype are computed.
constexpr DType kernel_dtype(DType dtype) { return is_half(dtype) ? DType::Float32 : dtype; }

// How the dtype of the result follows from the common dtype of the operands.
enum class ResultRule : uint8_t {
  Common,   // computed and given in the common dtype
  Inexact,  // as Common, with ints and bools as the default float
  Bool,     // computed in the common dtype, gives truth values
  Real,     // as Common; the result of complex numbers is real
};

struct PointwiseCall;

// In place of a formula: for these dtypes there is none.
inline constexpr const char* kNoFormula = "";

struct PointwiseOp {
  uint8_t arity;  // how many arguments are operands; they come first
  const KernelTable* kernels = nullptr;
  ResultRule rule = ResultRule::Common;
  const char* takes = "numbers";  // the dtypes with a kernel, for the refusal of others
  // The first operand is a bool that chooses, and takes no part in promotion.
  bool has_condition = false;
  // A number is as exact as kernels compute, also where the operands meet in a half.
  bool keeps_numbers_wide = false;
  // A new result is contiguous, whatever the order of the operands' memory.
  bool gives_contiguous = false;
  // Reads what the operator has beside operands and numbers, and may put another operation, other
  // operands or numbers in their place.
  void (*prepare)(PointwiseCall& call) = nullptr;
  // Refuses what the kernels could compute but the operator does not allow.
  void (*check)(const PointwiseCall& call, DType common) = nullptr;
  // What the kernels compute, for compilers (pointwise_formula.h); of ints and of bools, where it
  // is said in another way.
  const char* formula = nullptr;
  const char* formula_of_ints = nullptr;
  const char* formula_of_bools = nullptr;
  // Of ints: the kernels throw where y is zero.
  bool refuses_zero = false;
};

// One call: the operation, its operands, and the numbers that are the same for every element.
struct PointwiseCall {
  const char* who;  // as errors name the operator
  const PointwiseOp* op;
  SmallVector<PointwiseOperand, kMostInputs> operands;
  SmallVector<Scalar, kMostNumbers> numbers;
  // The arguments after the operands, without `out`; those that are Scalars are `numbers` as well.
  std::span<const OpwValue> others;
};

}  // namespace opwright
