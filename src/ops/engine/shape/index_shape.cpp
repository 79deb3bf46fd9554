#include "opwright/ops/engine/shape/index_shape.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "opwright/error.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

SymSizes geometry_sizes(const Tensor& tensor) { return sym_geometry_of(tensor).sizes; }

// Treats a zero-dim tensor as one-dimensional, as in PyTorch.
SymSizes sizes_of_vector(const Tensor& tensor) {
  SymSizes sizes = geometry_sizes(tensor);
  if (sizes.empty()) sizes.push_back(1);
  return sizes;
}

// Rejects index tensors whose known sizes do not broadcast.
void check_index_sizes(const char* who, const SymSizes& a, const SymSizes& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const SymInt& x = a[a.size() - i];
    const SymInt& y = b[b.size() - i];
    const bool is_known = !x.is_symbolic() && !y.is_symbolic();
    OPWRIGHT_CHECK_INDEX(!is_known || x.word() == y.word() || x.word() == 1 || y.word() == 1, who,
                         ": shape mismatch: index tensors of sizes ", to_text(a), " and ",
                         to_text(b), " do not broadcast");
  }
}

bool has_no_elements(const Tensor& tensor) { return guard_or_false(tensor.sym_numel() == 0); }

// An empty indexed dimension allows no index tensor with elements.
void check_not_empty(const char* who, const Tensor& self, const IndexedShape& shape) {
  for (const SymInt& size : shape.index_sizes) {
    if (guard_or_false(size == 0)) return;
  }
  for (const size_t dim : shape.indexed) {
    OPWRIGHT_CHECK_INDEX(!guard_or_false(self.sym_size(static_cast<int64_t>(dim)) == 0), who,
                         ": dimension ", dim, " of self, whose sizes are ",
                         to_text(geometry_sizes(self)), ", has no elements to index");
  }
}

void check_no_larger(const char* who, const Tensor& index, const Tensor& other, const char* name,
                     std::optional<size_t> except) {
  const SymSizes own = sizes_of_vector(index);
  const SymSizes limit = sizes_of_vector(other);
  const std::string problem = std::string(who) + ": index of sizes " +
                              to_text(geometry_sizes(index)) + " must be no larger than " + name +
                              " of sizes " + to_text(geometry_sizes(other));
  OPWRIGHT_CHECK_VALUE(own.size() == limit.size(), who, ": index of sizes ",
                       to_text(geometry_sizes(index)), " must have as many dimensions as ", name,
                       " of sizes ", to_text(geometry_sizes(other)));
  for (size_t i = 0; i < own.size(); ++i) {
    if (except == i || own[i].word() == limit[i].word()) continue;
    check(own[i] <= limit[i],
          except ? problem + " but in dimension " + std::to_string(*except) : problem);
  }
}

}  // namespace

void check_index_dtype(const char* who, const Tensor& index) {
  OPWRIGHT_CHECK_TYPE(index.dtype() == DType::Int64 || index.dtype() == DType::Int32, who,
                      ": index must be of int64 or int32, got ", index);
}

bool is_mask(const Tensor& index) {
  return index.dtype() == DType::Bool || index.dtype() == DType::UInt8;
}

IndexedShape find_indexed_shape(const char* who, const Tensor& self, const IndexTensors& indices) {
  IndexedShape shape;
  const auto ndim = static_cast<size_t>(self.dim());
  OPWRIGHT_CHECK_INDEX(indices.size() <= ndim, who, ": ", indices.size(),
                       " dimensions are indexed, but self has sizes ",
                       to_text(geometry_sizes(self)));
  bool are_neighbours = true;
  for (size_t i = 0; i < ndim; ++i) {
    if (i >= indices.size() || !indices[i]) {
      shape.kept.push_back(i);
      continue;
    }
    OPWRIGHT_CHECK_INDEX(indices[i]->dtype() == DType::Int64 || indices[i]->dtype() == DType::Int32,
                         who, ": an index tensor must be of int64, int32 or bool, got ",
                         *indices[i]);
    are_neighbours &= shape.indexed.empty() || shape.indexed.back() + 1 == i;
    const SymSizes sizes = geometry_sizes(*indices[i]);
    check_index_sizes(who, shape.index_sizes, sizes);
    shape.index_sizes =
        shape.indexed.empty() ? sizes : broadcast_sizes(shape.index_sizes, sizes, who);
    shape.indexed.push_back(i);
  }
  OPWRIGHT_CHECK_INDEX(!shape.indexed.empty(), who, ": indices must hold at least one tensor");
  shape.insert_at = are_neighbours ? shape.indexed.front() : 0;
  for (size_t i = 0; i <= shape.kept.size(); ++i) {
    if (i == shape.insert_at) {
      for (const SymInt& size : shape.index_sizes) shape.sizes.push_back(size);
    }
    if (i < shape.kept.size())
      shape.sizes.push_back(self.sym_size(static_cast<int64_t>(shape.kept[i])));
  }
  check_not_empty(who, self, shape);
  return shape;
}

IndexedShape replace_dim(const Tensor& self, size_t dim, const Tensor& index) {
  IndexedShape shape;
  shape.index_sizes = geometry_sizes(index);
  shape.insert_at = dim;
  shape.indexed.push_back(dim);
  for (size_t i = 0; i < static_cast<size_t>(self.dim()); ++i) {
    if (i == dim) {
      for (const SymInt& size : shape.index_sizes) shape.sizes.push_back(size);
      continue;
    }
    shape.kept.push_back(i);
    shape.sizes.push_back(self.sym_size(static_cast<int64_t>(i)));
  }
  return shape;
}

size_t check_gather(const char* who, const Tensor& self, int64_t dim, const Tensor& index) {
  const size_t along = wrap_dim(dim, sizes_of_vector(self).size(), who);
  if (has_no_elements(index)) return along;
  check_index_dtype(who, index);
  check_no_larger(who, index, self, "self", along);
  return along;
}

size_t check_scatter(const char* who, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor* src) {
  if (src) {
    OPWRIGHT_CHECK_TYPE(self.dtype() == src->dtype(), who, ": src of ", src->dtype(),
                        " must have the dtype of self, ", self.dtype());
  }
  const size_t along = check_gather(who, self, dim, index);
  if (src && !has_no_elements(index)) check_no_larger(who, index, *src, "src", std::nullopt);
  return along;
}

}  // namespace opwright
