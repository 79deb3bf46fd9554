// Elements moved by index tensors on a device: gathers, scatters, and scatters that add.
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

// One move. NotImplementedError for `who` where the device moves no elements; IndexError for an
// index into nothing. Indices that are out of range are found by the device.
class DeviceMove {
 public:
  // The elements of `self` that index tensors address, as IndexedShape has it; one tensor for each
  // of shape.indexed, on the device of `self`.
  DeviceMove(const char* who, const Tensor& self, const IndexedShape& shape,
             std::span<const Tensor> indices);
  // One element for each of `index`, which replaces its place along `dim`: gather and scatter.
  DeviceMove(const char* who, const Tensor& self, size_t dim, const Tensor& index);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

  // A new tensor with the elements.
  [[nodiscard]] Tensor read() const;
  // Writes elements of `source`, which has at least the sizes and the dtype, or one number. What is
  // written does not overlap source and indices.
  void write(const Tensor& source) const;
  void write(const Scalar& number) const;
  // Adds elements of `source`, also where several meet.
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
  Sizes self_strides_;  // 0 where an index tells the place
  SmallVector<Index, 4> indices_;
};

}  // namespace opwright
