// nodes::*: operators for the bridge to ONNX Runtime. Copies of any dtype, results that are made in
// another order than they are given, strings, and a node that the binary names.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace {

using opwright::FakeTensor;
using opwright::item_size;
using opwright::Tensor;

void copy_bytes(const Tensor& from, const Tensor& to) {
  const size_t bytes = static_cast<size_t>(from.numel()) * item_size(from.dtype());
  if (bytes != 0) std::memcpy(to.mutable_data(), from.data(), bytes);
}

Tensor same(const Tensor& x) {
  Tensor y = opwright::empty_like(x);
  copy_bytes(x, y);
  return y;
}

// The first tensor that it makes is its second result.
std::tuple<Tensor, Tensor> crossed(const Tensor& x) {
  Tensor first = opwright::empty_like(x);
  copy_bytes(x, first);
  Tensor second = opwright::empty_like(x);
  copy_bytes(x * 2, second);
  return {second, first};
}

// A result that shows part of a tensor that it made.
std::tuple<Tensor, Tensor> overlapping(const Tensor& x) {
  Tensor all = opwright::empty_like(x);
  copy_bytes(x, all);
  return {all * 3, all};
}

Tensor count_letters(const Tensor& x, const std::vector<std::string_view>& words) {
  int64_t count = 0;
  for (const std::string_view each : words) count += static_cast<int64_t>(each.size());
  return x + static_cast<double>(count);
}

Tensor in_half(const Tensor& x) { return x.to(opwright::DType::Float16); }

Tensor keeps_result(const Tensor& x) {
  static Tensor kept;
  kept = opwright::empty_like(x);
  copy_bytes(x, kept);
  return kept;
}

FakeTensor like(const FakeTensor& x) { return opwright::empty_like(x); }
std::tuple<FakeTensor, FakeTensor> twice_like(const FakeTensor& x) { return {like(x), like(x)}; }

}  // namespace

OPWRIGHT_LIBRARY(nodes, m) {
  m.def("same(Tensor x) -> Tensor");
  m.register_fake("same", &like);
  m.register_converter("same", "onnx", "nodes_vendor::SameNode(x)");
  m.def("crossed(Tensor x) -> (Tensor, Tensor)");
  m.register_fake("crossed", &twice_like);
  m.def("overlapping(Tensor x) -> (Tensor, Tensor)");
  m.register_fake("overlapping", &twice_like);
  m.def("count_letters(Tensor x, str[] words) -> Tensor");
  m.def("scale(Tensor x, float by) -> Tensor");
  m.def("scale.number(Tensor x, Scalar by, float? bias=None) -> Tensor");
  m.def("in_half(Tensor x) -> Tensor");
  m.def("keeps_result(Tensor x) -> Tensor");
  m.register_fake("keeps_result", &like);
}

OPWRIGHT_LIBRARY_IMPL(nodes, CPU, m) {
  m.impl("same", &same);
  m.impl("crossed", &crossed);
  m.impl("overlapping", &overlapping);
  m.impl("keeps_result", &keeps_result);
}

OPWRIGHT_LIBRARY_IMPL(nodes, CompositeExplicitAutograd, m) {
  m.impl("count_letters", &count_letters);
  m.impl("in_half", &in_half);
  m.impl("scale", [](const Tensor& x, double by) { return x * by; });
  m.impl("scale.number",
         [](const Tensor& x, const opwright::Scalar& by, const std::optional<double>& bias) {
           return x * by + bias.value_or(0);
         });
}
