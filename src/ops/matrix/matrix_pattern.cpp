// eye, tril_indices and triu_indices: the diagonal of a matrix and its triangles.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

using std::optional;

// The columns of row i in a triangle: from first(i) to last(i).
struct TriangleColumns {
  const char* who;
  int64_t rows, columns, offset;
  bool is_lower;

  [[nodiscard]] int64_t border(int64_t row) const {  // how many are below the border
    using Wide = __int128;
    const Wide place = Wide{row} + offset + (is_lower ? 1 : 0);
    return static_cast<int64_t>(std::clamp<Wide>(place, 0, columns));
  }
  [[nodiscard]] int64_t first(int64_t row) const { return is_lower ? 0 : border(row); }
  [[nodiscard]] int64_t last(int64_t row) const { return is_lower ? border(row) : columns; }
  [[nodiscard]] int64_t count() const {
    int64_t sum = 0;
    for (int64_t row = 0; row < rows; ++row) {
      OPWRIGHT_CHECK_VALUE(!__builtin_add_overflow(sum, last(row) - first(row), &sum), who,
                           ": a triangle of ", rows, " x ", columns, " has too many elements");
    }
    return sum;
  }
};

void check_triangle(const TriangleColumns& triangle) {
  OPWRIGHT_CHECK_VALUE(triangle.rows >= 0 && triangle.columns >= 0, triangle.who,
                       ": row and col must not be negative, got ", triangle.rows, " and ",
                       triangle.columns);
}

// Row indices in the first row of the result, column indices in the second.
template <class T>
void write_indices(const TriangleColumns& triangle, T* out, int64_t count) {
  int64_t at = 0;
  for (int64_t row = 0; row < triangle.rows; ++row) {
    for (int64_t column = triangle.first(row); column < triangle.last(row); ++column, ++at) {
      out[at] = static_cast<T>(row);
      out[count + at] = static_cast<T>(column);
    }
  }
}

Tensor make_indices(const TriangleColumns& triangle, const optional<DType>& dtype,
                    const optional<Layout>& layout, const optional<Device>& device,
                    const optional<bool>& pin_memory) {
  check_triangle(triangle);
  const int64_t count = triangle.count();
  const DType element = dtype.value_or(DType::Int64);
  if (!is_integral(element)) throw_dtype(element, triangle.who, "integral dtypes");
  Tensor result = empty({2, count}, element, layout, device, pin_memory);
  if (result.is_fake() || count == 0) return result;
  const bool is_on_cpu = result.device().type == kOpwDeviceCpu;
  const Tensor target = is_on_cpu ? result : make_empty(result.sizes(), element);
  for_integral_dtype(element, triangle.who, [&]<typename T>() {
    write_indices(triangle, target.mutable_data<T>(), count);
  });
  if (!is_on_cpu) result.copy_(target);
  return result;
}

}  // namespace

Tensor eye_m_all_devices(const SymInt& n, const SymInt& m, const optional<DType>& dtype,
                         const optional<Layout>& layout, const optional<Device>& device,
                         const optional<bool>& pin_memory) {
  check(sym_and(n >= 0, m >= 0),
        concatenate("eye: n and m must not be negative, got ", n, " and ", m));
  Tensor result = zeros({n, m}, dtype, layout, device, pin_memory);
  if (!result.is_fake()) result.diagonal().fill_(1);
  return result;
}
Tensor eye_all_devices(const SymInt& n, const optional<DType>& dtype,
                       const optional<Layout>& layout, const optional<Device>& device,
                       const optional<bool>& pin_memory) {
  return eye_m_all_devices(n, n, dtype, layout, device, pin_memory);
}

Tensor tril_indices_all_devices(int64_t row, int64_t col, int64_t offset,
                                const optional<DType>& dtype, const optional<Layout>& layout,
                                const optional<Device>& device, const optional<bool>& pin_memory) {
  return make_indices({"tril_indices", row, col, offset, true}, dtype, layout, device, pin_memory);
}
Tensor triu_indices_all_devices(int64_t row, int64_t col, int64_t offset,
                                const optional<DType>& dtype, const optional<Layout>& layout,
                                const optional<Device>& device, const optional<bool>& pin_memory) {
  return make_indices({"triu_indices", row, col, offset, false}, dtype, layout, device, pin_memory);
}

}  // namespace opwright
