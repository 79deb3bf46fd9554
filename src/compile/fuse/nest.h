// Nest: a group of fused operators as one loop nest. Built by fusion, read by the emitter.
//
//   for each row            in parallel; `rows` extents, outermost first, walked as one range
//     for each depth        `depth` extents
//       for each column     in vectors
//
// Lanes are the values of one point, in computation order. A reduction joins a lane over all points
// of a row (`folds_columns`: over depth and columns, as in softmax and norms) or over the depth of
// a row and column (the gradient of a bias). Values computed from reductions alone exist once per
// row (or row and column). Lanes of the points may use them again, which takes another pass over
// the points.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/dtype.h"

namespace opwright {

enum class LaneOp : uint8_t {
  // Sources.
  Load,      // element of `operand`, halves as float32
  Constant,  // `number`, or `integer` if the dtype is not a float
  Number,    // numbers[`integer`] of the call, an int64
  // Arithmetic of one dtype. Ints wrap.
  Add,
  Subtract,
  Multiply,
  Divide,       // of floats
  DivideTrunc,  // rounded towards zero; division of ints by zero is unspecified
  DivideFloor,
  Remainder,  // has the sign of the divisor
  Fmod,       // has the sign of the dividend
  Negate,
  Absolute,
  Minimum,  // propagates NaN of either side
  Maximum,
  FusedMultiplyAdd,  // a * b + c, rounded once
  CopySign,
  // Comparisons of lanes of one dtype.
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  IsNan,
  // Bits; logical operations for bools.
  And,
  Or,
  Xor,
  Not,
  ShiftLeft,
  ShiftRight,  // keeps the sign of signed ints
  // Choice and conversion.
  Select,     // args: a bool, then two of one dtype
  Cast,       // like tensor conversion: floats to ints towards zero, to bool by != 0
  RoundHalf,  // float32 rounded to the values of `half`
  // Functions of floats.
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  SquareRoot,
  ReciprocalSquareRoot,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tanh,
  Sigmoid,
  Erf,
  Power,
  // Reductions of one argument.
  FoldSum,
  FoldProduct,
  FoldMinimum,
  FoldMaximum,
  FoldAnd,
  FoldOr,
};

[[nodiscard]] constexpr bool is_fold(LaneOp op) noexcept { return op >= LaneOp::FoldSum; }
// Whether it takes about ten instructions or more: better stored than recomputed.
[[nodiscard]] bool is_costly(LaneOp op) noexcept;
// As written in formulas and texts of nests: "add", "fold_sum".
[[nodiscard]] const char* lane_op_name(LaneOp op) noexcept;

struct Lane {
  LaneOp op{};
  DType dtype{};                    // of the result; never a half, never complex
  std::vector<uint32_t> args = {};  // indices in `lanes`, before this one
  uint32_t operand = 0;
  double number = 0;
  int64_t integer = 0;
  DType half = DType::Float16;
  friend bool operator==(const Lane&, const Lane&) = default;
};

// A number of the nest that is known (`fixed` >= 0), or numbers[`number`] of the call.
struct NestExtent {
  int64_t fixed = -1;
  uint32_t number = 0;
  [[nodiscard]] bool is_fixed() const noexcept { return fixed >= 0; }
  friend bool operator==(const NestExtent&, const NestExtent&) = default;
};

// The stride of an operand along one loop, in elements. If not fixed, it is read from the context.
struct NestStride {
  bool is_fixed = true;
  int64_t fixed = 0;
  friend bool operator==(const NestStride&, const NestStride&) = default;
};

struct NestOperand {
  DType dtype{};  // of the memory; may be a half, never complex
  bool is_written = false;
  // Along the rows, the depth, then the columns. A column stride that is not fixed to 0 or 1 is
  // accessed element by element.
  std::vector<NestStride> strides = {};
  friend bool operator==(const NestOperand&, const NestOperand&) = default;
};

struct NestStore {
  uint32_t operand = 0;
  uint32_t lane = 0;
  friend bool operator==(const NestStore&, const NestStore&) = default;
};

struct Nest {
  std::vector<NestExtent> rows = {};
  std::vector<NestExtent> depth = {};
  NestExtent columns = {.fixed = 1};
  bool folds_columns = true;
  std::vector<NestOperand> operands = {};
  std::vector<Lane> lanes = {};
  std::vector<NestStore> stores = {};  // may overwrite a loaded operand at the same points
  uint32_t num_numbers = 0;
  friend bool operator==(const Nest&, const Nest&) = default;
};

// The argument of a generated function: an array of 64-bit words.
//   row_begin row_end column_begin column_end scratch numbers... pointers... strides...
// Rows are counted over the product of `rows` (1 if there are none). Nests that do not reduce
// columns read the column range; scratch is thread-local.
struct NestContext {
  enum Word : uint8_t { RowBegin, RowEnd, ColumnBegin, ColumnEnd, Scratch, FirstNumber };

  [[nodiscard]] static uint32_t number(uint32_t index) { return FirstNumber + index; }
  [[nodiscard]] static uint32_t pointer(const Nest& nest, uint32_t operand) {
    return number(nest.num_numbers) + operand;
  }
  // For every stride, including fixed ones; `loop` counts rows, depth, columns.
  [[nodiscard]] static uint32_t stride(const Nest& nest, uint32_t operand, uint32_t loop) {
    const auto num_operands = static_cast<uint32_t>(nest.operands.size());
    return pointer(nest, num_operands) + operand * num_loops(nest) + loop;
  }
  [[nodiscard]] static uint32_t num_loops(const Nest& nest) {
    return static_cast<uint32_t>(nest.rows.size() + nest.depth.size() + 1);
  }
  [[nodiscard]] static uint32_t num_words(const Nest& nest) {
    return stride(nest, static_cast<uint32_t>(nest.operands.size()), 0);
  }
};

// One line per part, to read and to compare:
//   rows 128 depth columns n0 folds columns
//   operand 0 float32 [1024, 1]
//   operand 1 written float32 [1024, 1]
//   %0 float32 = load 0
//   %1 float32 = fold_max %0
//   store 1 %4
[[nodiscard]] std::string to_text(const Nest& nest);

}  // namespace opwright
