// outer, one_hot, diff and take_along_dim, as composites.
#include <optional>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

Tensor multiply_vectors(const char* who, const Tensor& self, const Tensor& vec2) {
  OPWRIGHT_CHECK(self.dim() == 1 && vec2.dim() == 1, who,
                 ": self and vec2 must have one dimension each, got ", self, " and ", vec2);
  return self.reshape({self.sym_size(0), 1}).mul(vec2);
}

// The number of classes for one_hot; rejects negative classes.
SymInt find_classes(const Tensor& self, int64_t num_classes) {
  const SymInt numel = self.sym_numel();
  if (num_classes <= 0)
    OPWRIGHT_DEMAND(numel > 0,
                    "one_hot: the number of classes cannot be read from a tensor without elements; "
                    "give num_classes");
  if (is_known_equal(numel, SymInt(0))) return num_classes;
  const SymInt smallest = self.min().item().sym_int();
  const SymInt largest = self.max().item().sym_int();
  OPWRIGHT_DEMAND(smallest >= 0, "one_hot: classes must not be negative, got ", smallest);
  if (num_classes == -1) return largest + 1;
  OPWRIGHT_DEMAND(largest < num_classes,
                  "one_hot: num_classes must be above every class, got num_classes = ", num_classes,
                  " and the class ", largest);
  return num_classes;
}

// Converts negative indices, which count from the end.
Tensor count_from_start(const Tensor& indices, const SymInt& size) {
  return where(indices.lt(0), indices.add(Scalar(size)), indices);
}

Tensor difference(const Tensor& self, int64_t dim) {
  const SymInt size = self.sym_size(dim);
  const Tensor after = slice(self, dim, SymInt(1), size);
  const Tensor before = slice(self, dim, SymInt(0), size - 1);
  return self.dtype() == DType::Bool ? after.logical_xor(before) : after.sub(before);
}

}  // namespace

Tensor outer_composite(const Tensor& self, const Tensor& vec2) {
  return multiply_vectors("outer", self, vec2);
}
Tensor ger_composite(const Tensor& self, const Tensor& vec2) {
  return multiply_vectors("ger", self, vec2);
}

Tensor one_hot_composite(const Tensor& self, int64_t num_classes) {
  OPWRIGHT_CHECK_TYPE(self.dtype() == DType::Int64,
                      "one_hot: self must hold classes of int64, got ", self);
  const bool has_count = num_classes > 0;
  const SymInt classes =
      self.is_fake() && has_count ? SymInt(num_classes) : find_classes(self, num_classes);
  const Tensor each = arange(Scalar(classes), DType::Int64, std::nullopt, self.device());
  return self.unsqueeze(-1).eq(each).to(DType::Int64);
}

Tensor diff_composite(const Tensor& self, int64_t n, int64_t dim,
                      const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) {
  OPWRIGHT_CHECK(self.dim() > 0, "diff: self must have at least one dimension");
  OPWRIGHT_CHECK(n >= 0, "diff: n must not be negative, got ", n);
  const auto along = static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), "diff"));
  Tensor result = self;
  if (prepend || append) {
    std::vector<Tensor> parts;
    if (prepend) parts.push_back(*prepend);
    parts.push_back(self);
    if (append) parts.push_back(*append);
    result = cat(parts, along);
  }
  if (n == 0) return self.clone();
  for (int64_t i = 0; i < n; ++i) {
    if (guard_or_false(result.sym_size(along) == 0)) break;
    result = difference(result, along);
  }
  return result.get() == self.get() ? self.clone() : result;
}

Tensor take_along_dim_composite(const Tensor& self, const Tensor& indices,
                                const std::optional<int64_t>& dim) {
  constexpr const char* kWho = "take_along_dim";
  OPWRIGHT_CHECK_TYPE(indices.dtype() == DType::Int64, kWho, ": indices must be of int64, got ",
                      indices);
  if (!dim) {
    const Tensor flat = self.flatten();
    return flat.gather(0, count_from_start(indices.flatten(), flat.sym_size(0)));
  }
  OPWRIGHT_CHECK(self.dim() == indices.dim(), kWho,
                 ": self and indices must have the same number of dimensions, got ", self, " and ",
                 indices);
  const size_t along = wrap_dim(*dim, static_cast<size_t>(self.dim()), kWho);
  // All dimensions but `dim` broadcast.
  SymSizes of_self = sym_geometry_of(self).sizes;
  SymSizes of_indices = sym_geometry_of(indices).sizes;
  const SymInt own = of_self[along];
  of_self[along] = of_indices[along];
  SymSizes sizes = broadcast_sizes(of_self, of_indices, kWho);
  const Tensor spread = count_from_start(indices, own).expand(sizes);
  sizes[along] = own;
  return self.expand(sizes).gather(static_cast<int64_t>(along), spread);
}

}  // namespace opwright
