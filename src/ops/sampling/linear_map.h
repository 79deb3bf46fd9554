// Separable linear maps of planes: a result element is a sum of a few elements of the plane,
// weighted by the product of one weight per dimension.
//
// Average pooling, interpolation, reflection and replication padding are such maps, and their
// gradients are the transposed maps.
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

// Which elements of a dimension contribute to each result element.
struct Taps {
  explicit Taps(int64_t size) : in(size) {}

  int64_t in;                        // the size of the dimension
  std::vector<int64_t> first = {0};  // where each result's taps begin; one more entry for the end
  std::vector<int64_t> index;        // the element of each tap
  std::vector<double> weight;        // per tap; empty: all are 1
  std::vector<int64_t> count;        // per result: its factor of the divisor; may be empty

  [[nodiscard]] int64_t out() const { return static_cast<int64_t>(first.size()) - 1; }
  // Adds a result that consists of the taps pushed to `index` since the last one.
  void finish_result() { first.push_back(static_cast<int64_t>(index.size())); }
};

// Maps each element to itself.
[[nodiscard]] Taps identity_taps(int64_t size);

struct LinearMap {
  // The taps of the last dimensions; missing leading ones of the three have size 1.
  explicit LinearMap(std::vector<Taps> last);

  std::array<Taps, kPlaneDims> dims;
  size_t ndim;
  std::optional<int64_t> divisor;  // replaces the product of counts
};

// The compute dtype: float32 for halves and uint8.
[[nodiscard]] DType plane_dtype(DType dtype);

// Applies the map to every plane of `input` and writes `output`, which is nonempty, of the compute
// dtype and dense in the format.
void write_mapped(const char* who, const LinearMap& map, const Tensor& input, const Tensor& output,
                  MemoryFormat format);

// The same as a new tensor of `sizes`. make_map() builds the map, which is as long as they are,
// after the tensor was allocated.
template <class MakeMap>
[[nodiscard]] Tensor apply_map(const char* who, const Tensor& input, std::span<const int64_t> sizes,
                               MemoryFormat format, const MakeMap& make_map) {
  const Tensor output = make_empty(sizes, plane_dtype(input.dtype()), kCpu, format);
  if (output.numel() != 0) write_mapped(who, make_map(), input, output, format);
  return as_result(output, input.dtype(), format);
}
// The gradient of the input, of `sizes`.
[[nodiscard]] Tensor apply_transposed(const char* who, const LinearMap& map, const Tensor& grad,
                                      std::span<const int64_t> sizes, MemoryFormat format);

}  // namespace opwright
