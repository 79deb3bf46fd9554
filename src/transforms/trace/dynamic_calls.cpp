#include "opwright/transforms/trace/dynamic_calls.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "opwright/dispatch/operator.h"
#include "opwright/tag.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {

const DynamicCalls::Call* DynamicCalls::find(const Call& wanted) const {
  const auto found = std::ranges::find_if(calls_, [&](const Call& each) {
    return each.op == wanted.op && each.versions == wanted.versions && each.args == wanted.args;
  });
  return found == calls_.end() ? nullptr : &*found;
}

void DynamicCalls::relate(const Operator& op, Arguments args, Results results,
                          ShapeEnv& shape_env) {
  if (op.tags().has(Tag::Nondeterministic) || op.tags().has(Tag::NondeterministicSeeded)) return;
  Call made{.op = &op, .args = {}, .versions = {}, .sizes = {}};
  for (const OpwValue& value : args) {
    made.args.push_back(Value::copy_of(value));
    visit_tensors(value, [&](OpwTensor* tensor) {
      if (tensor) made.versions.push_back(version_of(Tensor::borrow(tensor)));
    });
  }
  for (const OpwValue& value : results) {
    visit_tensors(value, [&](OpwTensor* tensor) {
      if (tensor) made.sizes.push_back(sym_geometry_of(Tensor::borrow(tensor)).sizes);
    });
  }
  const Call* before = find(made);
  if (!before) {
    calls_.push_back(std::move(made));
    return;
  }
  for (size_t i = 0; i < made.sizes.size() && i < before->sizes.size(); ++i) {
    const SymSizes& ours = made.sizes[i];
    const SymSizes& theirs = before->sizes[i];
    for (size_t dim = 0; dim < ours.size() && dim < theirs.size(); ++dim) {
      if (!ours[dim].is_symbolic() && !theirs[dim].is_symbolic()) continue;
      const SymInt condition = (ours[dim] == theirs[dim]).value();
      if (condition.is_symbolic()) shape_env.learn(condition);
    }
  }
}

}  // namespace opwright
