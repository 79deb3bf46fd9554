#include "opwright/ops/engine/move/device_move.h"

#include <utility>

#include "opwright/error.h"
#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Removes dimensions of size 1 and merges those that are contiguous in every term.
void join_dims(Sizes& sizes, std::span<Sizes* const> terms) {
  size_t used = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    bool continues = used != 0;
    for (const Sizes* strides : terms)
      continues = continues && (*strides)[used - 1] == (*strides)[i] * sizes[i];
    if (!continues) ++used;
    sizes[used - 1] = continues ? sizes[used - 1] * sizes[i] : sizes[i];
    for (Sizes* strides : terms) (*strides)[used - 1] = (*strides)[i];
  }
  if (used == 0) {
    used = 1;
    sizes.resize(1);
    sizes[0] = 1;
    for (Sizes* strides : terms) {
      strides->resize(1);
      (*strides)[0] = 1;
    }
  }
  sizes.resize(used);
  for (Sizes* strides : terms) strides->resize(used);
}

// Converts the number to the dtype.
Scalar number_of(DType dtype, const Scalar& number) {
  if (is_complex(dtype)) return number;
  if (is_floating(dtype)) return number.to<double>();
  if (dtype == DType::Bool) return number.to<bool>();
  return number.to<int64_t>();
}

}  // namespace

DeviceMove::DeviceMove(const char* who, const Tensor& self, const IndexedShape& shape,
                       std::span<const Tensor> indices)
    : who_(who), self_(self), sizes_(*as_plain(shape.sizes)), self_strides_(sizes_.size(), 0) {
  const Sizes index_sizes(*as_plain(shape.index_sizes));
  for (size_t i = 0; i < shape.kept.size(); ++i)
    self_strides_[i < shape.insert_at ? i : i + index_sizes.size()] = self.strides()[shape.kept[i]];
  for (size_t k = 0; k < indices.size(); ++k) {
    const Geometry spread = expand_geometry<int64_t>(geometry_of(indices[k]), index_sizes, who);
    Sizes strides(sizes_.size(), 0);
    for (size_t i = 0; i < index_sizes.size(); ++i)
      strides[shape.insert_at + i] = spread.strides[i];
    add_index(indices[k], std::move(strides), shape.indexed[k]);
  }
}

DeviceMove::DeviceMove(const char* who, const Tensor& self, size_t dim, const Tensor& index)
    : who_(who), self_(self), sizes_(index.sizes()), self_strides_(self.strides()) {
  self_strides_.resize(sizes_.size());  // one of the two may be zero-dim
  if (dim < self_strides_.size()) self_strides_[dim] = 0;
  add_index(index, Sizes(index.strides()), dim);
}

void DeviceMove::add_index(const Tensor& tensor, Sizes strides, size_t dim) {
  const int64_t size = self_.dim() == 0 ? 1 : self_.sizes()[dim];
  OPWRIGHT_CHECK_INDEX(size != 0 || tensor.numel() == 0, who_, ": dimension ", dim,
                       " of self, whose sizes are ", to_text(self_.sizes()),
                       ", has no elements to index");
  indices_.push_back({.tensor = tensor,
                      .strides = std::move(strides),
                      .size = size,
                      .step = self_.dim() == 0 ? 0 : self_.strides()[dim]});
}

// `other` is the side that is not indexed; if null, the number is used.
void DeviceMove::run(OpwMoveKind kind, const Tensor* other, const Scalar& number) const {
  if (product(sizes_) == 0) return;
  Sizes sizes = sizes_;
  Sizes own = self_strides_;
  Sizes others(sizes_.size(), 0);
  if (other) others = Sizes(other->strides());
  others.resize(sizes_.size());
  SmallVector<Index, 4> indices = indices_;
  SmallVector<Sizes*, 8> terms{&own, &others};
  for (Index& index : indices) terms.push_back(&index.strides);
  join_dims(sizes, std::span<Sizes* const>(terms.data(), terms.size()));

  const auto describe = [](const Tensor& tensor, const Sizes& strides) {
    OpwOperand operand{};
    operand.data = const_cast<void*>(tensor.data());
    operand.strides = strides.data();
    operand.dtype = operand.through = to_dlpack(tensor.dtype());
    return operand;
  };
  SmallVector<OpwIndex, 4> described;
  for (const Index& index : indices)
    described.push_back(
        {.value = describe(index.tensor, index.strides), .size = index.size, .step = index.step});
  OpwOperand given{};
  given.dtype = given.through = to_dlpack(self_.dtype());
  given.number = number.value();
  if (other) given = describe(*other, others);
  const bool gathers = kind == kOpwMoveGather;
  OpwMove move{};
  move.struct_size = sizeof move;
  move.rank = static_cast<uint32_t>(sizes.size());
  move.sizes = sizes.data();
  move.kind = static_cast<uint32_t>(kind);
  move.num_indices = static_cast<uint32_t>(described.size());
  move.indices = described.data();
  move.source = gathers ? describe(self_, own) : given;
  move.result = gathers ? given : describe(self_, own);
  run_primitive(who_, self_.device(), &OpwDeviceTable::move_elements, "moves (move_elements)",
                move);
}

Tensor DeviceMove::read() const {
  Tensor result = make_empty(sizes_, self_.dtype(), self_.device());
  run(kOpwMoveGather, &result, 0);
  return result;
}

void DeviceMove::write(const Tensor& source) const { run(kOpwMoveScatter, &source, 0); }

void DeviceMove::write(const Scalar& number) const {
  run(kOpwMoveScatter, nullptr, number_of(self_.dtype(), number));
}

void DeviceMove::add(const Tensor& source) const { run(kOpwMoveAdd, &source, 0); }

}  // namespace opwright
