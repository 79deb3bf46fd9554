#include "opwright/convert/onnx/rules/formula_target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/error.h"

namespace opwright::onnx {
namespace {

struct NodeFunction {
  std::string_view name;
  std::string_view type;
  bool gives_truth = false;
};
constexpr auto kNodes = std::to_array<NodeFunction>({
    {"add", "Add"},
    {"subtract", "Sub"},
    {"multiply", "Mul"},
    {"divide", "Div"},
    {"divide_trunc", "Div"},  // of ints only
    {"absolute", "Abs"},
    {"minimum", "Min"},
    {"maximum", "Max"},
    {"equal", "Equal", true},
    {"less", "Less", true},
    {"less_equal", "LessOrEqual", true},
    {"greater", "Greater", true},
    {"greater_equal", "GreaterOrEqual", true},
    {"isnan", "IsNaN", true},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"round", "Round"},
    {"sqrt", "Sqrt"},
    {"exp", "Exp"},
    {"log", "Log"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"},
    {"erf", "Erf"},
    {"pow", "Pow"},
});

const NodeFunction* find_node(std::string_view name) {
  const auto found = std::ranges::find(kNodes, name, &NodeFunction::name);
  return found == kNodes.end() ? nullptr : &*found;
}

// Functions for which ONNX has no node.
struct MadeFunction {
  std::string_view name;
  std::string_view of_floats;
  std::string_view of_ints = {};
};
constexpr auto kMade = std::to_array<MadeFunction>({
    {"not_equal", "!(x == y)", "!(x == y)"},
    {"fma", "x * y + z", "x * y + z"},
    {"rsqrt", "Reciprocal(sqrt(x))"},
    {"trunc", "x < 0 ? ceil(x) : floor(x)"},
    {"copysign", "y < 0 ? -absolute(x) : absolute(x)"},
    {"exp2", "pow(2, x)"},
    // Accurate also near zero, where e^x - 1 and log(1 + x) lose all digits.
    {"expm1", "tanh(0.5 * x) * (exp(x) + 1)"},
    {"log1p", "x + 1 - 1 == 0 ? x : log(x + 1) * (x + 1 - 1 == x ? 1 : x / (x + 1 - 1))"},
    {"log2", "log(x) / 0.6931471805599453"},
    {"log10", "log(x) / 2.302585092994046"},
    // Mod of ints with the sign of the dividend goes through floats in ONNX Runtime.
    {"fmod", {}, "x - x / y * y"},
    {"remainder", "fmod(x, y) != 0 && (y < 0) != (fmod(x, y) < 0) ? fmod(x, y) + y : fmod(x, y)",
     "Mod(x, y)"},
    // As in Python: the floor of the exact quotient.
    {"divide_floor",
     "y == 0 ? x / y : near(x, y) - floor(near(x, y)) > 0.5 ? floor(near(x, y)) + 1 : "
     "floor(near(x, y))",
     "x / y - (x / y * y + Mod(x, y) != x)"},
    {"near", "(x - fmod(x, y)) / y - (fmod(x, y) != 0 && (y < 0) != (fmod(x, y) < 0))"},
});

// For truth values and for the bits of ints.
constexpr auto kLogic = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"and", "And"},
    {"or", "Or"},
    {"xor", "Xor"},
    {"not", "Not"},
});

bool is_unsigned(DType dtype) { return dtype_code(dtype) == kOpwDtypeUInt; }

// Counts nodes; anything that is not a single node counts as many.
class NodeCount final : public FormulaTarget {
 public:
  std::optional<uint32_t> operand(size_t) override { return 0; }
  std::optional<uint32_t> number(size_t) override { return 0; }
  uint32_t literal(double) override { return 0; }
  std::optional<uint32_t> apply(std::string_view name, std::span<const uint32_t>) override {
    count += find_node(name) || name == "negate" ? 1 : 2;
    return 0;
  }
  [[nodiscard]] bool is_truth(uint32_t) const override { return false; }
  uint32_t to_number(uint32_t) override { return 0; }
  uint32_t to_truth(uint32_t) override {
    count += 2;
    return 0;
  }
  int count = 0;
};

}  // namespace

bool is_one_node(std::string_view formula) {
  NodeCount target;
  (void)read_formula(target, formula);
  return target.count <= 1;
}

uint32_t NodeTarget::add(OnnxValue value, DType dtype) {
  terms_.push_back({value, dtype});
  return static_cast<uint32_t>(terms_.size() - 1);
}

uint32_t NodeTarget::add_node(std::string_view type, std::span<const uint32_t> args, DType dtype,
                              std::vector<Attribute> attributes) {
  OnnxValues inputs;
  for (const uint32_t arg : args) inputs.push_back(terms_[arg].value);
  return add(g_.op(type, inputs, std::move(attributes)), dtype);
}

std::optional<uint32_t> NodeTarget::operand(size_t index) {
  return index < operands_.size() ? std::optional(operands_[index]) : std::nullopt;
}
std::optional<uint32_t> NodeTarget::number(size_t index) {
  if (index >= numbers_.size()) return std::nullopt;
  return add(g_.scalar(numbers_[index].value(), dtype_), dtype_);
}
uint32_t NodeTarget::literal(double value) { return add(g_.scalar(value, dtype_), dtype_); }

uint32_t NodeTarget::to_number(uint32_t truth) {
  return add(recast(g_, terms_[truth].value, DType::Bool, dtype_), dtype_);
}
uint32_t NodeTarget::to_truth(uint32_t number) {
  return add(g_.cast(terms_[number].value, DType::Bool), DType::Bool);
}

std::optional<uint32_t> NodeTarget::apply(std::string_view name, std::span<const uint32_t> args) {
  const auto is_it = [&](const Applied& each) {
    return each.name == name && std::ranges::equal(each.args, args, [&](uint32_t a, uint32_t b) {
             return terms_[a].value == terms_[b].value;
           });
  };
  const auto found = std::ranges::find_if(applied_, is_it);
  if (found != applied_.end()) return found->term;
  const std::optional<uint32_t> term = make(name, args);
  if (term) applied_.push_back({std::string(name), {args.begin(), args.end()}, *term});
  return term;
}

std::optional<uint32_t> NodeTarget::make(std::string_view name, std::span<const uint32_t> args) {
  const DType dtype = terms_[args.back()].dtype;
  if (const NodeFunction* node = find_node(name))
    return add_node(node->type, args, node->gives_truth ? DType::Bool : dtype);
  if (name == "select") {
    return add(
        where(g_, terms_[args[0]].value, terms_[args[1]].value, terms_[args[2]].value, dtype),
        dtype);
  }
  if (name == "negate") {
    if (is_unsigned(dtype)) return read_with("0 - x", args);
    return add_node("Neg", args, dtype);
  }
  if (name == "fmod" && is_floating(dtype)) return add_node("Mod", args, dtype, {{"fmod", 1}});
  if (name == "divide_floor" && is_unsigned(dtype)) return add_node("Div", args, dtype);
  for (const auto& [function, type] : kLogic) {
    if (function != name) continue;
    if (dtype == DType::Bool) return add_node(type, args, dtype);
    return add_node(concatenate("Bitwise", type), args, dtype);
  }
  for (const MadeFunction& made : kMade) {
    if (made.name != name) continue;
    return read_with(is_floating(dtype) || made.of_ints.empty() ? made.of_floats : made.of_ints,
                     args);
  }
  if (name[0] >= 'A' && name[0] <= 'Z') return add_node(name, args, dtype);
  return std::nullopt;
}

uint32_t NodeTarget::read_with(std::string_view formula, std::span<const uint32_t> args) {
  std::vector<uint32_t> outer = std::exchange(operands_, {args.begin(), args.end()});
  const uint32_t term = read_formula(*this, formula);
  operands_ = std::move(outer);
  return term;
}

}  // namespace opwright::onnx
