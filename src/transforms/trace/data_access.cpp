#include "opwright/transforms/trace/data_access.h"

#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

Trace* find_breakable() noexcept {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    auto* trace = dynamic_cast<Trace*>(level);
    if (trace && trace->breaker()) return trace;
  }
  return nullptr;
}

}  // namespace

bool end_trace(const std::string& cause) {
  if (!thread_state().current) [[likely]]
    return false;
  Trace* trace = find_breakable();
  return trace && trace->breaker()->end_trace({.text = cause});
}

bool may_trace_end() noexcept { return thread_state().current && find_breakable(); }

void make_data_real(std::string_view who, const Tensor& tensor) {
  if (!thread_state().current) [[likely]]
    return;
  const Trace* trace = find_breakable();
  if (!trace) return;
  const Level* level = impl(tensor).level;
  if (level == trace || (!level && !tensor.is_fake())) {
    end_trace(concatenate(who, "() reads the data of a tensor (", tensor, ")"));
  }
}

void make_history_real(std::span<const Tensor> outputs) {
  if (!may_trace_end()) [[likely]]
    return;
  std::unordered_set<const TapeNode*> entered;
  std::vector<TapeNodePtr> waiting;
  for (const Tensor& output : outputs) waiting.push_back(edge_of(seen(output)).node);
  while (!waiting.empty()) {
    const TapeNodePtr node = std::move(waiting.back());
    waiting.pop_back();
    if (!node || !entered.insert(node.get()).second) continue;
    if (dynamic_cast<const Boundary*>(node.get())) {
      end_trace("backward() goes through a tensor that was computed outside of the function");
      return;
    }
    for (const Edge& edge : node->edges()) waiting.push_back(edge.node);
  }
}

bool is_traced(const Tensor& tensor) noexcept {
  if (!thread_state().current) [[likely]]
    return false;
  if (impl(tensor).is_wrapper()) return !is_sample(tensor);
  const Trace* trace = current_trace();
  return trace && trace->find_twin(tensor.get());
}

std::string data_reader_name(const Operator& op) {
  static const Operator& item = Registry::get().require("aten::_local_scalar_dense");
  return &op == &item ? "item" : op.schema().name.base;
}

void throw_no_data(std::string_view who, const Tensor& tensor, const char* kind) {
  const SourceSite line = current_user_line();
  const std::string at = line.is_known() ? concatenate(", at ", line) : "";
  if (is_sample(tensor)) {
    throw_error(kind, "vmap: cannot call ", who,
                "() on a Tensor that represents all samples of the "
                "batch at once (",
                tensor, ")", at,
                "\n  Keep the value a tensor (opwright.where instead of an if: vmap has no "
                "data-dependent control flow), or put the code that reads it into an operator "
                "of its own (opwright.library.custom_op).");
  }
  if (const Level* level = impl(tensor).level) {
    throw_error(kind, who, ": cannot read the data of a tensor inside ", level->name(), " (",
                tensor, ")", at,
                "; a recorded program cannot depend on data\n  Keep the value a tensor "
                "(opwright.where, opwright.cond), or put the code that reads it into an operator "
                "of its own (opwright.library.custom_op).");
  }
  throw_error(kind, who, ": a fake tensor has no data to read (", tensor, ")", at,
              "\n  It has sizes, strides, dtype and device only; make code that needs the data an "
              "operator of its own, with a fake kernel.");
}

}  // namespace opwright
