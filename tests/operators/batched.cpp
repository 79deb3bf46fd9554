// Operators with vmap rules: lists, optional and keyword-only tensors, several results, writes.
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace batched {
namespace {

using opwright::BatchDim;
using opwright::Tag;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

// sum(xs) * scale + bias, and each x * scale.
std::tuple<Tensor, std::vector<Tensor>> mix(std::span<const Tensor> xs,
                                            const std::optional<Tensor>& bias,
                                            const Tensor& scale) {
  std::vector<Tensor> scaled;
  Tensor total = bias ? *bias : scale * 0;
  for (const Tensor& x : xs) {
    scaled.push_back(x * scale);
    total = total + scaled.back();
  }
  return {total, scaled};
}

// A sample is a vector: batches become rows.
Tensor rows(const Tensor& x, const std::optional<int64_t>& dim) {
  return dim ? x.movedim(*dim, 0) : x.unsqueeze(0);
}

VmapResult<std::tuple<Tensor, std::vector<Tensor>>> mix_vmap(const VmapInfo& info,
                                                             std::span<const Tensor> xs,
                                                             const std::optional<Tensor>& bias,
                                                             const Tensor& scale) {
  const BatchDim& list = info.in_dims[0];
  OPWRIGHT_CHECK(!list && list.elements.size() == xs.size(), "mix: a dim for each tensor");
  std::vector<Tensor> batches;
  for (size_t i = 0; i < xs.size(); ++i) {
    const std::vector<opwright::SymInt> sizes = {info.batch_size, xs[i].sym_size(-1)};
    batches.push_back(rows(xs[i], list.elements[i]).expand(sizes));
  }
  const std::optional<Tensor> offset =
      bias ? std::optional(rows(*bias, info.in_dims[1])) : std::nullopt;
  return {mix(batches, offset, rows(scale, info.in_dims[2])), {0, 0}};
}

Tensor& halve(Tensor& x) { return x.mul_(0.5); }
VmapResult<Tensor&> halve_vmap(const VmapInfo& info, Tensor& x) {
  return {halve(x), {info.in_dims[0]}};
}

Tensor jitter(const Tensor& x) { return x + opwright::rand_like(x); }
VmapResult<Tensor> jitter_vmap(const VmapInfo& info, const Tensor& x) {
  OPWRIGHT_CHECK(info.randomness == "different", "jitter: only different numbers");
  return {jitter(x), {info.in_dims[0]}};
}

}  // namespace

OPWRIGHT_LIBRARY(batched, m) {
  m.def("mix(Tensor[] xs, Tensor? bias=None, *, Tensor scale) -> (Tensor, Tensor[])");
  m.register_vmap("mix", &mix_vmap);
  m.def("halve_(Tensor(a!) x) -> Tensor(a!)");
  m.register_vmap("halve_", &halve_vmap);
  m.def("jitter(Tensor x) -> Tensor", {Tag::NondeterministicSeeded});
  m.register_vmap("jitter", &jitter_vmap);
}
OPWRIGHT_LIBRARY_IMPL(batched, CPU, m) {
  m.impl("mix", &mix);
  m.impl("halve_", &halve);
  m.impl("jitter", &jitter);
}

}  // namespace batched
