// gather: one element per index along a dimension.
#include "opwright/ops/engine/move/dense_index.h"
#include "opwright/ops/engine/move/indexed_memory.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor/factory.h"

namespace opwright {

Tensor gather_cpu(const Tensor& self, int64_t dim, const Tensor& index, bool /*sparse_grad*/) {
  constexpr const char* kWho = "gather";
  if (std::optional<Tensor> dense = gather_dense(self, dim, index)) return *dense;
  const size_t along = check_gather(kWho, self, dim, index);
  Tensor result = make_empty(index.sizes(), self.dtype());
  if (index.numel() == 0) return result;
  const Tensor indices = checked_index(kWho, index, self, along);
  const auto item = static_cast<int64_t>(item_size(self.dtype()));
  const int64_t step = self.dim() == 0 ? 0 : self.strides()[along] * item;
  Sizes strides(self.strides());
  strides.resize(index.sizes().size());  // one of the two may be zero-dim
  if (along < strides.size()) strides[along] = 0;
  const auto bytes_of = [](const Tensor& tensor) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(tensor.data()));
  };
  const StridedOperand operands[] = {
      {static_cast<std::byte*>(result.mutable_data()), item, result.sizes(), result.strides()},
      {bytes_of(indices), sizeof(int64_t), indices.sizes(), indices.strides()},
      {bytes_of(self), item, result.sizes(), strides}};
  for_item_size(static_cast<size_t>(item), [&]<typename Element>() {
    StridedLoop(operands).for_each_run([&](const StridedLoop::Pointers& pointers,
                                           const StridedLoop::ByteStrides& bytes, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const auto each = *reinterpret_cast<const int64_t*>(pointers[1] + i * bytes[1]);
        *reinterpret_cast<Element*>(pointers[0] + i * bytes[0]) =
            *reinterpret_cast<const Element*>(pointers[2] + i * bytes[2] + each * step);
      }
    });
  });
  return result;
}

}  // namespace opwright
