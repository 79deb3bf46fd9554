#include "opwright/compile/fuse/nest_plan.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/compile/fuse/loop_order.h"
#include "opwright/compile/fuse/number_table.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

// An operand: the memory of a value, seen through a map of the group.
using Member = FusionGroup::Member;

class NestPlanner {
 public:
  NestPlanner(const FusionPlan& plan, const FusionGroup& group, const ShapeEnv* env)
      : plan_(plan), group_(group), env_(env), lanes_(made_.nest.lanes, *plan.target) {}

  NestPlan run(const std::vector<const Member*>& outputs) {
    for (const Member& member : group_.read) add_operand(member, false);
    for (const Member* member : outputs) add_operand(*member, true);
    set_loops();
    for (const Node* node : group_.nodes) add_node(*node);
    for (size_t i = 0; i < outputs.size(); ++i) {
      made_.nest.stores.push_back({.operand = static_cast<uint32_t>(group_.read.size() + i),
                                   .lane = computed_.at(outputs[i]->value)});
    }
    OPWRIGHT_ASSERT(lanes_.can_be_emitted());
    made_.numbers = numbers_.numbers();
    made_.nest.num_numbers = static_cast<uint32_t>(made_.numbers.size());
    return std::move(made_);
  }

 private:
  void add_operand(const Member& member, bool is_written) {
    const Tensor meta = member.value->tensor();
    (is_written ? made_.outputs : made_.inputs).push_back(member.value);
    made_.nest.operands.push_back({.dtype = meta.dtype(), .is_written = is_written});
    NestTensor tensor{.dtype = meta.dtype()};
    DomainOperand operand{.strides = std::vector<SymInt>(group_.sizes.size(), SymInt(0)),
                          .is_written = is_written};
    for (int64_t i = 0; i < meta.dim(); ++i) {
      tensor.sizes.push_back(numbers_.add(meta.sym_size(i)));
      tensor.strides.push_back(numbers_.add(meta.sym_stride(i)));
      const int32_t dim = member.dims[static_cast<size_t>(i)];
      if (dim != kNoDim) operand.strides[static_cast<size_t>(dim)] = meta.sym_stride(i);
    }
    made_.tensors.push_back(std::move(tensor));
    operands_.push_back(std::move(operand));
  }

  void set_loops() {
    const LoopOrder order = order_loops(group_.sizes, group_.is_folded, operands_, env_);
    Nest& nest = made_.nest;
    nest.folds_columns = order.folds_columns;
    std::vector<uint32_t> innermost;
    for (const DomainLoop& loop : order.rows) {
      nest.rows.push_back(numbers_.add(loop.extent));
      innermost.push_back(loop.dims.back());
    }
    for (const DomainLoop& loop : order.depth) {
      nest.depth.push_back(numbers_.add(loop.extent));
      innermost.push_back(loop.dims.back());
    }
    nest.columns = numbers_.add(order.columns.extent);
    for (uint32_t i = 0; i < operands_.size(); ++i) {
      for (const uint32_t dim : innermost) add_stride(i, operands_[i].strides[dim]);
      add_stride(i, order.columns.dims.empty() ? SymInt(0)
                                               : operands_[i].strides[order.columns.dims.back()]);
    }
  }

  void add_stride(uint32_t operand, const SymInt& stride) {
    std::vector<NestStride>& strides = made_.nest.operands[operand].strides;
    if (stride.is_symbolic()) {
      made_.stride_numbers.push_back({.operand = operand,
                                      .loop = static_cast<uint32_t>(strides.size()),
                                      .number = numbers_.add(stride).number});
    }
    strides.push_back(
        {.is_fixed = !stride.is_symbolic(), .fixed = stride.is_symbolic() ? 0 : stride.word()});
  }

  // The lane of a value that a node uses.
  uint32_t lane_of(GraphValue& value) {
    const IndexView view = look_through(value);
    if (const auto found = computed_.find(view.root); found != computed_.end())
      return found->second;
    return lanes_.load(operand_of(value, view), view.root->tensor().dtype());
  }

  // The map of the root through which the value is read: that of the reading node, in the domain.
  uint32_t operand_of(const GraphValue& value, const IndexView& view) {
    for (size_t i = 0; i < group_.read.size(); ++i) {
      const Member& member = group_.read[i];
      if (member.value == view.root && reads(value, view, member)) return static_cast<uint32_t>(i);
    }
    OPWRIGHT_ASSERT(false);
    return 0;
  }
  // `result_dims_` is the node's own map, right-aligned with its inputs.
  bool reads(const GraphValue& value, const IndexView& view, const Member& member) const {
    const auto ndim = static_cast<size_t>(value.tensor().dim());
    const size_t lead = node_dims_.size() - ndim;
    DimMap expected(member.dims.size(), kNoDim);
    for (size_t i = 0; i < ndim; ++i) {
      if (view.dims[i] != kNoDim)
        expected[static_cast<size_t>(view.dims[i])] = node_dims_[i + lead];
    }
    return expected == member.dims;
  }

  void add_node(const Node& node) {
    const PointNode& point = plan_.points.at(&node);
    const GraphValue& result = node.values()[0];
    node_dims_ = point.fold ? input_dims(node, point) : group_.find_computed(result)->dims;
    std::vector<uint32_t> inputs;
    for (GraphValue* input : point.inputs) inputs.push_back(lane_of(*input));
    for (const SymInt& symbol : point.symbols)
      inputs.push_back(lanes_.number(numbers_.add(symbol).number));
    computed_[&result] = point.fold ? add_fold(*point.fold, inputs[0]) : point.add(lanes_, inputs);
  }

  // The map of a reduction's input, in the domain: from its result and the reduced dimensions.
  DimMap input_dims(const Node& node, const PointNode& point) const {
    GraphValue& input = *point.inputs[0];
    const IndexView view = look_through(input);
    DimMap dims(static_cast<size_t>(input.tensor().dim()), kNoDim);
    const Member* computed = group_.find_computed(*view.root);
    const DimMap own = group_.find_computed(node.values()[0])->dims;
    // Kept dimensions come from the result, reduced ones from the input.
    size_t next = 0;
    const bool keeps = own.size() == dims.size();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!point.fold->dims[i]) dims[i] = own[keeps ? i : next++];
    }
    if (computed) {
      for (size_t i = 0; i < dims.size(); ++i) {
        if (view.dims[i] != kNoDim) dims[i] = computed->dims[static_cast<size_t>(view.dims[i])];
      }
      return dims;
    }
    for (const Member& member : group_.read) {
      if (member.value != view.root) continue;
      DimMap tried = dims;
      bool fits = true;
      for (size_t i = 0; i < dims.size(); ++i) {
        if (view.dims[i] == kNoDim) continue;
        const int32_t dim = member.dims[static_cast<size_t>(view.dims[i])];
        const bool is_folded = dim != kNoDim && group_.is_folded[static_cast<size_t>(dim)];
        fits &= point.fold->dims[i] ? (dim == kNoDim || is_folded) : dim == dims[i];
        tried[i] = dim;
      }
      if (fits) return tried;
    }
    return dims;
  }

  uint32_t add_fold(const PointNode::Fold& fold, uint32_t input) {
    uint32_t lane = lanes_.apply(fold.op, {lanes_.convert(input, lane_dtype(fold.compute))});
    if (fold.is_mean) lane = lanes_.apply(LaneOp::Divide, {lane, count_of_folded(fold)});
    return lanes_.convert(lane, fold.result);
  }

  uint32_t count_of_folded(const PointNode::Fold& fold) {
    SymInt count(1);
    for (size_t i = 0; i < group_.sizes.size(); ++i) {
      if (group_.is_folded[i]) count = count * group_.sizes[i];
    }
    const DType dtype = lane_dtype(fold.compute);
    if (!count.is_symbolic()) return lanes_.constant(Scalar(count.word()), dtype);
    return lanes_.convert(lanes_.number(numbers_.add(count).number), dtype);
  }

  const FusionPlan& plan_;
  const FusionGroup& group_;
  const ShapeEnv* env_;
  NestPlan made_;
  LaneBuilder lanes_;
  NumberTable numbers_;
  std::vector<DomainOperand> operands_;
  std::unordered_map<const GraphValue*, uint32_t> computed_;
  DimMap node_dims_;
};

}  // namespace

NestPlan plan_nest(const FusionPlan& plan, const FusionGroup& group,
                   const std::vector<const Member*>& outputs, const ShapeEnv* env) {
  return NestPlanner(plan, group, env).run(outputs);
}

}  // namespace opwright
