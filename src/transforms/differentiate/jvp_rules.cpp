// How an operator propagates tangents: by its own rule, by its backward formula, or by its
// decomposition.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/dispatch/slot.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/differentiate/operator_push.h"
#include "opwright/transforms/trace/own_results.h"
#include "opwright/value.h"

namespace opwright {
namespace {

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
      lists.emplace_back(tangent.is_defined() ? Value(tangent) : Value());  // keeps it alive
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
      const OpwValue each = is_list_tag(tangent.tag) && element < tangent.length
                                ? list_element(tangent, element)
                                : tangent;
      ++element;
      Tensor one = each.tag == kOpwTensor ? Tensor::borrow(each.as_tensor) : Tensor();
      if (one.is_defined()) {
        const ValueMeta meta{BorrowedTensor(tensor)};
        OPWRIGHT_CHECK(
            has_sizes(one, meta.sizes()), op.name(), ": its jvp rule returned a tangent of sizes ",
            to_text(ValueMeta(one).sizes()), " for a result of sizes ", to_text(meta.sizes()));
        const ParentScope scope(*this);
        one = fit_dtype(one, meta.dtype());
      }
      tangents.push_back(std::move(one));
    });
  }
  give(op, push, raw.get(), tangents, results);
}

void Jvp::run_formula_of(const Operator& op, Push& push, Results results) {
  OwnedResults raw(op.num_results());
  if (!op.record(Slot::Autograd)) {
    if (const OpwRecord* body = op.record(Slot::Decompose))
      return run_record(op, *body, push.args, results);
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
  SmallVector<size_t, 4> first;  // index of each result's first tangent
  size_t next = 0;
  for (const OpwValue& result : raw) {
    first.push_back(next);
    visit_tensors(result, [&](OpwTensor* /*tensor*/) { ++next; });
  }
  for (uint32_t i = 0; i < raw.size(); ++i) {
    if (!op.gives_argument(i)) continue;
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

}  // namespace opwright
