#include "opwright/transforms/jvp.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "opwright/autograd/gradient_fit.h"
#include "opwright/base/small_vector.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/error.h"
#include "opwright/func.h"
#include "opwright/functions.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/operator_push.h"
#include "opwright/transforms/own_results.h"
#include "opwright/transforms/owned_results.h"

namespace opwright {
namespace {

Dual& dual_of(const OpwTensor* own) {
  auto& self = static_cast<WrapperImpl&>(impl(const_cast<OpwTensor*>(own)));
  return *static_cast<Dual*>(self.payload.data);
}

// Views of the tangent must be possible where those of the value are: it gets the value's strides.
// A value that repeats its elements has none that could be written.
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

bool gives_differentiable(Arguments results) {
  bool found = false;
  for (const OpwValue& result : results) {
    visit_tensors(result, [&](const OpwTensor* tensor) {
      found |= has_gradients(from_dlpack(tensor->dl.dtype));
    });
  }
  return found;
}

[[noreturn]] void throw_no_rule(const Operator& op) {
  throw_error("NotImplementedError", op.name(),
              " has neither a rule for forward mode nor a backward formula, so jvp cannot go "
              "through it\n  Register one with register_jvp or register_autograd, or call it on "
              "detached tensors.");
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

// One call with its values taken apart.
struct Jvp::Push {
  Arguments args;
  Arguments inner;                // at the level below
  std::vector<Tensor> tangents;   // of all tensors among the arguments
};

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

// A view shares the cell of what it views; what is no view gets one of its own.
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

void Jvp::run_rule_of(const Operator& op, Push& push, Results results) {
  std::vector<Value> lists;
  SmallVector<OpwValue, 16> values(push.inner.begin(), push.inner.end());
  size_t next = 0;
  for (uint64_t left = op.all_tensor_args(); left != 0; left &= left - 1) {
    const OpwValue& arg = push.args[static_cast<size_t>(std::countr_zero(left))];
    const auto take = [&] { return push.tangents[next++]; };
    if (arg.tag == kOpwTensor) {
      const Tensor tangent = take();
      values.push_back(tangent.is_defined() ? ValueOf<Tensor>::lend(tangent) : OpwValue{});
      lists.emplace_back(tangent.is_defined() ? Value(tangent) : Value());  // keeps it
    } else if (arg.tag == kOpwNone) {
      values.push_back({});
    } else {
      std::vector<std::optional<Tensor>> elements;
      visit_tensors(arg, [&](OpwTensor* /*tensor*/) {
        const Tensor tangent = take();
        elements.push_back(tangent.is_defined() ? std::optional(tangent) : std::nullopt);
      });
      lists.emplace_back(elements);
      values.push_back(lists.back().get());
    }
  }
  OwnedResults found(op.num_results());
  OwnedResults raw(op.num_results());
  {
    const ParentScope scope(*this);
    run_rule(op, Slot::Jvp, values, found.get());
    call(op, push.inner, raw.get());
  }
  std::vector<Tensor> tangents;
  for (uint32_t i = 0; i < raw.get().size(); ++i) {
    uint32_t element = 0;
    const OpwValue& tangent = found.get()[i];
    visit_tensors(raw.get()[i], [&](OpwTensor* tensor) {
      const OpwValue each =
          is_list_tag(tangent.tag) && element < tangent.length ? list_element(tangent, element) : tangent;
      ++element;
      Tensor one = each.tag == kOpwTensor ? Tensor::borrow(each.as_tensor) : Tensor();
      if (one.is_defined()) {
        const ValueMeta meta{BorrowedTensor(tensor)};
        OPWRIGHT_CHECK(has_sizes(one, meta.sizes()), op.name(), ": its rule for Jvp gave a tangent of "
                       "sizes ", to_text(ValueMeta(one).sizes()), " for a result of sizes ",
                       to_text(meta.sizes()));
        const ParentScope scope(*this);
        one = in_dtype(one, meta.dtype());
      }
      tangents.push_back(std::move(one));
    });
  }
  give(op, push, raw.get(), tangents, results);
}

void Jvp::run_formula_of(const Operator& op, Push& push, Results results) {
  OwnedResults raw(op.num_results());
  if (!op.record(Slot::Autograd)) {
    if (const OpwRecord* body = op.record(Slot::Decompose)) return run_record(op, *body, push.args, results);
    if (op.writes_arguments()) throw_no_rule(op);
    run_plain(op, push.args, push.inner, results);
    if (!gives_differentiable(results)) return;
    for (OpwValue& result : results) release_value(result);
    throw_no_rule(op);
  }
  std::vector<Tensor> tangents;
  {
    const ParentScope scope(*this);
    tangents = push_by_formula(parent(), op, push.inner, push.tangents, raw.get());
  }
  give(op, push, raw.get(), tangents, results);
}

void Jvp::give(const Operator& op, Push& push, Results raw, std::span<const Tensor> tangents,
               Results results) {
  SmallVector<size_t, 4> first;  // of each result, among the tangents
  size_t next = 0;
  for (const OpwValue& result : raw) {
    first.push_back(next);
    visit_tensors(result, [&](OpwTensor* /*tensor*/) { ++next; });
  }
  for (uint32_t i = 0; i < raw.size(); ++i) {
    if ((op.returned_args() >> i & 1) == 0) continue;
    size_t element = 0;
    visit_tensors(push.args[op.argument_of_result(i)], [&](OpwTensor* written) {
      set_tangent(written, tangents[first[i] + element++]);
    });
  }
  for (uint64_t left = op.unreturned_args(); left != 0; left &= left - 1) {
    visit_tensors(push.args[static_cast<size_t>(std::countr_zero(left))],
                  [&](OpwTensor* written) { set_tangent(written, tangents[next++]); });
  }
  give_own_results(*this, op, push.args, raw, results,
                   [&](uint32_t result, uint32_t element, OpwTensor* made) {
                     return wrap(Tensor::borrow(made), tangents[first[result] + element]);
                   });
}

// ---- Over functions ----

JvpResult jvp_function(std::span<const Tensor> inputs, std::span<const Tensor> tangents,
                       const FunctionBody& body) {
  OPWRIGHT_CHECK_VALUE(inputs.size() == tangents.size(), "jvp: ", inputs.size(),
                       " primals, but ", tangents.size(), " tangents");
  const auto level = JvpPtr::take(new Jvp(current_interpreter()));
  std::vector<Tensor> own;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueMeta meta(inputs[i]);
    OPWRIGHT_CHECK_TYPE(has_gradients(meta.dtype()), "jvp: primal ", i, " (", inputs[i],
                        ") cannot be differentiated, only tensors of floating and complex dtypes "
                        "can");
    OPWRIGHT_CHECK_VALUE(!tangents[i].is_defined() || (has_sizes(tangents[i], meta.sizes()) &&
                                                       tangents[i].dtype() == meta.dtype()),
                         "jvp: the tangent of primal ", i, " must be like it (", inputs[i],
                         "), got ", tangents[i].is_defined() ? tangents[i] : inputs[i]);
    own.push_back(level->wrap(inputs[i], tangents[i]));
  }
  FunctionOutputs given;
  {
    const InterpreterScope scope(level.get());
    given = body(own);
  }
  JvpResult result;
  for (const Tensor& output : given.outputs) {
    result.outputs.push_back(level->primal_of(output));
    Tensor tangent = level->tangent_of(output);
    result.tangents.push_back(tangent.is_defined() ? tangent : zeros_like(result.outputs.back()));
  }
  for (const Tensor& each : given.aux) result.aux.push_back(level->primal_of(each));
  return result;
}

}  // namespace opwright
