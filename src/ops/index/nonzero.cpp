#include "opwright/ops/index/nonzero.h"

#include <array>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/mask_chunks.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// An element's multi-index, incremented together with it.
class RowIndex {
 public:
  RowIndex(std::span<const int64_t> sizes, int64_t element) : sizes_(sizes) {
    for (size_t d = sizes.size(); d-- > 0;) {
      index_[d] = element % sizes[d];
      element /= sizes[d];
    }
  }
  [[nodiscard]] int64_t operator[](size_t dim) const { return index_[dim]; }
  void advance() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      if (++index_[d] < sizes_[d]) return;
      index_[d] = 0;
    }
  }

 private:
  std::span<const int64_t> sizes_;
  std::array<int64_t, static_cast<size_t>(kMostDims)> index_{};
};

}  // namespace

Tensor find_nonzero(const Tensor& self) {
  const Tensor mask = as_contiguous(as_dtype(self, DType::Bool));
  const bool* truth = mask.data<bool>();
  const MaskChunks chunks(truth, mask.numel());
  const auto ndim = static_cast<size_t>(self.dim());
  const int64_t count = chunks.count();
  Tensor result = make_empty(IntList{self.dim(), count}, DType::Int64);
  if (count == 0 || ndim == 0) return result;
  auto* out = result.mutable_data<int64_t>();
  chunks.for_each([&](int64_t begin, int64_t end, int64_t rank) {
    RowIndex index(mask.sizes(), begin);
    for (int64_t i = begin; i < end; ++i, index.advance()) {
      if (!truth[i]) continue;
      for (size_t d = 0; d < ndim; ++d) out[static_cast<int64_t>(d) * count + rank] = index[d];
      ++rank;
    }
  });
  return result;
}

// Returns a transposed view of the rows, which has PyTorch's strides.
Tensor nonzero_cpu(const Tensor& self) {
  const Tensor rows = find_nonzero(self);
  return make_view(rows, transpose_geometry(geometry_of(rows), 0, 1, "nonzero"));
}

// One tensor of indices for each dimension, which can index self; a number has one dimension.
std::vector<Tensor> nonzero_numpy_composite(const Tensor& self) {
  return nonzero(self.dim() == 0 ? self.unsqueeze(0) : self).unbind(1);
}

std::vector<Tensor> where_composite(const Tensor& condition) {
  return nonzero_numpy_composite(condition);
}

}  // namespace opwright
