// Fake kernels of indexing operators: sizes, dtype and device of their results.
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/move/scatter_reduction.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/ops/engine/shape/unknown_size.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kTrueElements = "how many elements of a mask are true";

// A mask as the indices of its true elements: one vector per dimension.
void add_mask(const char* who, const FakeTensor& self, const FakeTensor& mask,
              IndexTensors& indices) {
  const auto first = static_cast<int64_t>(indices.size());
  const std::string problem =
      concatenate(who, ": a mask of sizes ", to_text(sym_geometry_of(as_tensor(mask)).sizes),
                  " does not fit the sizes ", to_text(sym_geometry_of(as_tensor(self)).sizes),
                  " of self from dimension ", first, " on");
  OPWRIGHT_CHECK_INDEX(first + mask.dim() <= self.dim(), problem);
  for (int64_t i = 0; i < mask.dim(); ++i) {
    const SymInt size = mask.size(i);
    const SymInt wanted = self.size(first + i);
    if (size.word() != wanted.word()) check(size == wanted, problem);
  }
  if (mask.dim() == 0) return;
  const SymInt count = make_unknown_size(who, kTrueElements, mask.numel());
  for (int64_t i = 0; i < mask.dim(); ++i)
    indices.emplace_back(make_fake(SymSizes{count}, DType::Int64, mask.device()));
}

IndexedShape find_fake_shape(const char* who, const FakeTensor& self,
                             const std::vector<std::optional<FakeTensor>>& indices) {
  IndexTensors tensors;
  for (const auto& index : indices) {
    if (!index || !index->is_defined()) {
      tensors.emplace_back();
      continue;
    }
    if (is_mask(as_tensor(*index)))
      add_mask(who, self, *index, tensors);
    else
      tensors.emplace_back(as_tensor(*index));
  }
  return find_indexed_shape(who, as_tensor(self), tensors);
}

void check_expands_to(const char* who, const char* name, const FakeTensor& tensor,
                      const SymSizes& sizes) {
  const std::string problem = std::string(who) + ": " + name;
  (void)expand_geometry<SymInt>(sym_geometry_of(as_tensor(tensor)), sizes, problem);
}

void check_same_dtype(const char* who, const char* name, const FakeTensor& other,
                      const FakeTensor& self) {
  OPWRIGHT_CHECK_TYPE(self.dtype() == other.dtype(), who, ": ", name, " of ", other.dtype(),
                      " must have the dtype of self, ", self.dtype());
}

void check_fake_mask(const char* who, const FakeTensor& self, const FakeTensor& mask) {
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, who, ": mask must be of bool, got ", mask);
  check_expands_to(who, "mask", mask, sym_geometry_of(as_tensor(self)).sizes);
}

}  // namespace

FakeTensor index_fake(const FakeTensor& self,
                      const std::vector<std::optional<FakeTensor>>& indices) {
  return self.new_empty(find_fake_shape("index", self, indices).sizes);
}

FakeTensor& index_put_in_place_fake(FakeTensor& self,
                                    const std::vector<std::optional<FakeTensor>>& indices,
                                    const FakeTensor& values, bool /*accumulate*/) {
  check_same_dtype("index_put_", "values", values, self);
  // The elements that a mask selects are unknown, but they do not affect the result's sizes.
  for (const auto& index : indices) {
    if (index && index->is_defined() && is_mask(as_tensor(*index))) return self;
  }
  check_expands_to("index_put_", "values", values,
                   find_fake_shape("index_put_", self, indices).sizes);
  return self;
}

FakeTensor index_select_fake(const FakeTensor& self, int64_t dim, const FakeTensor& index) {
  OPWRIGHT_CHECK_VALUE(index.dim() <= 1, "index_select: index must have one dimension, got ",
                       index);
  check_index_dtype("index_select", as_tensor(index));
  if (self.dim() == 0) {
    (void)wrap_dim(dim, 1, "index_select");
    return self.new_empty(SymSizes{});
  }
  const size_t along = wrap_dim(dim, static_cast<size_t>(self.dim()), "index_select");
  SymSizes sizes = sym_geometry_of(as_tensor(self)).sizes;
  sizes[along] = index.numel();
  return self.new_empty(sizes);
}

FakeTensor embedding_fake(const FakeTensor& weight, const FakeTensor& indices,
                          const SymInt& /*padding_idx*/, bool /*scale_grad_by_freq*/,
                          bool /*sparse*/) {
  OPWRIGHT_CHECK_VALUE(weight.dim() == 2, "embedding: weight must have two dimensions, got ",
                       weight);
  check_index_dtype("embedding", as_tensor(indices));
  return weight.new_empty(replace_dim(as_tensor(weight), 0, as_tensor(indices)).sizes);
}

FakeTensor gather_fake(const FakeTensor& self, int64_t dim, const FakeTensor& index,
                       bool /*sparse_grad*/) {
  check_gather("gather", as_tensor(self), dim, as_tensor(index));
  return self.new_empty(sym_geometry_of(as_tensor(index)).sizes);
}

FakeTensor& scatter_src_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                      const FakeTensor& src) {
  const Tensor source = as_tensor(src);
  check_scatter("scatter_", as_tensor(self), dim, as_tensor(index), &source);
  return self;
}

FakeTensor& scatter_value_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                        const Scalar& /*value*/) {
  check_scatter("scatter_", as_tensor(self), dim, as_tensor(index), nullptr);
  return self;
}

FakeTensor& scatter_add_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                      const FakeTensor& src) {
  const Tensor source = as_tensor(src);
  check_scatter("scatter_add_", as_tensor(self), dim, as_tensor(index), &source);
  return self;
}

FakeTensor& scatter_reduce_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                         const FakeTensor& src, std::string_view reduce,
                                         bool /*include_self*/) {
  const Tensor source = as_tensor(src);
  (void)parse_scatter_reduction("scatter_reduce_", reduce);
  check_scatter("scatter_reduce_", as_tensor(self), dim, as_tensor(index), &source);
  return self;
}

// Column-major memory, like the result of nonzero_cpu.
FakeTensor nonzero_fake(const FakeTensor& self) {
  const SymInt count = make_unknown_size("nonzero", "how many elements are not zero", self.numel());
  return make_fake_like(self, SymSizes{count, self.dim()}, SymSizes{1, sym_max(count, 1)},
                        DType::Int64);
}

FakeTensor masked_select_fake(const FakeTensor& self, const FakeTensor& mask) {
  constexpr const char* kWho = "masked_select";
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, kWho, ": mask must be of bool, got ", mask);
  const SymSizes sizes = broadcast_sizes(sym_geometry_of(as_tensor(self)).sizes,
                                         sym_geometry_of(as_tensor(mask)).sizes, kWho);
  const SymInt count = make_unknown_size(kWho, kTrueElements, product(sizes));
  return make_fake_like(self, SymSizes{count}, self.dtype());
}

FakeTensor& masked_scatter_in_place_fake(FakeTensor& self, const FakeTensor& mask,
                                         const FakeTensor& source) {
  check_fake_mask("masked_scatter_", self, mask);
  check_same_dtype("masked_scatter_", "source", source, self);
  return self;
}

FakeTensor& masked_fill_scalar_in_place_fake(FakeTensor& self, const FakeTensor& mask,
                                             const Scalar& value) {
  check_fake_mask("masked_fill_", self, mask);
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()),
                      "masked_fill_: the complex number ", value, " cannot be stored in self of ",
                      self.dtype());
  return self;
}

FakeTensor& masked_fill_tensor_in_place_fake(FakeTensor& self, const FakeTensor& mask,
                                             const FakeTensor& value) {
  check_fake_mask("masked_fill_", self, mask);
  OPWRIGHT_CHECK_VALUE(value.dim() == 0,
                       "masked_fill_: value must be a number or a zero-dim tensor, got ", value);
  return self;
}

}  // namespace opwright
