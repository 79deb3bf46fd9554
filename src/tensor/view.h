// Views: tensors that share storage and version with their base, and their sizes and strides.
//
// The geometry functions are pure and behave the same for ints and SymInts. Dimensions count from
// the end when negative; errors start with `who`, the operator being computed.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Sizes, strides and the offset in the storage, in elements.
template <class Int>
struct BasicGeometry {
  SmallVector<Int, kInlineDims> sizes;
  SmallVector<Int, kInlineDims> strides;
  Int offset = 0;
};
using Geometry = BasicGeometry<int64_t>;
using SymGeometry = BasicGeometry<SymInt>;

// For a tensor without symbols, and for any tensor. The offset of a wrapper is defined by its
// transform.
[[nodiscard]] OPWRIGHT_EXPORT Geometry geometry_of(const Tensor& tensor);
[[nodiscard]] OPWRIGHT_EXPORT SymGeometry sym_geometry_of(const Tensor& tensor);

// Whether the sizes are known to equal these.
[[nodiscard]] OPWRIGHT_EXPORT bool has_sizes(const Tensor& tensor, std::span<const SymInt> sizes);
// Whether a tensor of these sizes is known to have these strides; those of size-1 dims do not
// matter.
[[nodiscard]] bool has_strides(const Tensor& tensor, const SymGeometry& wanted);

// A tensor over base's storage, plain or fake, with its dtype, device and read-only flag, but
// without its autograd data. Throws ValueError if an element is outside the storage.
[[nodiscard]] Tensor make_view(const Tensor& base, std::span<const int64_t> sizes,
                               std::span<const int64_t> strides, int64_t offset);
// The same for a fake base with symbols, whose bounds are not known.
[[nodiscard]] Tensor make_view(const Tensor& base, std::span<const SymInt> sizes,
                               std::span<const SymInt> strides, const SymInt& offset);
[[nodiscard]] inline Tensor make_view(const Tensor& base, const Geometry& geometry) {
  return make_view(base, geometry.sizes, geometry.strides, geometry.offset);
}
[[nodiscard]] inline Tensor make_view(const Tensor& base, const SymGeometry& geometry) {
  return make_view(base, geometry.sizes, geometry.strides, geometry.offset);
}
// The same with elements of another dtype; the geometry counts in these.
[[nodiscard]] Tensor make_view(const Tensor& base, const SymGeometry& geometry, DType dtype);

// The index of a dimension. Throws IndexError like Tensor::size.
[[nodiscard]] size_t wrap_dim(int64_t dim, size_t ndim, std::string_view who);

// Strides that yield `new_sizes` (of the same number of elements) without a copy; nullopt if there
// are none.
[[nodiscard]] std::optional<Sizes> view_strides(std::span<const int64_t> sizes,
                                                std::span<const int64_t> strides,
                                                std::span<const int64_t> new_sizes);
// nullopt if the owner of a symbol cannot decide.
[[nodiscard]] std::optional<SymSizes> view_strides(
    std::span<const SymInt> sizes, std::span<const SymInt> strides,
    std::span<const SymInt> new_sizes,
    std::source_location where = std::source_location::current());

template <class Int>
[[nodiscard]] BasicGeometry<Int> transpose_geometry(BasicGeometry<Int> base, int64_t dim0,
                                                    int64_t dim1, std::string_view who);
// `order` names every dimension once. Throws ValueError.
template <class Int>
[[nodiscard]] BasicGeometry<Int> permute_geometry(const BasicGeometry<Int>& base,
                                                  std::span<const int64_t> order,
                                                  std::string_view who);
// Sizes of 1 are repeated with a stride of 0; -1 keeps a size. Throws ValueError.
template <class Int>
[[nodiscard]] BasicGeometry<Int> expand_geometry(
    const BasicGeometry<Int>& base, std::span<const Int> sizes, std::string_view who,
    std::source_location where = std::source_location::current());
// Selects one element of a dimension, which is removed. Throws IndexError.
template <class Int>
[[nodiscard]] BasicGeometry<Int> select_geometry(BasicGeometry<Int> base, int64_t dim, Int index,
                                                 std::string_view who);
// Elements start, start + step, ... below end, both clamped as in Python; step is at least 1.
// Throws ValueError.
template <class Int>
[[nodiscard]] BasicGeometry<Int> slice_geometry(BasicGeometry<Int> base, int64_t dim, Int start,
                                                Int end, Int step, std::string_view who);
// Inserts a dimension of size 1 before `dim`, which may be ndim.
template <class Int>
[[nodiscard]] BasicGeometry<Int> unsqueeze_geometry(BasicGeometry<Int> base, int64_t dim,
                                                    std::string_view who);
// Removes the dimension if its size is 1, else changes nothing.
template <class Int>
[[nodiscard]] BasicGeometry<Int> squeeze_geometry(BasicGeometry<Int> base, int64_t dim,
                                                  std::string_view who);

}  // namespace opwright
