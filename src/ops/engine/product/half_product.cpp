// Products of halves, summed in float32: bfloat16 in pairs where the machine multiplies them, else
// in panels that are converted to float32 as they are packed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/bfloat16_pair.h"
#include "opwright/ops/engine/product/half_dot.h"
#include "opwright/ops/engine/product/packed_product.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/product_threads.h"  // IWYU pragma: keep

namespace opwright {
namespace {

// Where a panel comes from: `lines` of `depth` elements in a matrix.
template <class T>
struct PanelSource {
  const T* first;
  int64_t line, step;  // distances, in elements, between lines and along the depth
  int64_t lines, depth;
};

// ---- Pairs of bfloat16 ----

// Lines that lie side by side in memory.
struct InterleaveLinesLoop {
  OPWRIGHT_INLINE static void run(BFloat16Pair* to, int64_t width, const BFloat16* from,
                                  int64_t step, int64_t lines, int64_t pairs) {
    for (int64_t d = 0; d < pairs; ++d) {
      const BFloat16* first = from + 2 * d * step;
      const BFloat16* second = first + step;
      BFloat16Pair* line = to + d * width;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < lines; ++i)
        line[i] = first[i].bits | static_cast<uint32_t>(second[i].bits) << 16;
      for (int64_t i = lines; i < width; ++i) line[i] = 0;
    }
  }
};

// Fills a panel of `width` lines with pairs: to[d * width + i] has elements 2 * d and 2 * d + 1 of
// line i, and zeros for those that are missing.
void fill_pairs(BFloat16Pair* to, int64_t width, const PanelSource<BFloat16>& from) {
  const auto [first, line, step, lines, depth] = from;
  const int64_t pairs = depth / 2;
  if (line == 1) {
    run_at_level<InterleaveLinesLoop>(to, width, first, step, lines, pairs);
  } else if (step == 1) {
    run_at_level<TransposeLinesLoop<BFloat16Pair, BFloat16>>(to, width, first, line, lines, pairs);
  } else {
    for (int64_t d = 0; d < pairs; ++d) {
      for (int64_t i = 0; i < lines; ++i) {
        const BFloat16* pair = first + i * line + 2 * d * step;
        to[d * width + i] = pair->bits | static_cast<uint32_t>(pair[step].bits) << 16;
      }
      for (int64_t i = lines; i < width; ++i) to[d * width + i] = 0;
    }
  }
  if (depth % 2 == 0) return;
  BFloat16Pair* last = to + pairs * width;
  for (int64_t i = 0; i < width; ++i)
    last[i] = i < lines ? first[i * line + 2 * pairs * step].bits : 0;
}

void multiply_in_pairs(const MatrixProduct<BFloat16>& p) {
  const int64_t tile_rows = tile_kernels<BFloat16Pair>().tile_rows();
  const int64_t tile_columns = tile_kernels<BFloat16Pair>().tile_columns();
  multiply_packed<BFloat16Pair>(
      {.data = p.c, .row = p.c_row, .rows = p.rows, .columns = p.columns, .adds = false},
      (p.depth + 1) / 2,
      [&](BFloat16Pair* to, int64_t row, int64_t rows, int64_t k, int64_t pairs) {
        const int64_t depth = std::min(2 * pairs, p.depth - 2 * k);
        fill_pairs(to, tile_rows,
                   {p.a + row * p.a_row + 2 * k * p.a_column, p.a_row, p.a_column, rows, depth});
      },
      [&](BFloat16Pair* to, int64_t column, int64_t columns, int64_t k, int64_t pairs) {
        const int64_t depth = std::min(2 * pairs, p.depth - 2 * k);
        fill_pairs(
            to, tile_columns,
            {p.b + column * p.b_column + 2 * k * p.b_row, p.b_column, p.b_row, columns, depth});
      });
}

// ---- Panels of float32 ----

template <class T>
void fill_converted(float* to, int64_t width, const PanelSource<T>& from) {
  static const ConversionFunction kWiden = find_conversion(DType::Float32, dtype_of<T>());
  const auto widen = [](float* target, int64_t target_step, const T* source, int64_t source_step,
                        int64_t count) {
    kWiden(reinterpret_cast<std::byte*>(target), target_step * static_cast<int64_t>(sizeof(float)),
           reinterpret_cast<const std::byte*>(source),
           source_step * static_cast<int64_t>(sizeof(T)), count);
  };
  const auto [first, line, step, lines, depth] = from;
  if (step == 1) {  // convert lines, then transpose
    const ScratchMemory memory(static_cast<size_t>(lines * depth) * sizeof(float));
    float* const wide = memory.data<float>();
    for (int64_t i = 0; i < lines; ++i) widen(wide + i * depth, 1, first + i * line, 1, depth);
    return fill_panel(to, width, wide, depth, 1, lines, depth);
  }
  for (int64_t d = 0; d < depth; ++d) {
    widen(to + d * width, 1, first + d * step, line, lines);
    std::fill(to + d * width + lines, to + (d + 1) * width, 0.0F);
  }
}

template <class T>
void multiply_converted(const MatrixProduct<T>& p) {
  const int64_t tile_rows = tile_kernels<float>().tile_rows();
  const int64_t tile_columns = tile_kernels<float>().tile_columns();
  multiply_packed<float>(
      {.data = p.c, .row = p.c_row, .rows = p.rows, .columns = p.columns, .adds = false}, p.depth,
      [&](float* to, int64_t row, int64_t rows, int64_t k, int64_t depth) {
        fill_converted<T>(to, tile_rows,
                          {p.a + row * p.a_row + k * p.a_column, p.a_row, p.a_column, rows, depth});
      },
      [&](float* to, int64_t column, int64_t columns, int64_t k, int64_t depth) {
        fill_converted<T>(
            to, tile_columns,
            {p.b + column * p.b_column + k * p.b_row, p.b_column, p.b_row, columns, depth});
      });
}

template <class T>
void multiply_halves(const MatrixProduct<T>& p) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    if (has_bfloat16_pairs()) return multiply_in_pairs(p);
  }
  multiply_converted(p);
}

// Whether the rows of `a` and the columns of `b` are dense.
template <class T>
bool is_product_of_dense_vectors(const MatrixProduct<T>& p) {
  return p.depth == 1 || (p.a_column == 1 && p.b_row == 1);
}

// The product of a matrix and a vector, or of a vector and a matrix.
template <class T>
void multiply_with_vector(const MatrixProduct<T>& p) {
  if (is_product_of_dense_vectors(p)) {
    for (int64_t i = 0; i < p.rows; ++i) {
      for (int64_t j = 0; j < p.columns; ++j)
        p.c[i * p.c_row + j] =
            multiply_dense_halves(p.a + i * p.a_row, p.b + j * p.b_column, p.depth);
    }
  } else if (p.columns == 1 && p.c_row == 1) {
    multiply_halves(transposed(p));  // in wide tiles
  } else {
    multiply_halves(p);
  }
}

}  // namespace

template <class T>
  requires kIsHalf<T>
ProductForm form_of(const MatrixProduct<T>& p) {
  if (p.rows == 0 || p.columns == 0) return ProductForm::Empty;
  if (p.depth == 0) return ProductForm::Tiny;
  return p.rows == 1 || p.columns == 1 ? ProductForm::Vector : ProductForm::Packed;
}

template <class T>
  requires kIsHalf<T>
void multiply_matrices(const MatrixProduct<T>& p, ProductForm form) {
  switch (form) {
    case ProductForm::Empty:
      return;
    case ProductForm::Tiny:  // a sum of nothing
      for (int64_t i = 0; i < p.rows; ++i) std::fill_n(p.c + i * p.c_row, p.columns, 0.0F);
      return;
    case ProductForm::Vector:
      return multiply_with_vector(p);
    case ProductForm::Lines:
    case ProductForm::Direct:
    case ProductForm::Packed:
      return multiply_halves(p);
  }
}

template ProductForm form_of(const MatrixProduct<Half>&);
template ProductForm form_of(const MatrixProduct<BFloat16>&);
template void multiply_matrices(const MatrixProduct<Half>&, ProductForm);
template void multiply_matrices(const MatrixProduct<BFloat16>&, ProductForm);
template void multiply_batch(const MatrixProduct<Half>&, int64_t, int64_t, int64_t, int64_t);
template void multiply_batch(const MatrixProduct<BFloat16>&, int64_t, int64_t, int64_t, int64_t);

}  // namespace opwright
