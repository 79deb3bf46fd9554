// NestCall: a nest with its code, as the argument of the operator that runs it.
//
//   opwright::nest.out1(Nest nest, Tensor[] inputs, SymInt[] numbers) -> Tensor
//   opwright::nest_.out1(Nest nest, Tensor[] inputs, Tensor(a!) written, SymInt[] numbers)
//       -> Tensor(a!)
//
// The results are new tensors in the planned layout; the first one may reuse the memory of a value
// that is no longer needed. Inputs that are not in the planned layout are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/compile/fuse/nest_plan.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/object/object_code.h"
#include "opwright/dispatch/operator.h"
#include "opwright/value.h"

namespace opwright {

class NestCall : public Counted<NestCall> {
 public:
  NestCall(const NestPlan& plan, EmittedNest emitted, ObjectCodePtr code);

  [[nodiscard]] const Nest& nest() const noexcept { return nest_; }
  [[nodiscard]] const std::string& ir() const noexcept { return emitted_.ir; }
  [[nodiscard]] const std::vector<NestTensor>& tensors() const noexcept { return tensors_; }
  [[nodiscard]] size_t num_inputs() const noexcept { return num_inputs_; }

  // `written` is the memory of the first result; null: all are new. RuntimeError for an input whose
  // dtype or sizes differ from the plan.
  void run(std::span<const Tensor> inputs, const Tensor* written, std::span<const int64_t> numbers,
           std::span<OpwValue> results) const;

 private:
  void put_operand(size_t operand, const Tensor& tensor, int64_t* words) const;
  // Whether the tensor has the planned layout. RuntimeError as in run().
  [[nodiscard]] bool lies_as_planned(size_t input, const Tensor& tensor,
                                     std::span<const int64_t> numbers) const;
  [[nodiscard]] Tensor make_output(size_t operand, std::span<const int64_t> numbers) const;
  void run_loops(int64_t* words, std::span<const int64_t> numbers) const;
  void run_part(const int64_t* words, int64_t row_begin, int64_t row_end, int64_t column_begin,
                int64_t column_end, int64_t scratch_bytes) const;

  Nest nest_;
  std::vector<NestTensor> tensors_;
  std::vector<NestPlan::StrideNumber> stride_numbers_;
  size_t num_inputs_;
  EmittedNest emitted_;
  ObjectCodePtr code_;
  ObjectCode::Function function_;
  std::vector<int64_t> words_;  // fixed values are filled in
  double nanoseconds_;          // per point, approximately
};
using NestCallPtr = IntrusivePtr<const NestCall>;

[[nodiscard]] Value nest_value(NestCallPtr call);
// Null if the value is not a nest.
[[nodiscard]] const NestCall* find_nest(const OpwValue& value) noexcept;

// The operator for that many results, at least one.
inline constexpr size_t kMostNestResults = 16;
[[nodiscard]] const Operator& nest_operator(size_t num_results, bool writes);

}  // namespace opwright
