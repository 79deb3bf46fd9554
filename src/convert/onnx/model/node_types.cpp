#include "opwright/convert/onnx/model/node_types.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

using SymSizeList = std::vector<SymInt>;
using MaybeSizes = std::optional<SymSizeList>;
using Words = std::span<const std::string_view>;

// With the dtype and the sizes of the first input.
constexpr std::string_view kLikeFirst[] = {"Abs",
                                           "Acos",
                                           "Acosh",
                                           "Asin",
                                           "Asinh",
                                           "Atan",
                                           "Atanh",
                                           "BatchNormalization",
                                           "BitwiseNot",
                                           "Ceil",
                                           "Celu",
                                           "Clip",
                                           "Cos",
                                           "Cosh",
                                           "CumSum",
                                           "Elu",
                                           "Erf",
                                           "Exp",
                                           "Floor",
                                           "Gelu",
                                           "HardSigmoid",
                                           "HardSwish",
                                           "Identity",
                                           "InstanceNormalization",
                                           "LayerNormalization",
                                           "LeakyRelu",
                                           "Log",
                                           "LogSoftmax",
                                           "Mish",
                                           "Neg",
                                           "PRelu",
                                           "Reciprocal",
                                           "Relu",
                                           "RMSNormalization",
                                           "Round",
                                           "ScatterElements",
                                           "ScatterND",
                                           "Selu",
                                           "Sigmoid",
                                           "Sign",
                                           "Sin",
                                           "Sinh",
                                           "Softmax",
                                           "Softplus",
                                           "Sqrt",
                                           "Swish",
                                           "Tan",
                                           "Tanh",
                                           "ThresholdedRelu",
                                           "Trilu"};
// With the dtype of the first input; sizes broadcast.
constexpr std::string_view kBroadcasting[] = {
    "Add",  "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Max",
    "Mean", "Min",      "Mod",        "Mul",       "Pow",        "Sub", "Sum"};
constexpr std::string_view kConditions[] = {"And",   "Equal", "Greater", "GreaterOrEqual",
                                            "IsInf", "IsNaN", "Less",    "LessOrEqual",
                                            "Not",   "Or",    "Xor"};

bool is_one_of(std::string_view type, Words words) {
  return std::ranges::find(words, type) != words.end();
}

class NodeTypes {
 public:
  NodeTypes(GraphBuilder::State& state, const PendingNode& node) : state_(state), node_(node) {}

  void infer() {
    const std::string_view type = node_.type;
    if (node_.inputs.empty() || !node_.inputs.front().is_there()) return;
    if (is_one_of(type, kLikeFirst)) return set(0, dtype(0), sizes(0));
    if (is_one_of(type, kBroadcasting)) return set(0, dtype(0), broadcast());
    if (is_one_of(type, kConditions)) return set(0, DType::Bool, broadcast());
    if (type == "Where") return set(0, dtype(1), broadcast());
    if (type == "Cast") return set(0, cast_target(), sizes(0));
    if (type == "Shape") return set(0, DType::Int64, rank_sizes());
    if (type == "Transpose") return set(0, dtype(0), transposed());
    if (type == "Unsqueeze") return set(0, dtype(0), unsqueezed());
    if (type == "Squeeze") return set(0, dtype(0), squeezed());
    if (type == "Concat") return set(0, dtype(0), joined());
    if (type == "Gather") return set(0, dtype(0), gathered());
    if (type == "GatherElements") return set(0, dtype(0), sizes(1));
    if (type == "ArgMax" || type == "ArgMin") return set(0, DType::Int64, folded_along_axis());
    if (type.starts_with("Reduce")) return set(0, dtype(0), reduced());
    if (type == "MatMul") return set(0, dtype(0), multiplied());
    if (type == "Split") return set_parts();
    if (type == "LSTM" || type == "GRU" || type == "RNN") return set_recurrent();
  }

 private:
  [[nodiscard]] std::optional<DType> dtype(size_t input) const {
    return has(input) ? state_.at(node_.inputs[input]).dtype : std::nullopt;
  }
  [[nodiscard]] MaybeSizes sizes(size_t input) const {
    return has(input) ? state_.at(node_.inputs[input]).sizes : std::nullopt;
  }
  [[nodiscard]] bool has(size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input].is_there();
  }
  void set(size_t output, std::optional<DType> dtype, MaybeSizes sizes) {
    if (!dtype || !sizes || output >= node_.outputs.size()) return;
    KnownValue& known = state_.at(node_.outputs[output]);
    known.dtype = dtype;
    known.sizes = std::move(sizes);
  }

  [[nodiscard]] const Attribute* attribute(std::string_view name) const {
    const auto found = std::ranges::find(node_.attributes, name, &Attribute::name);
    return found == node_.attributes.end() ? nullptr : &*found;
  }
  [[nodiscard]] int64_t number(std::string_view name, int64_t otherwise) const {
    const Attribute* found = attribute(name);
    return found ? ValueOf<int64_t>::read(found->value().get()) : otherwise;
  }
  // An attribute before some opset, a constant input since then; nullopt if unknown.
  [[nodiscard]] std::optional<std::vector<int64_t>> numbers(std::string_view name,
                                                            size_t input) const {
    if (const Attribute* found = attribute(name))
      return ValueOf<std::vector<int64_t>>::read(found->value().get());
    if (!has(input)) return std::nullopt;
    const Tensor& data = state_.at(node_.inputs[input]).data;
    if (!data.is_defined() || data.dtype() != DType::Int64) return std::nullopt;
    return std::vector<int64_t>(data.data<int64_t>(), data.data<int64_t>() + data.numel());
  }
  static size_t wrap(int64_t axis, size_t rank) {
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
  }

  [[nodiscard]] std::optional<DType> cast_target() const {
    const int64_t wanted = number("to", 0);
    for (const DTypeName& each : kDTypes) {
      if (element_type(each.dtype) == wanted) return each.dtype;
    }
    return std::nullopt;
  }

  // The broadcast sizes; nullopt if unknown.
  static MaybeSizes broadcast(const SymSizeList& a, const SymSizeList& b) {
    if (a.size() < b.size()) return broadcast(b, a);
    SymSizeList result = a;
    const size_t skipped = a.size() - b.size();
    for (size_t i = 0; i < b.size(); ++i) {
      SymInt& size = result[skipped + i];
      if (size.word() == b[i].word() || b[i].word() == 1) continue;
      if (size.word() != 1) return std::nullopt;
      size = b[i];
    }
    return result;
  }
  [[nodiscard]] MaybeSizes broadcast() const {
    MaybeSizes result = sizes(0);
    for (size_t i = 1; i < node_.inputs.size() && result; ++i) {
      const MaybeSizes next = sizes(i);
      result = next ? broadcast(*result, *next) : std::nullopt;
    }
    return result;
  }

  [[nodiscard]] MaybeSizes rank_sizes() const {
    const MaybeSizes given = sizes(0);
    if (!given || !node_.attributes.empty()) return std::nullopt;
    return SymSizeList{SymInt(static_cast<int64_t>(given->size()))};
  }

  [[nodiscard]] MaybeSizes transposed() const {
    const MaybeSizes given = sizes(0);
    if (!given) return std::nullopt;
    const Attribute* order = attribute("perm");
    if (!order) return SymSizeList(given->rbegin(), given->rend());
    SymSizeList result;
    for (const int64_t dim : ValueOf<std::vector<int64_t>>::read(order->value().get()))
      result.push_back((*given)[static_cast<size_t>(dim)]);
    return result;
  }

  [[nodiscard]] MaybeSizes unsqueezed() const {
    const MaybeSizes given = sizes(0);
    auto axes = numbers("axes", 1);
    if (!given || !axes) return std::nullopt;
    const size_t rank = given->size() + axes->size();
    std::vector<bool> is_new(rank, false);
    for (const int64_t axis : *axes) is_new[wrap(axis, rank)] = true;
    SymSizeList result;
    auto next = given->begin();
    for (size_t i = 0; i < rank; ++i) result.push_back(is_new[i] ? SymInt(1) : *next++);
    return result;
  }

  [[nodiscard]] MaybeSizes without(std::span<const int64_t> axes, bool keeps_dims) const {
    const MaybeSizes given = sizes(0);
    if (!given) return std::nullopt;
    std::vector<bool> is_folded(given->size(), axes.empty());
    for (const int64_t axis : axes) is_folded[wrap(axis, given->size())] = true;
    SymSizeList result;
    for (size_t i = 0; i < given->size(); ++i) {
      if (!is_folded[i]) {
        result.push_back((*given)[i]);
      } else if (keeps_dims) {
        result.emplace_back(1);
      }
    }
    return result;
  }
  [[nodiscard]] MaybeSizes squeezed() const {
    const auto axes = numbers("axes", 1);
    return axes && !axes->empty() ? without(*axes, false) : std::nullopt;
  }
  [[nodiscard]] MaybeSizes reduced() const {
    const bool is_told = attribute("axes") || has(1);
    const auto axes = numbers("axes", 1);
    if (is_told && !axes) return std::nullopt;
    if (number("noop_with_empty_axes", 0) != 0) return std::nullopt;
    return without(axes.value_or(std::vector<int64_t>()), number("keepdims", 1) != 0);
  }
  [[nodiscard]] MaybeSizes folded_along_axis() const {
    const int64_t axis[] = {number("axis", 0)};
    return without(axis, number("keepdims", 1) != 0);
  }

  [[nodiscard]] MaybeSizes joined() const {
    MaybeSizes result = sizes(0);
    if (!result) return std::nullopt;
    const size_t axis = wrap(number("axis", 0), result->size());
    for (size_t i = 1; i < node_.inputs.size(); ++i) {
      const MaybeSizes next = sizes(i);
      if (!next || next->size() != result->size()) return std::nullopt;
      (*result)[axis] = (*result)[axis] + (*next)[axis];
    }
    return result;
  }

  [[nodiscard]] MaybeSizes gathered() const {
    const MaybeSizes given = sizes(0);
    const MaybeSizes indices = sizes(1);
    if (!given || !indices) return std::nullopt;
    const auto axis = static_cast<std::ptrdiff_t>(wrap(number("axis", 0), given->size()));
    SymSizeList result(given->begin(), given->begin() + axis);
    result.insert(result.end(), indices->begin(), indices->end());
    result.insert(result.end(), given->begin() + axis + 1, given->end());
    return result;
  }

  [[nodiscard]] MaybeSizes multiplied() const {
    const MaybeSizes a = sizes(0);
    const MaybeSizes b = sizes(1);
    if (!a || !b || a->size() < 2 || b->size() < 2) return std::nullopt;
    MaybeSizes result =
        broadcast(SymSizeList(a->begin(), a->end() - 2), SymSizeList(b->begin(), b->end() - 2));
    if (!result) return std::nullopt;
    result->push_back((*a)[a->size() - 2]);
    result->push_back(b->back());
    return result;
  }

  void set_parts() {
    const MaybeSizes given = sizes(0);
    const auto lengths = numbers("split", 1);
    if (!given || !lengths) return;
    const size_t axis = wrap(number("axis", 0), given->size());
    for (size_t i = 0; i < lengths->size(); ++i) {
      SymSizeList part = *given;
      part[axis] = SymInt((*lengths)[i]);
      set(i, dtype(0), std::move(part));
    }
  }

  // [steps, directions, batch, size], then the last states.
  void set_recurrent() {
    const MaybeSizes given = sizes(0);
    const MaybeSizes weights = sizes(1);
    if (!given || !weights || !attribute("hidden_size")) return;
    const SymInt size(number("hidden_size", 0));
    const SymSizeList last{weights->front(), (*given)[1], size};
    set(0, dtype(0), SymSizeList{given->front(), weights->front(), (*given)[1], size});
    set(1, dtype(0), last);
    set(2, dtype(0), last);
  }

  GraphBuilder::State& state_;
  const PendingNode& node_;
};

}  // namespace

void infer_types(GraphBuilder::State& state, const PendingNode& node) {
  NodeTypes(state, node).infer();
}

}  // namespace opwright::onnx
