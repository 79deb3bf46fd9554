// Constants of a trace: a number that is read from one is part of the program, as in an eager run.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/symint.h"
#include "opwright/tag.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright {
namespace {

// Whether the tensor's data can be read here and now.
bool has_plain_data(const Tensor& tensor) {
  return tensor.is_defined() && !impl(tensor).is_wrapper() && !tensor.is_fake() &&
         tensor.device() == kCpu;
}

}  // namespace

OpwTensor* Trace::find_constant(OpwTensor* own) const {
  return owns(own) ? constants_.find(value_of(own), version_of(Tensor::borrow(own))) : nullptr;
}

bool Trace::is_constant_call(const Operator& op, Arguments args) const {
  if (constants_.is_empty()) [[likely]]
    return false;
  const Tags tags = op.tags();
  if (!is_builtin(op) || tags.has(Tag::Nondeterministic) || tags.has(Tag::NondeterministicSeeded))
    return false;
  if (std::ranges::any_of(args, [](const OpwValue& arg) { return has_symbols(arg); })) return false;
  bool has_tensor = false;
  bool are_constants = true;
  op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
    has_tensor = true;
    OpwTensor* constant = find_constant(tensor);
    are_constants = are_constants && constant &&
                    Tensor::borrow(constant).numel() <= ConstantValues::kMostArgumentElements;
  });
  return has_tensor && are_constants;
}

std::vector<Tensor> Trace::take_constants(const Operator& op, Arguments args) const {
  const ThreadStateScope outside(ThreadState{});
  std::vector<Tensor> constants;
  for (const OpwValue& arg : args) {
    visit_tensors(arg, [&](OpwTensor* tensor) {
      const Tensor constant = tensor ? Tensor::borrow(find_constant(tensor)) : Tensor();
      constants.push_back(tensor && op.writes_arguments() ? constant.clone() : constant);
    });
  }
  return constants;
}

std::vector<Value> Trace::run_on_constants(const Operator& op, Arguments args,
                                           const std::vector<Tensor>& constants) {
  const ThreadStateScope outside(ThreadState{});
  size_t next = 0;
  const ReplacedArguments real(args, [&](OpwTensor*) { return constants.at(next++).get(); });
  std::vector<OpwValue> results(op.num_results());
  call(op, real.get(), results);
  std::vector<Value> owned;
  owned.reserve(results.size());
  for (const OpwValue& result : results) owned.push_back(Value::take(result));
  return owned;
}

bool Trace::may_note(Results results) {
  bool are_small = true;
  for (const OpwValue& result : results) {
    visit_tensors(result, [&](OpwTensor* tensor) {
      if (!tensor) return;
      const SymInt numel = Tensor::borrow(tensor).sym_numel();
      are_small =
          are_small && !numel.is_symbolic() && numel.word() <= ConstantValues::kMostElements;
    });
  }
  return are_small;
}

void Trace::note_literal(const OpwValue& given, const OpwValue& result) {
  if (options_.may_end_early) return;
  const Tensor own = Tensor::borrow(result.as_tensor);
  const Tensor constant = fake_ ? value_of(given.as_tensor).node().bound() : wrapper(own).inner;
  if (has_plain_data(constant)) constants_.add(value_of(own.get()), constant, version_of(own));
}

void Trace::note_constants(Results results, const std::vector<Value>& computed) {
  for (size_t i = 0; i < results.size(); ++i) {
    size_t next = 0;
    visit_tensors(results[i], [&](OpwTensor* tensor) {
      const size_t index = next++;
      if (!tensor || !owns(tensor)) return;
      const Tensor own = Tensor::borrow(tensor);
      Tensor constant = wrapper(own).inner;
      if (!computed.empty()) {
        size_t at = 0;
        visit_tensors(computed[i].get(), [&](OpwTensor* each) {
          if (at++ == index) constant = Tensor::borrow(each);
        });
      }
      if (has_plain_data(constant) && constant.numel() <= ConstantValues::kMostElements)
        constants_.add(value_of(tensor), constant, version_of(own));
    });
  }
}

}  // namespace opwright
