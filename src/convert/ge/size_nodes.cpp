// Sizes as values of the graph: constants, or computed from the shapes that show their symbols.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/builder_state.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/size_walk.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symint.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

ValueType ints_of(int64_t length) { return {DType::Int64, {SymInt(length)}}; }

// int64[1] each; a node is identified by its op, whose first output it is.
class SizeNodes final : public SizeTarget {
 public:
  explicit SizeNodes(GraphBuilder& g) : g_(g), state_(g.state()) {}

  uint32_t number(int64_t value) override { return g_.ints({value}).op; }

  uint32_t symbol(const std::string& name) override {
    const auto found = state_.symbols.find(name);
    if (found == state_.symbols.end())
      throw_error("RuntimeError", "GE: nothing before this call shows the size ", name);
    const SymbolPlace place = found->second;
    if (place.dim < 0) return step(g_.op("Reshape", {place.value, g_.ints({1})}, {}, ints_of(1)));
    const OutputPlace axis = g_.scalar(0, DType::Int64);
    return step(
        g_.op("GatherV2", {shape_of(place.value), g_.ints({place.dim}), axis}, {}, ints_of(1)));
  }

  uint32_t compute(SizeOperation operation, uint32_t a, uint32_t b) override {
    const OutputPlace x{a, 0};
    const OutputPlace y{b, 0};
    if (operation < SizeOperation::Equal)
      return step(g_.op(name_of(operation), {x, y}, {}, ints_of(1)));
    const OutputPlace is_so =
        g_.op(name_of(operation), {x, y}, {}, ValueType{DType::Bool, {SymInt(1)}});
    (void)step(is_so);
    return step(g_.cast(is_so, DType::Int64));
  }

  [[nodiscard]] std::optional<uint32_t> find(OpwSymWord size) const override {
    const auto found = state_.sizes.find(size);
    return found == state_.sizes.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(OpwSymWord size, uint32_t node) override {
    state_.sizes.emplace(size, node);
    state_.graph.ops[node].sizes = {SymInt::borrow(size)};
  }

 private:
  uint32_t step(OutputPlace made) {
    state_.graph.ops[made.op].sizes.emplace();
    return made.op;
  }

  static const char* name_of(SizeOperation operation) {
    switch (operation) {
      case SizeOperation::Add:
        return "Add";
      case SizeOperation::Sub:
        return "Sub";
      case SizeOperation::Mul:
        return "Mul";
      case SizeOperation::Div:
      case SizeOperation::FloorDiv:
        return "FloorDiv";
      case SizeOperation::Mod:
        return "FloorMod";
      case SizeOperation::Max:
        return "Maximum";
      case SizeOperation::Min:
        return "Minimum";
      case SizeOperation::Equal:
        return "Equal";
      case SizeOperation::NotEqual:
        return "NotEqual";
      case SizeOperation::AtMost:
        return "LessEqual";
    }
    return "Add";
  }

  OutputPlace shape_of(OutputPlace value) {
    const auto [place, is_new] = state_.shapes.try_emplace(g_.name(value));
    if (!is_new) return place->second;
    const std::vector<SymInt> sizes = *g_.shape(value);
    const OutputPlace shape =
        g_.op("Shape", {value}, {{"dtype", DT_INT64}}, ints_of(static_cast<int64_t>(sizes.size())));
    state_.graph.ops[shape.op].sizes = sizes;
    state_.shapes[g_.name(value)] = shape;
    return shape;
  }

  GraphBuilder& g_;
  GraphBuilder::State& state_;
};

}  // namespace

OutputPlace GraphBuilder::size(const SymInt& size) {
  if (!size.is_symbolic()) return scalar(size.word(), DType::Int64);
  const OutputPlace vector = sizes(std::span(&size, 1));
  const OutsideOfCall outside(state_);
  const OutputPlace made = op("Reshape", {vector, ints({})}, {}, ValueType{DType::Int64, {}});
  state_.graph.ops[made.op].sizes = {size};
  return made;
}

OutputPlace GraphBuilder::sizes(std::span<const SymInt> sizes) {
  const OutsideOfCall outside(state_);
  SizeNodes nodes(*this);
  const std::vector<OutputPlace> parts = parts_of_sizes<OutputPlace>(
      sizes, [&](const std::vector<int64_t>& run) { return ints(run); },
      [&](const SymInt& size) { return OutputPlace{write_size(nodes, size.word()), 0}; });
  if (parts.size() == 1) return parts.front();
  const auto count = static_cast<int64_t>(parts.size());
  const OutputPlace joined = op("ConcatV2", {parts, scalar(0, DType::Int64)}, {{"N", count}},
                                ints_of(static_cast<int64_t>(sizes.size())));
  state_.graph.ops[joined.op].sizes = std::vector<SymInt>(sizes.begin(), sizes.end());
  return joined;
}

}  // namespace opwright::graph_engine
