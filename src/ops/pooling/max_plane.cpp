#include "opwright/ops/pooling/max_plane.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// float32 for halves and int64 for ints; indices are ints of the same width, so that one vector
// select handles both. Planes too large for that are computed in float64.
DType wide_dtype_for(DType dtype, int64_t plane) {
  if (is_integral(dtype)) return DType::Int64;
  return dtype == DType::Float64 || plane > INT32_MAX ? DType::Float64 : DType::Float32;
}
template <class C>
using IndexFor = std::conditional_t<sizeof(C) == 4, int32_t, int64_t>;

// The result of a window without elements.
template <class C>
constexpr C kNothing = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                            : std::numeric_limits<C>::lowest();

// Whether a number is larger or NaN.
template <class C>
OPWRIGHT_INLINE bool replaces(C value, C best) {
  return static_cast<int>(value > best) | static_cast<int>(value != value);
}

// With channels last, each position of a plane has one number per channel: the lanes.
template <class C>
struct PlaneWindows {
  PlaneWindows(const LinearMap& map, int64_t channels)
      : depth(map.dims[0]), height(map.dims[1]), width(map.dims[2]), lanes(channels) {
    for (int64_t i = 0; i < width.in * lanes; ++i)
      column.push_back(static_cast<IndexFor<C>>(i / lanes));
  }
  [[nodiscard]] int64_t row_in() const { return width.in * lanes; }
  [[nodiscard]] int64_t row_out() const { return width.out() * lanes; }

  const Taps& depth;
  const Taps& height;
  const Taps& width;
  int64_t lanes;
  std::vector<IndexFor<C>> column;  // of each number of a row
};

// Columns first: the maximum of each column over the rows, then over the few columns of a window.
template <class C>
struct LargestOfRow {
  using Index = IndexFor<C>;

  OPWRIGHT_INLINE static void combine_rows(C* best, Index* where, const C* in,
                                           const PlaneWindows<C>& windows, size_t z, size_t y) {
    const Taps& depth = windows.depth;
    const Taps& height = windows.height;
    const int64_t count = windows.row_in();
    const Index* column = windows.column.data();
    bool is_first = true;
    for (auto i = static_cast<size_t>(depth.first[z]); i < static_cast<size_t>(depth.first[z + 1]);
         ++i) {
      for (auto j = static_cast<size_t>(height.first[y]);
           j < static_cast<size_t>(height.first[y + 1]); ++j) {
        const int64_t number = depth.index[i] * height.in + height.index[j];
        const C* row = in + number * count;
        const auto first = static_cast<Index>(number * windows.width.in);
        if (is_first) {
          for (int64_t k = 0; k < count; ++k) best[k] = row[k];
          for (int64_t k = 0; k < count; ++k) where[k] = first + column[k];
          is_first = false;
          continue;
        }
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t k = 0; k < count; ++k) {
          const bool takes = replaces(row[k], best[k]);
          best[k] = takes ? row[k] : best[k];
          where[k] = takes ? first + column[k] : where[k];
        }
      }
    }
    if (is_first) {
      std::fill_n(best, count, kNothing<C>);
      std::fill_n(where, count, 0);
    }
  }

  // By position in the plane, whatever the order of the columns.
  OPWRIGHT_INLINE static bool is_chosen(C value, Index at, C best, Index where) {
    const int is_later_nan = static_cast<int>(value != value) &
                             (static_cast<int>(best == best) | static_cast<int>(at > where));
    return is_later_nan | static_cast<int>(value > best) |
           (static_cast<int>(value == best) & static_cast<int>(at < where));
  }

  OPWRIGHT_INLINE static void take_columns(C* out, Index* at, const C* best, const Index* where,
                                           const PlaneWindows<C>& windows) {
    const int64_t lanes = windows.lanes;
    const Taps& width = windows.width;
    for (size_t x = 0; x + 1 < width.first.size(); ++x, out += lanes, at += lanes) {
      const auto begin = static_cast<size_t>(width.first[x]);
      const auto end = static_cast<size_t>(width.first[x + 1]);
      if (begin == end) {
        std::fill_n(out, lanes, kNothing<C>);
        std::fill_n(at, lanes, 0);
        continue;
      }
      std::copy_n(best + width.index[begin] * lanes, lanes, out);
      std::copy_n(where + width.index[begin] * lanes, lanes, at);
      for (size_t k = begin + 1; k < end; ++k) {
        const C* value = best + width.index[k] * lanes;
        const Index* from = where + width.index[k] * lanes;
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const bool takes = is_chosen(value[lane], from[lane], out[lane], at[lane]);
          out[lane] = takes ? value[lane] : out[lane];
          at[lane] = takes ? from[lane] : at[lane];
        }
      }
    }
  }

  OPWRIGHT_INLINE static void take_narrow_columns(C* out, Index* at, const C* best,
                                                  const Index* where, const Taps& width) {
    for (size_t x = 0; x + 1 < width.first.size(); ++x) {
      C value = kNothing<C>;
      Index from = 0;
      const auto begin = static_cast<size_t>(width.first[x]);
      for (size_t k = begin; k < static_cast<size_t>(width.first[x + 1]); ++k) {
        const int64_t column = width.index[k];
        const bool takes = static_cast<int>(k == begin) |
                           static_cast<int>(is_chosen(best[column], where[column], value, from));
        value = takes ? best[column] : value;
        from = takes ? where[column] : from;
      }
      out[x] = value;
      at[x] = from;
    }
  }

  // One row of results for the plane at `in`. `where` has room for a row of each side.
  OPWRIGHT_INLINE static void run(C* out, int64_t* indices, const C* in, C* best, Index* where,
                                  const PlaneWindows<C>* windows, size_t z, size_t y) {
    combine_rows(best, where, in, *windows, z, y);
    Index* at = where + windows->row_in();
    if (windows->lanes == 1)
      take_narrow_columns(out, at, best, where, windows->width);
    else
      take_columns(out, at, best, where, *windows);
    for (int64_t i = 0; i < windows->row_out(); ++i) indices[i] = at[i];
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

DType max_dtype(const Tensor& self, size_t ndim) {
  return wide_dtype_for(self.dtype(), plane_numel(self, ndim));
}

void write_largest(const LinearMap& windows, const Tensor& self, const Tensor& values,
                   const Tensor& indices, MemoryFormat format) {
  OPWRIGHT_ASSERT(format == MemoryFormat::Contiguous ||
                  values.sizes().size() == windows.ndim + 2);  // else the lanes are not channels
  const Tensor dense = in_plane_format(as_dtype(self, values.dtype()), format);
  for_wide_dtype(values.dtype(), [&]<typename C>() {
    const PlaneWindows<C> plane(windows, lanes_of(values, format));
    const auto height = static_cast<size_t>(plane.height.out());
    const size_t rows = static_cast<size_t>(plane.depth.out()) * height;
    const int64_t plane_in = plane.depth.in * plane.height.in * plane.row_in();
    const C* in = dense.data<C>();
    C* out = values.mutable_data<C>();
    int64_t* positions = indices.mutable_data<int64_t>();
    for_each_plane(
        values.numel() / plane.row_out(), plane.row_in() + plane.row_out(),
        [&](int64_t begin, int64_t end) {
          std::vector<C> best(static_cast<size_t>(plane.row_in()));
          std::vector<IndexFor<C>> where(static_cast<size_t>(plane.row_in() + plane.row_out()));
          for (int64_t i = begin; i < end; ++i) {
            const auto row = static_cast<size_t>(i);
            run_at_level<LargestOfRow<C>>(
                out + i * plane.row_out(), positions + i * plane.row_out(),
                in + static_cast<int64_t>(row / rows) * plane_in, best.data(), where.data(), &plane,
                row % rows / height, row % height);
          }
        });
  });
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
      if (grad.numel() == 0) {
        std::fill_n(out, output.numel(), C{});
        return;
      }
      const Tensor dense = as_contiguous(as_dtype(grad, wide));
      const Tensor positions = as_contiguous(indices);
      const C* in = dense.data<C>();
      const int64_t* at = positions.data<int64_t>();
      for_each_plane(grad.numel() / results, plane + results, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          C* sums = out + i * plane;  // stays in the cache
          std::fill_n(sums, plane, C{});
          for (int64_t k = i * results; k < (i + 1) * results; ++k) {
            if (at[k] >= 0 && at[k] < plane)
              sums[at[k]] += in[k];
            else
              bad = at[k];
          }
        }
      });
    }
  });
  OPWRIGHT_CHECK_INDEX(bad == 0, who, ": indices must be from 0 to ", plane - 1,
                       ", the positions in a plane of self, got ", bad.load());
  return lay_out(as_dtype(output, self.dtype()), format);
}

}  // namespace opwright
