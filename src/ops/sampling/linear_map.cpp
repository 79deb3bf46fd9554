#include "opwright/ops/sampling/linear_map.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// The taps of one dimension with weights of the compute type.
template <class C>
struct MappedDim {
  explicit MappedDim(const Taps& given) : taps(&given), out(given.out()), in(given.in) {
    for (const double each : given.weight) weight.push_back(convert_number<C>(each));
    for (int64_t i = 0; i < out; ++i) {
      const int64_t count = end(i) - begin(i);
      taps_each = i == 0 || count == taps_each ? count : -1;
      if (taps_each < 0) break;
    }
  }
  [[nodiscard]] int64_t begin(int64_t result) const {
    return taps->first[static_cast<size_t>(result)];
  }
  [[nodiscard]] int64_t end(int64_t result) const { return begin(result + 1); }
  [[nodiscard]] int64_t index(int64_t tap) const { return taps->index[static_cast<size_t>(tap)]; }
  [[nodiscard]] C weight_of(int64_t tap) const {
    return weight.empty() ? C(1) : weight[static_cast<size_t>(tap)];
  }
  [[nodiscard]] int64_t count_of(int64_t result) const {
    return taps->count.empty() ? 1 : taps->count[static_cast<size_t>(result)];
  }

  const Taps* taps;
  int64_t out;
  int64_t in;
  int64_t taps_each = -1;  // if all results have the same number
  std::vector<C> weight;
};

// With channels last, each position of a plane has one number per channel: the lanes.
template <class C>
struct PlaneMap {
  PlaneMap(const LinearMap& map, int64_t channels)
      : depth(map.dims[0]),
        height(map.dims[1]),
        width(map.dims[2]),
        divisor(map.divisor),
        lanes(channels) {
    divides = divisor || !map.dims[2].count.empty();
  }
  // Numbers per row and per plane, before and after.
  [[nodiscard]] int64_t row_in() const { return width.in * lanes; }
  [[nodiscard]] int64_t row_out() const { return width.out * lanes; }
  [[nodiscard]] int64_t in() const { return depth.in * height.in * row_in(); }
  [[nodiscard]] int64_t out() const { return depth.out * height.out * row_out(); }

  MappedDim<C> depth;
  MappedDim<C> height;
  MappedDim<C> width;
  std::optional<int64_t> divisor;
  int64_t lanes;
  bool divides;
};

template <class C>
OPWRIGHT_INLINE void add_row(C* sum, const C* row, C weight, int64_t count) {
  if (weight == C(1)) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) sum[i] = wrap_add(sum[i], row[i]);
  } else {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) sum[i] = wrap_add(sum[i], wrap_mul(weight, row[i]));
  }
}

// The least int has no negation: dividing it by -1 would crash the process.
template <class C>
C divide_wrapping(C sum, C divisor) {
  if constexpr (kIsInt<C> && std::is_signed_v<C>)
    if (divisor == -1) return wrap_sub(C{0}, sum);
  return sum / divisor;
}

// Divides a row of results by their divisors.
template <class C>
OPWRIGHT_INLINE void divide_row(C* row, const PlaneMap<C>& map, int64_t z, int64_t y) {
  const int64_t rest = map.depth.count_of(z) * map.height.count_of(y);
  const auto divisor_of = [&](int64_t x) {
    const int64_t found = map.divisor ? *map.divisor : rest * map.width.count_of(x);
    return convert_number<C>(found == 0 ? 1 : found);
  };
  if (map.lanes == 1) {
    for (int64_t x = 0; x < map.width.out; ++x) row[x] = divide_wrapping(row[x], divisor_of(x));
    return;
  }
  for (int64_t x = 0; x < map.width.out; ++x) {
    const C divisor = divisor_of(x);
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t k = x * map.lanes; k < (x + 1) * map.lanes; ++k)
      row[k] = divide_wrapping(row[k], divisor);
  }
}

// Columns first: entire rows are added up, then each result sums its few columns.
template <class C>
struct ApplyToRow {
  OPWRIGHT_INLINE static const C* combine_rows(C* sum, const C* in, const PlaneMap<C>& map,
                                               int64_t z, int64_t y) {
    const int64_t count = map.row_in();
    bool is_first = true;
    const C* whole = nullptr;
    for (int64_t i = map.depth.begin(z); i < map.depth.end(z); ++i) {
      for (int64_t j = map.height.begin(y); j < map.height.end(y); ++j) {
        const C weight = map.depth.weight_of(i) * map.height.weight_of(j);
        const C* row = in + (map.depth.index(i) * map.height.in + map.height.index(j)) * count;
        if (is_first && weight == C(1)) {
          whole = row;  // often the only one, which needs no copy
        } else {
          if (is_first) std::fill_n(sum, count, C{});
          if (whole) std::copy_n(std::exchange(whole, nullptr), count, sum);
          add_row(sum, row, weight, count);
        }
        is_first = false;
      }
    }
    if (is_first) std::fill_n(sum, count, C{});
    return whole ? whole : sum;
  }

  OPWRIGHT_INLINE static void take_columns(C* out, const C* row, const MappedDim<C>& width) {
    const int64_t* first = width.taps->first.data();
    const int64_t* index = width.taps->index.data();
    const C* weight = width.weight.data();
    const bool is_weighted = !width.weight.empty();
    if (width.taps_each == 1 && !is_weighted) {
      for (int64_t x = 0; x < width.out; ++x) out[x] = row[index[x]];
    } else if (width.taps_each == 2 && is_weighted) {
      for (int64_t x = 0; x < width.out; ++x)
        out[x] = wrap_add(wrap_mul(weight[2 * x], row[index[2 * x]]),
                          wrap_mul(weight[2 * x + 1], row[index[2 * x + 1]]));
    } else {
      for (int64_t x = 0; x < width.out; ++x) {
        C sum{};
        for (int64_t k = first[x]; k < first[x + 1]; ++k)
          sum = wrap_add(sum, is_weighted ? wrap_mul(weight[k], row[index[k]]) : row[index[k]]);
        out[x] = sum;
      }
    }
  }
  OPWRIGHT_INLINE static void take_wide_columns(C* out, const C* row, const PlaneMap<C>& map) {
    const int64_t lanes = map.lanes;
    for (int64_t x = 0; x < map.width.out; ++x) {
      C* sum = out + x * lanes;
      const int64_t begin = map.width.begin(x);
      const int64_t end = map.width.end(x);
      if (end - begin == 1 && map.width.weight_of(begin) == C(1)) {
        std::copy_n(row + map.width.index(begin) * lanes, lanes, sum);
        continue;
      }
      std::fill_n(sum, lanes, C{});
      for (int64_t k = begin; k < end; ++k)
        add_row(sum, row + map.width.index(k) * lanes, map.width.weight_of(k), lanes);
    }
  }

  // One row of results for the plane at `in`.
  OPWRIGHT_INLINE static void run(C* out, const C* in, C* buffer, const PlaneMap<C>* map, int64_t z,
                                  int64_t y) {
    const C* row = combine_rows(buffer, in, *map, z, y);
    if (map->lanes == 1)
      take_columns(out, row, map->width);
    else
      take_wide_columns(out, row, *map);
    if (map->divides) divide_row(out, *map, z, y);
  }
};

template <class C>
struct ApplyTransposed {
  // `out` is zero; `buffer` has room for a row of each side.
  OPWRIGHT_INLINE static void run(C* out, const C* in, C* buffer, const PlaneMap<C>* map) {
    const auto& [depth, height, width, divisor, lanes, divides] = *map;
    C* sum = buffer;
    C* row = buffer + map->row_in();
    for (int64_t z = 0; z < depth.out; ++z) {
      for (int64_t y = 0; y < height.out; ++y) {
        std::copy_n(in, map->row_out(), row);
        if (divides) divide_row(row, *map, z, y);
        std::fill_n(sum, map->row_in(), C{});
        for (int64_t x = 0; x < width.out; ++x) {
          for (int64_t k = width.begin(x); k < width.end(x); ++k) {
            const int64_t at = width.index(k);
            if (lanes == 1)
              sum[at] = wrap_add(sum[at], wrap_mul(width.weight_of(k), row[x]));
            else
              add_row(sum + at * lanes, row + x * lanes, width.weight_of(k), lanes);
          }
        }
        for (int64_t i = depth.begin(z); i < depth.end(z); ++i) {
          for (int64_t j = height.begin(y); j < height.end(y); ++j) {
            C* target = out + (depth.index(i) * height.in + height.index(j)) * map->row_in();
            add_row(target, sum, depth.weight_of(i) * height.weight_of(j), map->row_in());
          }
        }
        in += map->row_out();
      }
    }
  }
};

template <class C>
void map_planes(const LinearMap& map, const C* in, const Tensor& output, int64_t lanes) {
  const PlaneMap<C> plane(map, lanes);
  C* out = output.mutable_data<C>();
  const int64_t height = plane.height.out;
  const int64_t rows = plane.depth.out * height;
  const int64_t work = (plane.in() + plane.out()) / rows;
  for_each_plane(output.numel() / plane.out() * rows, work, [&](int64_t begin, int64_t end) {
    std::vector<C> buffer(static_cast<size_t>(plane.row_in()));
    for (int64_t i = begin; i < end; ++i) {
      run_at_level<ApplyToRow<C>>(out + i * plane.row_out(), in + i / rows * plane.in(),
                                  buffer.data(), &plane, i % rows / height, i % height);
    }
  });
}

template <class C>
void map_planes_transposed(const LinearMap& map, const C* in, const Tensor& output, int64_t lanes) {
  const PlaneMap<C> plane(map, lanes);
  C* out = output.mutable_data<C>();
  for_each_plane(output.numel() / plane.in(), plane.in() + plane.out(),
                 [&](int64_t begin, int64_t end) {
                   std::vector<C> buffer(static_cast<size_t>(plane.row_in() + plane.row_out()));
                   std::fill_n(out + begin * plane.in(), (end - begin) * plane.in(), C{});
                   for (int64_t i = begin; i < end; ++i) {
                     run_at_level<ApplyTransposed<C>>(out + i * plane.in(), in + i * plane.out(),
                                                      buffer.data(), &plane);
                   }
                 });
}

// Calls body.operator()<C>() for the types of plane_dtype.
template <class Body>
void for_plane_dtype(const char* who, DType dtype, const Body& body) {
  if (dtype == DType::Float32) return body.template operator()<float>();
  if (dtype == DType::Float64) return body.template operator()<double>();
  if (dtype == DType::Int64) return body.template operator()<int64_t>();
  if (is_complex(dtype)) return for_complex_dtype(dtype, who, body);
  throw_dtype(dtype, who, "floating dtypes");
}

}  // namespace

Taps identity_taps(int64_t size) {
  Taps taps(size);
  for (int64_t i = 0; i < size; ++i) {
    taps.index.push_back(i);
    taps.finish_result();
  }
  return taps;
}

LinearMap::LinearMap(std::vector<Taps> last)
    : dims{identity_taps(1), identity_taps(1), identity_taps(1)}, ndim(last.size()) {
  std::move(last.begin(), last.end(), dims.end() - static_cast<std::ptrdiff_t>(ndim));
}

DType plane_dtype(DType dtype) {
  const bool is_narrow = dtype == DType::Float16 || dtype == DType::BFloat16;
  return is_narrow || dtype == DType::UInt8 ? DType::Float32 : dtype;
}

void write_mapped(const char* who, const LinearMap& map, const Tensor& input, const Tensor& output,
                  MemoryFormat format) {
  OPWRIGHT_ASSERT(format == MemoryFormat::Contiguous ||
                  output.sizes().size() == map.ndim + 2);  // else the lanes are not channels
  const Tensor dense = in_plane_format(as_dtype(input, output.dtype()), format);
  for_plane_dtype(who, output.dtype(), [&]<typename C>() {
    map_planes<C>(map, dense.data<C>(), output, lanes_of(output, format));
  });
}

Tensor apply_transposed(const char* who, const LinearMap& map, const Tensor& grad,
                        std::span<const int64_t> sizes, MemoryFormat format) {
  const DType wide = plane_dtype(grad.dtype());
  // A volume without a batch also has four dimensions, but its second is not a channel.
  const bool has_batch = sizes.size() == map.ndim + 2;
  const MemoryFormat computed = has_batch ? format : MemoryFormat::Contiguous;
  const Tensor output = make_empty(sizes, wide, kCpu, computed);
  if (output.numel() != 0) {
    const Tensor dense = in_plane_format(as_dtype(grad, wide), computed);
    for_plane_dtype(who, wide, [&]<typename C>() {
      if (dense.numel() == 0)
        std::fill_n(output.mutable_data<C>(), output.numel(), C{});
      else
        map_planes_transposed<C>(map, dense.data<C>(), output, lanes_of(output, computed));
    });
  }
  const Tensor result = as_result(output, grad.dtype(), computed);
  return has_batch ? result : lay_out(result, format);
}

}  // namespace opwright
