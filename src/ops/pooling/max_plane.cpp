#include "opwright/ops/pooling/max_plane.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/ops/cpu/run_at_level.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// float32 for halves and int64 for ints; indices are ints of the same width, so that a choice
// chooses both in one vector. Planes too large for that are computed in float64.
DType wide_dtype_for(DType dtype, int64_t plane) {
  if (is_integral(dtype)) return DType::Int64;
  return dtype == DType::Float64 || plane > INT32_MAX ? DType::Float64 : DType::Float32;
}
template <class C>
using IndexFor = std::conditional_t<sizeof(C) == 4, int32_t, int64_t>;

// Whether a number is larger or not a number.
template <class C>
OPWRIGHT_INLINE bool replaces(C value, C best) {
  return static_cast<int>(value > best) | static_cast<int>(value != value);
}

// Columns first: the largest of each column of the rows, then of the few columns of a window.
template <class C>
struct LargestOfPlane {
  using Index = IndexFor<C>;

  OPWRIGHT_INLINE static void combine_rows(C* best, Index* where, const C* in, const LinearMap& map,
                                           int64_t z, int64_t y) {
    const auto& [depth, height, width] = map.dims;
    bool is_first = true;
    for (int64_t i = depth.first[static_cast<size_t>(z)];
         i < depth.first[static_cast<size_t>(z) + 1]; ++i) {
      for (int64_t j = height.first[static_cast<size_t>(y)];
           j < height.first[static_cast<size_t>(y) + 1]; ++j) {
        const int64_t offset = (depth.index[static_cast<size_t>(i)] * height.in +
                                height.index[static_cast<size_t>(j)]) *
                               width.in;
        const C* row = in + offset;
        const auto first = static_cast<Index>(offset);
        if (is_first) {
          for (int64_t k = 0; k < width.in; ++k) best[k] = row[k];
          for (int64_t k = 0; k < width.in; ++k) where[k] = first + static_cast<Index>(k);
          is_first = false;
          continue;
        }
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t k = 0; k < width.in; ++k) {
          const bool takes = replaces(row[k], best[k]);
          best[k] = takes ? row[k] : best[k];
          where[k] = takes ? first + static_cast<Index>(k) : where[k];
        }
      }
    }
    if (is_first) {
      std::fill_n(best, width.in, std::numeric_limits<C>::lowest());
      std::fill_n(where, width.in, 0);
    }
  }

  // By the order in the plane, whatever the order of the columns.
  OPWRIGHT_INLINE static bool is_chosen(C value, Index at, C best, Index where) {
    if (value != value) return best == best || at > where;
    return value > best || (value == best && at < where);
  }

  OPWRIGHT_INLINE static void run(C* out, int64_t* indices, const C* in, C* best, Index* where,
                                  const LinearMap* map) {
    const auto& [depth, height, width] = map->dims;
    for (int64_t z = 0; z < depth.out(); ++z) {
      for (int64_t y = 0; y < height.out(); ++y) {
        combine_rows(best, where, in, *map, z, y);
        for (int64_t x = 0; x < width.out(); ++x) {
          const int64_t begin = width.first[static_cast<size_t>(x)];
          const int64_t end = width.first[static_cast<size_t>(x) + 1];
          C value = -std::numeric_limits<C>::infinity();
          if constexpr (std::is_integral_v<C>) value = std::numeric_limits<C>::lowest();
          Index at = 0;
          for (int64_t k = begin; k < end; ++k) {
            const int64_t column = width.index[static_cast<size_t>(k)];
            if (k != begin && !is_chosen(best[column], where[column], value, at)) continue;
            value = best[column];
            at = where[column];
          }
          *out++ = value;
          *indices++ = at;
        }
      }
    }
  }
};

// Calls body.operator()<C>() for the types of wide_dtype_for.
template <class Body>
void for_wide_dtype(DType dtype, const Body& body) {
  if (dtype == DType::Int64)
    body.template operator()<int64_t>();
  else if (dtype == DType::Float64)
    body.template operator()<double>();
  else
    body.template operator()<float>();
}

int64_t plane_numel(const Tensor& self, size_t ndim) { return product(self.sizes().last(ndim)); }

}  // namespace

std::tuple<Tensor, Tensor> find_largest(const LinearMap& windows, const Tensor& self,
                                        std::span<const int64_t> sizes, MemoryFormat format) {
  const int64_t plane = plane_numel(self, windows.ndim);
  const DType wide = wide_dtype_for(self.dtype(), plane);
  const Tensor values = make_empty(sizes, wide);
  const Tensor indices = make_empty(sizes, DType::Int64);
  if (values.numel() != 0) {
    const Tensor dense = as_contiguous(as_dtype(self, wide));
    const int64_t results = product(sizes.last(windows.ndim));
    const auto columns = static_cast<size_t>(windows.dims.back().in);
    for_wide_dtype(wide, [&]<typename C>() {
      const C* in = dense.data<C>();
      C* out = values.mutable_data<C>();
      int64_t* positions = indices.mutable_data<int64_t>();
      for_each_plane(values.numel() / results, plane + results, [&](int64_t begin, int64_t end) {
        std::vector<C> best(columns);
        std::vector<IndexFor<C>> where(columns);
        for (int64_t i = begin; i < end; ++i) {
          run_at_level<LargestOfPlane<C>>(out + i * results, positions + i * results,
                                          in + i * plane, best.data(), where.data(), &windows);
        }
      });
    });
  }
  return {as_result(values, self.dtype(), format), as_result(indices, DType::Int64, format)};
}

void check_indices(const char* who, const Tensor& indices, std::span<const SymInt> sizes) {
  const SymSizes given = sym_geometry_of(indices).sizes;
  OPWRIGHT_CHECK_TYPE(indices.dtype() == DType::Int64, who, ": indices must be of int64, got ",
                      indices.dtype());
  const std::string problem = concatenate(who, ": indices must have the sizes ", to_text(sizes),
                                          " of grad_output, got ", to_text(given));
  OPWRIGHT_CHECK_VALUE(given.size() == sizes.size(), problem);
  for (size_t i = 0; i < sizes.size(); ++i) check(given[i] == sizes[i], problem);
}

Tensor scatter_gradient(const char* who, const Tensor& grad, const Tensor& self,
                        const Tensor& indices, size_t ndim, MemoryFormat format) {
  const DType wide = grad.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor output = make_empty(self.sizes(), wide);
  const int64_t plane = plane_numel(self, ndim);
  const int64_t results = plane_numel(grad, ndim);
  std::atomic<int64_t> bad{0};
  for_wide_dtype(wide, [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>) {
      C* out = output.mutable_data<C>();
      std::fill_n(out, output.numel(), C{});
      if (grad.numel() == 0) return;
      const Tensor dense = as_contiguous(as_dtype(grad, wide));
      const Tensor positions = as_contiguous(indices);
      const C* in = dense.data<C>();
      const int64_t* at = positions.data<int64_t>();
      for_each_plane(grad.numel() / results, plane + results, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          for (int64_t k = i * results; k < (i + 1) * results; ++k) {
            if (at[k] >= 0 && at[k] < plane)
              out[i * plane + at[k]] += in[k];
            else
              bad = at[k];
          }
        }
      });
    }
  });
  OPWRIGHT_CHECK_INDEX(bad == 0, who, ": indices must be from 0 to ", plane - 1,
                       ", the positions in a plane of self, got ", bad.load());
  return as_result(output, self.dtype(), format);
}

}  // namespace opwright
