// Sizes as values of the model: constants, or computed from the shapes that show their symbols.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/size_walk.h"
#include "opwright/convert/sizes.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

// int64[1] each.
class SizeNodes final : public SizeTarget {
 public:
  explicit SizeNodes(GraphBuilder& g) : g_(g), state_(g.state()) {}

  uint32_t number(int64_t value) override { return g_.ints({value}).index(); }

  uint32_t symbol(const std::string& name) override {
    const SymbolPlace place = find_place(name);
    if (place.dim < 0) return g_.op("Reshape", {place.value, g_.ints({1})}).index();
    return g_.op("Gather", {shape_of(place.value), g_.ints({place.dim})}, {{"axis", 0}}).index();
  }

  uint32_t compute(SizeOperation operation, uint32_t a, uint32_t b) override {
    return make(operation, OnnxValue(a), OnnxValue(b)).index();
  }

  // A body can read outside values.
  [[nodiscard]] std::optional<uint32_t> find(OpwSymWord size) const override {
    for (const BodyScope* scope = state_.scope; scope; scope = scope->outer) {
      const auto found = scope->sizes.find(size);
      if (found != scope->sizes.end()) return found->second.index();
    }
    return std::nullopt;
  }
  void keep(OpwSymWord size, uint32_t node) override {
    state_.scope->sizes.emplace(size, OnnxValue(node));
    g_.set_type(OnnxValue(node), DType::Int64, {SymInt(1)});
  }

 private:
  OnnxValue make(SizeOperation operation, OnnxValue a, OnnxValue b) {
    switch (operation) {
      case SizeOperation::Add:
        return g_.op("Add", {a, b});
      case SizeOperation::Sub:
        return g_.op("Sub", {a, b});
      case SizeOperation::Mul:
        return g_.op("Mul", {a, b});
      case SizeOperation::Div:
        return g_.op("Div", {a, b});
      case SizeOperation::FloorDiv:  // ONNX divides towards zero
        return g_.op("Div", {g_.op("Sub", {a, g_.op("Mod", {a, b})}), b});
      case SizeOperation::Mod:
        return g_.op("Mod", {a, b});
      case SizeOperation::Max:
        return g_.op("Max", {a, b});
      case SizeOperation::Min:
        return g_.op("Min", {a, b});
      case SizeOperation::Equal:
        return g_.cast(g_.op("Equal", {a, b}), DType::Int64);
      case SizeOperation::NotEqual:
        return g_.cast(g_.op("Not", {g_.op("Equal", {a, b})}), DType::Int64);
      case SizeOperation::AtMost:
        return g_.cast(g_.op("Not", {g_.op("Greater", {a, b})}), DType::Int64);
    }
    throw_error("RuntimeError", "ONNX: a size of an unknown kind");
  }

  [[nodiscard]] const SymbolPlace& find_place(const std::string& symbol) const {
    for (const BodyScope* scope = state_.scope; scope; scope = scope->outer) {
      const auto found = scope->symbols.find(symbol);
      if (found != scope->symbols.end()) return found->second;
    }
    throw_error("RuntimeError", "ONNX: nothing before this call shows the size ", symbol);
  }

  OnnxValue shape_of(OnnxValue value) {
    for (const BodyScope* scope = state_.scope; scope; scope = scope->outer) {
      const auto found = scope->shapes.find(value.index());
      if (found != scope->shapes.end()) return found->second;
    }
    const OnnxValue shape = g_.op("Shape", {value});
    if (const auto sizes = g_.shape(value))
      g_.set_type(shape, DType::Int64, {SymInt(static_cast<int64_t>(sizes->size()))});
    state_.scope->shapes.emplace(value.index(), shape);
    return shape;
  }

  GraphBuilder& g_;
  GraphBuilder::State& state_;
};

}  // namespace

OnnxValue size_in_one(GraphBuilder& g, const SymInt& size) {
  SizeNodes nodes(g);
  return OnnxValue(write_size(nodes, size.word()));
}

OnnxValue GraphBuilder::size(const SymInt& size) {
  if (!size.is_symbolic()) return scalar(size.word(), DType::Int64);
  const OnnxValue result = op("Reshape", {size_in_one(*this, size), ints({})});
  set_type(result, DType::Int64, {});
  return result;
}

OnnxValue GraphBuilder::sizes(std::span<const SymInt> sizes) {
  const std::vector<OnnxValue> parts = parts_of_sizes<OnnxValue>(
      sizes, [&](const std::vector<int64_t>& run) { return ints(run); },
      [&](const SymInt& size) { return size_in_one(*this, size); });
  if (parts.size() == 1) return parts.front();
  const OnnxValue joined = op("Concat", parts, {{"axis", 0}});
  set_type(joined, DType::Int64, {SymInt(static_cast<int64_t>(sizes.size()))});
  return joined;
}

}  // namespace opwright::onnx
