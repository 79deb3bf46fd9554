// Operators for graph tests: float32 on the CPU, contiguous, with fake kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright::testing {

inline Tensor tensor(std::initializer_list<float> values) {
  const auto size = static_cast<int64_t>(values.size());
  Tensor result = make_empty(std::span(&size, 1), DType::Float32);
  std::copy(values.begin(), values.end(), result.mutable_data<float>());
  return result;
}
inline Tensor matrix(int64_t rows, int64_t columns, float value = 1) {
  const int64_t sizes[] = {rows, columns};
  Tensor result = make_empty(sizes, DType::Float32);
  std::fill_n(result.mutable_data<float>(), rows * columns, value);
  return result;
}
inline std::vector<float> values_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.numel()};
}
inline std::vector<float> values_of(const Value& value) {
  return values_of(Tensor::borrow(value.get().as_tensor));
}

inline Tensor fake(std::initializer_list<int64_t> sizes, DType dtype = DType::Float32) {
  return make_fake(std::span<const int64_t>(sizes.begin(), sizes.size()), dtype, kCpu);
}
inline Tensor fake(std::initializer_list<SymInt> sizes, DType dtype = DType::Float32) {
  return make_fake(std::span<const SymInt>(sizes.begin(), sizes.size()), dtype, kCpu);
}

// The kernels: one loop each.
inline Tensor map(const Tensor& x, float (*function)(float)) {
  Tensor result = make_empty(x.sizes(), DType::Float32);
  std::transform(x.data<float>(), x.data<float>() + x.numel(), result.mutable_data<float>(),
                 function);
  return result;
}
inline Tensor add_kernel(const Tensor& x, const Tensor& y, double alpha) {
  Tensor result = make_empty(x.sizes(), DType::Float32);
  for (int64_t i = 0; i < x.numel(); ++i) {
    result.mutable_data<float>()[i] =
        x.data<float>()[i] + static_cast<float>(alpha) * y.data<float>()[i];
  }
  return result;
}
inline Tensor negative_kernel(const Tensor& x) {
  return map(x, [](float value) { return -value; });
}
inline Tensor& increment_kernel(Tensor& x) {
  for (int64_t i = 0; i < x.numel(); ++i) x.mutable_data<float>()[i] += 1;
  return x;
}
inline Tensor full_kernel(std::span<const SymInt> sizes, double value) {
  Sizes plain;
  for (const SymInt& size : sizes) plain.push_back(size.specialise());
  Tensor result = make_empty(plain, DType::Float32);
  std::fill_n(result.mutable_data<float>(), result.numel(), static_cast<float>(value));
  return result;
}
inline Tensor alias_kernel(const Tensor& x) { return make_view(x, geometry_of(x)); }
inline std::vector<Tensor> halves_kernel(const Tensor& x) {
  Geometry half = geometry_of(x);
  half.sizes[0] /= 2;
  Tensor first = make_view(x, half);
  half.offset += half.sizes[0] * half.strides[0];
  return {first, make_view(x, half)};
}
// The elements above zero.
inline Tensor positive_kernel(const Tensor& x) {
  std::vector<float> found;
  std::copy_if(x.data<float>(), x.data<float>() + x.numel(), std::back_inserter(found),
               [](float value) { return value > 0; });
  const auto size = static_cast<int64_t>(found.size());
  Tensor result = make_empty(std::span(&size, 1), DType::Float32);
  std::copy(found.begin(), found.end(), result.mutable_data<float>());
  return result;
}

// Registers test::add, negative, increment_, full, alias, halves, positive, random, log_, none,
// everything and branch for the duration of a test.
class GraphOperators {
 public:
  GraphOperators() {
    register_graph_type();
    auto& registry = Registry::get();
    define("test::add(Tensor x, Tensor y, *, float alpha=1.0) -> Tensor");
    define("test::negative(Tensor x) -> Tensor");
    define("test::increment_(Tensor(a!) x) -> Tensor(a!)");
    define("test::full(SymInt[] sizes, float value) -> Tensor");
    define("test::alias(Tensor(a) x) -> Tensor(a)", {Tag::View});
    define("test::halves(Tensor(a) x) -> Tensor(a)[]", {Tag::View});
    define("test::positive(Tensor x) -> Tensor", {Tag::DynamicOutputShape});
    define("test::random(Tensor x) -> Tensor", {Tag::NondeterministicSeeded});
    define("test::log(Tensor x) -> Tensor", {Tag::Ordered});
    define("test::send(Tensor x) -> ()");
    define("test::split(Tensor x) -> (Tensor low, Tensor? high, int count)");
    define(
        "test::everything(Tensor x, int i=1, float f=0.5, bool b=False, str s=\"a\", int[] li=[], "
        "float[] lf=[], bool[] lb=[], str[] ls=[], Scalar n=1, ScalarType? dtype=None, Device? "
        "device=None, Layout? layout=None, MemoryFormat? format=None, complex c=0j, Tensor? "
        "y=None, "
        "Tensor?[] many=[], int[][] nested=[], SymInt[2]? size=None, *, SymInt k=3) -> Tensor");
    define("test::branch(Tensor condition, Graph yes, Graph no, Tensor[] inputs) -> Tensor[]");
    kept_.push_back(registry.implement("test::add", Slot::Cpu, &add_kernel));
    kept_.push_back(registry.implement("test::negative", Slot::Cpu, &negative_kernel));
    kept_.push_back(registry.implement("test::random", Slot::Cpu, &negative_kernel));
    kept_.push_back(registry.implement("test::log", Slot::Cpu, &negative_kernel));
    kept_.push_back(registry.implement("test::increment_", Slot::Cpu, &increment_kernel));
    kept_.push_back(registry.implement("test::full", Slot::ExplicitComposite, &full_kernel));
    kept_.push_back(registry.implement("test::alias", Slot::Cpu, &alias_kernel));
    kept_.push_back(registry.implement("test::halves", Slot::Cpu, &halves_kernel));
    kept_.push_back(registry.implement("test::positive", Slot::Cpu, &positive_kernel));
  }

 private:
  void define(std::string_view schema, Tags tags = {}) {
    kept_.push_back(Registry::get().define(schema, tags));
  }
  std::vector<Registration> kept_;
};

inline const Operator& op(std::string_view name) { return Registry::get().require(name); }

inline NodeArgument arg(GraphValue& value) { return NodeArgument::of(value); }
template <class T>
NodeArgument constant(const T& value) {
  return NodeArgument::constant(Value(value));
}

inline GraphValue& insert(Graph& graph, std::string_view name, std::vector<NodeArgument> args,
                          Tensor result, Node* before = nullptr) {
  std::vector<Value> results;
  results.emplace_back(std::move(result));
  return graph
      .insert_call({.op = &op(name),
                    .args = std::move(args),
                    .results = std::move(results),
                    .site = {},
                    .module_path = {}},
                   before)
      .values()[0];
}
inline GraphValue& insert_add(Graph& graph, GraphValue& x, GraphValue& y, Node* before = nullptr) {
  return insert(graph, "test::add", {arg(x), arg(y), constant(1.0)}, x.tensor(), before);
}

}  // namespace opwright::testing
