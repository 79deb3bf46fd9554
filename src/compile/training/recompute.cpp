#include "opwright/compile/training/recompute.h"

#include <algorithm>

#include "opwright/compile/fuse/size_estimate.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/rule.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/effects.h"

namespace opwright {
namespace {

constexpr int64_t kUnknownSize = 4096;  // of a dimension with a data-dependent size

}  // namespace

bool can_recompute(const Node& node) {
  const Operator& op = node.op();
  if (!is_builtin(op) || !is_repeatable(node)) return false;
  if (op.tags().has(Tag::DynamicOutputShape) || op.tags().has(Tag::DataDependentOutput)) {
    return false;
  }
  return op.tags().has(Tag::Pointwise) || is_view(op) || has_property(op, Property::Cheap);
}

int64_t estimate_bytes(const GraphValue& value) {
  const Tensor meta = value.tensor();
  if (!meta.is_defined()) return 1;
  const ShapeEnv* env = value.node().graph().shape_env().get();
  auto bytes = static_cast<int64_t>(item_size(meta.dtype()));
  for (int64_t i = 0; i < meta.dim(); ++i) {
    bytes *= std::max<int64_t>(estimate_size(env, meta.sym_size(i), kUnknownSize), 1);
  }
  return std::max<int64_t>(bytes, 1);
}

}  // namespace opwright
