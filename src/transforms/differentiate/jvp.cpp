#include "opwright/transforms/differentiate/jvp.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "opwright/autograd/history.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/rule.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/symint.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/own_results.h"
#include "opwright/value.h"

namespace opwright {
namespace {

Dual& dual_of(const OpwTensor* own) {
  auto& self = static_cast<WrapperImpl&>(impl(const_cast<OpwTensor*>(own)));
  return *static_cast<Dual*>(self.payload.data);
}

// Views that are possible on the value must be possible on its tangent, so it gets the value's
// strides. A value with repeated elements has no view that could be written.
Tensor with_strides_of(const Tensor& primal, const Tensor& tangent) {
  const SymGeometry wanted = sym_geometry_of(primal);
  const SymGeometry has = sym_geometry_of(tangent);
  const auto is_same = [](const SymInt& a, const SymInt& b) { return guard_or_false(a == b); };
  if (std::ranges::equal(wanted.strides, has.strides, is_same)) return tangent;
  const auto is_repeated = [](const SymInt& stride) { return guard_or_false(stride == 0); };
  if (std::ranges::any_of(wanted.strides, is_repeated)) return tangent.contiguous();
  const Tensor memory =
      empty_strided(wanted.sizes, wanted.strides, tangent.dtype(), {}, tangent.device());
  return opwright::copy(memory, tangent);
}

}  // namespace

// ---- Values ----

Tensor Jvp::wrap_dual(Tensor primal, Dual dual) {
  WrapperPayload payload;
  payload.data = new Dual(std::move(dual));
  payload.copy = [](void* data) -> void* { return new Dual(*static_cast<Dual*>(data)); };
  payload.drop = [](void* data) { delete static_cast<Dual*>(data); };
  return make_wrapper(this, std::move(primal), payload);
}

Tensor Jvp::wrap(Tensor primal, Tensor tangent) {
  auto cell = make_intrusive<TangentCell>();
  cell->primal = primal;
  cell->tangent = std::move(tangent);
  return wrap_dual(std::move(primal), {.cell = std::move(cell), .view = nullptr});
}

Tensor Jvp::primal_of(const Tensor& tensor) const {
  return owns(tensor.get()) ? Tensor::borrow(inner_of(tensor.get())) : tensor;
}

Tensor Jvp::tangent_of(const Tensor& tensor) const {
  if (!owns(tensor.get())) return {};
  Dual& dual = dual_of(tensor.get());
  TangentCell& cell = *dual.cell;
  if (!dual.view || !cell.tangent.is_defined()) return cell.tangent;
  if (dual.seen != cell.num_writes) {
    const ParentScope scope(*this);
    cell.tangent = with_strides_of(cell.primal, cell.tangent);
    dual.part = replay(steps_to(dual.view), cell.tangent);
    dual.seen = cell.num_writes;
  }
  return dual.part;
}

void Jvp::set_tangent(OpwTensor* own, Tensor tangent) {
  Dual& dual = dual_of(own);
  TangentCell& cell = *dual.cell;
  if (dual.view) {
    if (!cell.tangent.is_defined() && !tangent.is_defined()) return;
    const ParentScope scope(*this);
    cell.tangent = cell.tangent.is_defined() ? with_strides_of(cell.primal, cell.tangent)
                                             : zeros_like(cell.primal);
    if (!tangent.is_defined()) tangent = zeros_like(Tensor::borrow(inner_of(own)));
    tangent = scatter(cell.tangent, tangent, steps_to(dual.view));
  }
  cell.tangent = std::move(tangent);
  ++cell.num_writes;
}

// ---- Calls ----

void Jvp::process(const Operator& op, Arguments args, Results results) {
  bool has_own = false;
  const ReplacedArguments inner(args, [&](OpwTensor* tensor) {
    const bool is_own = owns(tensor);
    has_own |= is_own;
    return is_own ? inner_of(tensor) : tensor;
  });
  if (has_own && op.writes_arguments()) check_foreign_writes(*this, op, args);
  Push push{.args = args, .inner = inner.get(), .tangents = {}};
  bool has_tangent = false;
  if (has_own && !op.gives_views()) {
    op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
      push.tangents.push_back(tangent_of(BorrowedTensor(tensor)));
      has_tangent |= push.tangents.back().is_defined();
    });
  }
  if (!has_tangent || op.tags().has(Tag::Nondifferentiable)) {
    run_plain(op, args, inner.get(), results);
    if (!has_tangent) return;
    for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
      visit_tensors(args[static_cast<size_t>(std::countr_zero(left))],
                    [&](OpwTensor* written) { set_tangent(written, Tensor()); });
    }
    return;
  }
  if (op.record(Slot::Jvp) && op.unreturned_args() == 0) return run_rule_of(op, push, results);
  run_formula_of(op, push, results);
}

void Jvp::run_plain(const Operator& op, Arguments args, Arguments inner, Results results) {
  OwnedResults raw(op.num_results());
  {
    const ParentScope scope(*this);
    call(op, inner, raw.get());
  }
  give_own_results(*this, op, args, raw.get(), results,
                   [&](uint32_t result, uint32_t element, OpwTensor* made) {
                     return wrap_view(op, args, inner, result, element, made);
                   });
}

// A view shares the cell of its base; other results get their own.
Tensor Jvp::wrap_view(const Operator& op, Arguments args, Arguments inner, uint32_t result,
                      uint32_t element, OpwTensor* made) {
  const auto viewed = op.gives_views() && !op.tags().has(Tag::Nondifferentiable)
                          ? find_viewed_argument(op, result)
                          : std::nullopt;
  if (!viewed || args[*viewed].tag != kOpwTensor) return wrap(Tensor::borrow(made), Tensor());
  const Dual& base = dual_of(args[*viewed].as_tensor);
  auto record = make_intrusive<ViewRecord>();
  record->parent = base.view;
  record->op = &op;
  record->viewed = *viewed;
  const bool gives_list = op.plain_result_tag(result) == kOpwTensorList;
  record->gives_list = gives_list;
  record->place = gives_list ? element : result;
  for (uint32_t i = 0; i < inner.size(); ++i) {
    if (i != *viewed) record->rest.push_back(copy_value(inner[i]));
  }
  return wrap_dual(Tensor::borrow(made), {.cell = base.cell, .view = std::move(record)});
}

}  // namespace opwright
