// Sizes as values of the model: constants, or computed from the shapes that show their symbols.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/builder_state.h"
#include "opwright/error.h"
#include "opwright/onnx.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

class SizeNodes {
 public:
  explicit SizeNodes(GraphBuilder& g) : g_(g), state_(g.state()) {}

  // int64[1]
  OnnxValue word(OpwSymWord size) {
    if (!is_symbolic(size)) return g_.ints({size});
    if (const OnnxValue known = find(size); known.is_there()) return known;
    const OnnxValue made = expression(expression_of(size));
    state_.scope->sizes.emplace(size, made);
    g_.set_type(made, DType::Int64, {SymInt(1)});
    return made;
  }

 private:
  // A body sees what is outside of it.
  [[nodiscard]] OnnxValue find(OpwSymWord size) const {
    for (const BodyScope* scope = state_.scope; scope; scope = scope->outer) {
      const auto found = scope->sizes.find(size);
      if (found != scope->sizes.end()) return found->second;
    }
    return {};
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

  OnnxValue symbol(const std::string& name) {
    const SymbolPlace place = find_place(name);
    if (place.dim < 0) return g_.op("Reshape", {place.value, g_.ints({1})});
    return g_.op("Gather", {shape_of(place.value), g_.ints({place.dim})}, {{"axis", 0}});
  }

  OnnxValue expression(const Expression& made) {
    switch (made.kind) {
      case ExpressionKind::Symbol:
        return symbol(*made.name);
      case ExpressionKind::Sum:
        return sum(made);
      case ExpressionKind::Product:
        return fold("Mul", made.operands);
      case ExpressionKind::Max:
        return fold("Max", made.operands);
      case ExpressionKind::Min:
        return fold("Min", made.operands);
      case ExpressionKind::FloorDiv:
        return floor_div(made.operands[0], made.operands[1]);
      case ExpressionKind::Mod:
        return g_.op("Mod", {word(made.operands[0]), word(made.operands[1])});
      case ExpressionKind::Equal:
        return compare("Equal", made.operands[0], false);
      case ExpressionKind::NotEqual:
        return compare("Equal", made.operands[0], true);
      case ExpressionKind::AtMost:
        return compare("Greater", made.operands[0], true);
      case ExpressionKind::And:
        return fold("Mul", made.operands);
      case ExpressionKind::Or:
        return fold("Max", made.operands);
    }
    throw_error("RuntimeError", "ONNX: a size of an unknown kind");
  }

  OnnxValue fold(std::string_view type, std::span<const OpwSymWord> operands) {
    OnnxValue result = word(operands.front());
    for (const OpwSymWord each : operands.subspan(1)) result = g_.op(type, {result, word(each)});
    return result;
  }

  OnnxValue sum(const Expression& made) {
    OnnxValue result;
    for (const SumTerm& term : made.terms) {
      const OnnxValue monomial = word(word_of(*term.monomial));
      const bool is_subtracted = term.coefficient == -1 && result.is_there();
      const OnnxValue scaled = term.coefficient == 1 || is_subtracted
                                   ? monomial
                                   : g_.op("Mul", {monomial, g_.ints({term.coefficient})});
      result = result.is_there() ? g_.op(is_subtracted ? "Sub" : "Add", {result, scaled}) : scaled;
    }
    return made.constant == 0 ? result : g_.op("Add", {result, g_.ints({made.constant})});
  }

  // ONNX divides towards zero.
  OnnxValue floor_div(OpwSymWord numerator, OpwSymWord divisor) {
    const OnnxValue a = word(numerator);
    const OnnxValue b = word(divisor);
    const bool is_plain = made_range(numerator).least >= 0 && made_range(divisor).least > 0;
    return g_.op("Div", {is_plain ? a : g_.op("Sub", {a, g_.op("Mod", {a, b})}), b});
  }

  OnnxValue compare(std::string_view type, OpwSymWord operand, bool is_negated) {
    OnnxValue result = g_.op(type, {word(operand), g_.ints({0})});
    if (is_negated) result = g_.op("Not", {result});
    return g_.cast(result, DType::Int64);
  }

  GraphBuilder& g_;
  GraphBuilder::State& state_;
};

}  // namespace

OnnxValue size_in_one(GraphBuilder& g, const SymInt& size) {
  return SizeNodes(g).word(size.word());
}

OnnxValue GraphBuilder::size(const SymInt& size) {
  if (!size.is_symbolic()) return scalar(size.word(), DType::Int64);
  const OnnxValue result = op("Reshape", {size_in_one(*this, size), ints({})});
  set_type(result, DType::Int64, {});
  return result;
}

OnnxValue GraphBuilder::sizes(std::span<const SymInt> sizes) {
  OnnxValues parts;
  std::vector<int64_t> plain;
  const auto end_plain = [&] {
    if (!plain.empty()) parts.push_back(ints(plain));
    plain.clear();
  };
  for (const SymInt& size : sizes) {
    if (!size.is_symbolic()) {
      plain.push_back(size.word());
      continue;
    }
    end_plain();
    parts.push_back(size_in_one(*this, size));
  }
  if (parts.empty()) return ints(plain);
  end_plain();
  if (parts.size() == 1) return parts.front();
  const OnnxValue joined = op("Concat", parts, {{"axis", 0}});
  set_type(joined, DType::Int64, {SymInt(static_cast<int64_t>(sizes.size()))});
  return joined;
}

}  // namespace opwright::onnx
