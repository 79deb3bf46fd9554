// View copies: for an operator that returns views, one that returns copies of them.
//
//   aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
//   aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
//   aten::transpose_copy.int_out(Tensor self, int dim0, int dim1, *, Tensor(a!) out) -> Tensor(a!)
//
// The copies are contiguous. Such an operator is created on first use, also when looked up by name,
// so that a graph's text can be parsed in another process. Copies of a list of views are written to
// a list, Tensor(a!)[], and not returned.
#pragma once

#include <span>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// The copy of a view operator. ValueError if another operator has its name. Any thread.
[[nodiscard]] const Operator& view_copy(const Operator& op);

// The operator that a name like "aten::view_copy" or "aten::view_copy.out" stands for; null: none.
[[nodiscard]] const Operator* find_view_copy(std::string_view name);

// Calls view copies instead of view operators at the level below. It has no values of its own.
class OPWRIGHT_EXPORT ViewCopies final : public Interpreter {
 public:
  explicit ViewCopies(Interpreter* parent);

  [[nodiscard]] const char* name() const override { return "functionalize"; }
  void process(const Operator& op, Arguments args, Results results) override;
  void lift(std::span<OpwValue> args) override;
  [[nodiscard]] OpwTensor* find_twin(const OpwTensor* foreign) const override;
  [[nodiscard]] bool keeps_whole(const Operator& op) const override;
};
using ViewCopiesPtr = IntrusivePtr<ViewCopies>;

}  // namespace opwright
