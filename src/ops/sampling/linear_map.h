// Linear maps of planes that work along each dimension by itself: an element of the result is a sum
// of a few elements of the plane, with the product of one weight for each dimension.
//
// Average pooling, interpolation and padding with what is at the border are such maps, and their
// gradients are the same maps transposed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/memory_format.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"

namespace opwright {

inline constexpr size_t kPlaneDims = 3;

// Which elements of a dimension an element of the result is made of.
struct Taps {
  explicit Taps(int64_t size) : in(size) {}

  int64_t in;                        // the size of the dimension
  std::vector<int64_t> first = {0};  // one for each result and an end: where its taps begin
  std::vector<int64_t> index;        // of an element, for each tap
  std::vector<double> weight;        // for each tap; without any, all are 1
  std::vector<int64_t> count;        // for each result: its part of the divisor; may be empty

  [[nodiscard]] int64_t out() const { return static_cast<int64_t>(first.size()) - 1; }
  // Adds a result made of what was pushed to `index` since the last one.
  void finish_result() { first.push_back(static_cast<int64_t>(index.size())); }
};

// Each result is the element itself.
[[nodiscard]] Taps identity_taps(int64_t size);

struct LinearMap {
  // Of the last dimensions; those before them, where there are fewer than three, have size 1.
  explicit LinearMap(std::vector<Taps> last);

  std::array<Taps, kPlaneDims> dims;
  size_t ndim;
  std::optional<int64_t> divisor;  // instead of the product of counts
};

// The dtype that values are computed in: float32 for halves and uint8.
[[nodiscard]] DType plane_dtype(DType dtype);

// Writes what the map makes of every plane of `input` to `output`, which has elements, is of the
// dtype that is computed in and dense in the format.
void write_mapped(const char* who, const LinearMap& map, const Tensor& input, const Tensor& output,
                  MemoryFormat format);

// The same as a new tensor of `sizes`. The map, which is as long as they are, is made by make_map()
// once there is memory for it.
template <class MakeMap>
[[nodiscard]] Tensor apply_map(const char* who, const Tensor& input, std::span<const int64_t> sizes,
                               MemoryFormat format, const MakeMap& make_map) {
  const Tensor output = make_empty(sizes, plane_dtype(input.dtype()), kCpu, format);
  if (output.numel() != 0) write_mapped(who, make_map(), input, output, format);
  return as_result(output, input.dtype(), format);
}
// The gradient of the input, a tensor of `sizes`.
[[nodiscard]] Tensor apply_transposed(const char* who, const LinearMap& map, const Tensor& grad,
                                      std::span<const int64_t> sizes, MemoryFormat format);

}  // namespace opwright
