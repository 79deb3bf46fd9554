// Moves elements by index tensors on a device: gather, scatter, and scatter with addition.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/scalar.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// One move. NotImplementedError for `who` if the device cannot move elements; IndexError for an
// index into an empty dimension. The device detects indices out of range.
class DeviceMove {
 public:
  // Addresses elements of `self` by index tensors, as IndexedShape describes: one tensor per
  // dimension in shape.indexed, on the device of `self`.
  DeviceMove(const char* who, const Tensor& self, const IndexedShape& shape,
             std::span<const Tensor> indices);
  // One element per element of `index`, which replaces its position along `dim`: gather, scatter.
  DeviceMove(const char* who, const Tensor& self, size_t dim, const Tensor& index);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

  // Copies the elements to a new tensor.
  [[nodiscard]] Tensor read() const;
  // Writes elements of `source`, which has the dtype and at least the sizes, or a single number.
  // The written memory must not overlap source and indices.
  void write(const Tensor& source) const;
  void write(const Scalar& number) const;
  // Adds elements of `source`; collisions add up.
  void add(const Tensor& source) const;

 private:
  struct Index {
    Tensor tensor;
    Sizes strides;
    int64_t size;
    int64_t step;
  };

  void add_index(const Tensor& tensor, Sizes strides, size_t dim);
  void run(OpwMoveKind kind, const Tensor* other, const Scalar& number) const;

  const char* who_;
  Tensor self_;
  Sizes sizes_;
  Sizes self_strides_;  // 0 where an index determines the position
  SmallVector<Index, 4> indices_;
};

}  // namespace opwright
