// Products of float32 and float64.
#include <algorithm>
#include <array>
#include <memory>  // IWYU pragma: keep

#include "opwright/ops/engine/product/packed_product.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/product_threads.h"  // IWYU pragma: keep
#include "opwright/ops/engine/product/vector_product.h"

namespace opwright {
namespace {

constexpr int64_t kTinyWork = 64;                    // multiplications that need no vector code
constexpr int64_t kDirectBytes = int64_t{64} << 10;  // size of a right factor that is read in place
constexpr int64_t kDirectDepth = 512;
constexpr int64_t kMostLineRows = 16;
constexpr int64_t kDotChunk = int64_t{1} << 16;

template <class T>
void multiply_tiny(const MatrixProduct<T>& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.columns; ++j) {
      T sum{};
      for (int64_t k = 0; k < p.depth; ++k)
        sum += p.a[i * p.a_row + k * p.a_column] * p.b[k * p.b_row + j * p.b_column];
      p.c[i * p.c_row + j] = sum;
    }
  }
}

// The last columns, which do not fill a vector.
template <class T>
void multiply_last_columns(const TileKernels<T>& kernels, const MatrixProduct<T>& p,
                           int64_t first) {
  const int64_t columns = p.columns - first;
  const int64_t lanes = kernels.lanes;
  std::array<T, kDirectDepth * 16> panel;
  fill_panel(panel.data(), lanes, p.b + first * p.b_column, p.b_column, p.b_row, columns, p.depth);
  std::array<T, kLargestTile> whole;
  for (int64_t i = 0; i < p.rows;) {
    const size_t height = kernels.height_for(p.rows - i);
    kernels.strided[height][0]({p.a + i * p.a_row, p.a_row, p.a_column, panel.data(), lanes,
                                whole.data(), lanes, p.depth, false});
    for (int64_t r = 0; r < kernels.rows[height]; ++r)
      std::copy_n(whole.data() + r * lanes, columns, p.c + (i + r) * p.c_row + first);
    i += kernels.rows[height];
  }
}

// Reads both factors in place; the rows of `b` are dense.
template <class T>
void multiply_direct(const MatrixProduct<T>& p) {
  const TileKernels<T>& kernels = tile_kernels<T>();
  const int64_t lanes = kernels.lanes;
  int64_t j = 0;
  while (j + lanes <= p.columns) {
    const size_t vectors = j + 2 * lanes <= p.columns ? 1 : 0;
    for (int64_t i = 0; i < p.rows;) {
      const size_t height = kernels.height_for(p.rows - i);
      kernels.strided[height][vectors]({p.a + i * p.a_row, p.a_row, p.a_column, p.b + j, p.b_row,
                                        p.c + i * p.c_row + j, p.c_row, p.depth, false});
      i += kernels.rows[height];
    }
    j += lanes * (static_cast<int64_t>(vectors) + 1);
  }
  if (j < p.columns) multiply_last_columns(kernels, p, j);
}

// Whether few rows meet columns that are dense along the depth, as the weights of a linear layer.
// Packing the columns would take longer than the product.
template <class T>
bool is_product_of_lines(const MatrixProduct<T>& p) {
  return p.rows <= kMostLineRows && p.a_column == 1 && p.b_row == 1 &&
         p.depth >= line_kernels<T>().lanes;
}

// Reads both factors in place, in vectors along the depth.
template <class T>
void multiply_lines(const MatrixProduct<T>& p) {
  const LineKernels<T>& kernels = line_kernels<T>();
  for (int64_t j = 0; j < p.columns;) {
    const bool is_wide = j + kernels.columns <= p.columns;
    size_t height = 0;
    for (int64_t i = 0; i < p.rows;) {
      while (kernels.rows[height] > p.rows - i) ++height;
      const auto kernel = is_wide ? kernels.wide[height] : kernels.narrow[height];
      kernel({p.a + i * p.a_row, p.a_row, 1, p.b + j * p.b_column, p.b_column,
              p.c + i * p.c_row + j, p.c_row, p.depth, false});
      i += kernels.rows[height];
    }
    j += is_wide ? kernels.columns : 1;
  }
}

template <class T>
void multiply_from_panels(const MatrixProduct<T>& p) {
  const int64_t tile_rows = tile_kernels<T>().tile_rows();
  const int64_t tile_columns = tile_kernels<T>().tile_columns();
  multiply_packed<T>(
      {.data = p.c, .row = p.c_row, .rows = p.rows, .columns = p.columns, .adds = false}, p.depth,
      [&](T* to, int64_t row, int64_t rows, int64_t k, int64_t depth) {
        fill_panel(to, tile_rows, p.a + row * p.a_row + k * p.a_column, p.a_row, p.a_column, rows,
                   depth);
      },
      [&](T* to, int64_t column, int64_t columns, int64_t k, int64_t depth) {
        fill_panel(to, tile_columns, p.b + column * p.b_column + k * p.b_row, p.b_column, p.b_row,
                   columns, depth);
      });
}

}  // namespace

template <class T>
  requires kHasTiles<T>
ProductForm form_of(const MatrixProduct<T>& p) {
  if (p.rows == 0 || p.columns == 0) return ProductForm::Empty;
  if (p.rows * p.columns <= kTinyWork && p.rows * p.columns * p.depth <= kTinyWork)
    return ProductForm::Tiny;
  if (is_product_of_lines(p)) return ProductForm::Lines;
  if (p.columns == 1 && p.c_row == 1 && is_product_of_lines(transposed(p)))
    return ProductForm::Lines;
  if (p.columns == 1 || p.rows == 1) return ProductForm::Vector;
  const bool is_small = p.depth <= kDirectDepth &&
                        p.depth * p.columns * static_cast<int64_t>(sizeof(T)) <= kDirectBytes;
  if (p.depth == 0 || (is_small && (p.b_column == 1 || p.columns < tile_kernels<T>().lanes)))
    return ProductForm::Direct;
  return ProductForm::Packed;
}

template <class T>
  requires kHasTiles<T>
void multiply_matrices(const MatrixProduct<T>& p, ProductForm form) {
  switch (form) {
    case ProductForm::Empty:
      return;
    case ProductForm::Tiny:
      return multiply_tiny(p);
    case ProductForm::Vector:
      return p.columns == 1 ? multiply_vector(p) : multiply_vector(transposed(p));
    case ProductForm::Lines:
      return is_product_of_lines(p) ? multiply_lines(p) : multiply_lines(transposed(p));
    case ProductForm::Direct:
      return multiply_direct(p);
    case ProductForm::Packed:
      return multiply_from_panels(p);
  }
}

template <class T>
  requires kHasTiles<T>
T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t count,
                   bool /*conjugates*/) {
  T sum{};
  if (a_step == 1 && b_step == 1) {
    for (int64_t i = 0; i < count; i += kDotChunk) {
      T part{};
      run_at_level<DotLoop<T>>(a + i, b + i, std::min(kDotChunk, count - i), &part);
      sum += part;
    }
    return sum;
  }
  // Elements with gaps are gathered first.
  constexpr int64_t kGathered = 512;
  std::array<T, kGathered> left;
  std::array<T, kGathered> right;
  for (int64_t i = 0; i < count; i += kGathered) {
    const int64_t length = std::min(kGathered, count - i);
    for (int64_t j = 0; j < length; ++j) {
      left[static_cast<size_t>(j)] = a[(i + j) * a_step];
      right[static_cast<size_t>(j)] = b[(i + j) * b_step];
    }
    T part{};
    run_at_level<DotLoop<T>>(left.data(), right.data(), length, &part);
    sum += part;
  }
  return sum;
}

template ProductForm form_of(const MatrixProduct<float>&);
template ProductForm form_of(const MatrixProduct<double>&);
template void multiply_matrices(const MatrixProduct<float>&, ProductForm);
template void multiply_matrices(const MatrixProduct<double>&, ProductForm);
template float multiply_vectors(const float*, int64_t, const float*, int64_t, int64_t, bool);
template double multiply_vectors(const double*, int64_t, const double*, int64_t, int64_t, bool);
template void multiply_batch(const MatrixProduct<float>&, int64_t, int64_t, int64_t, int64_t);
template void multiply_batch(const MatrixProduct<double>&, int64_t, int64_t, int64_t, int64_t);

}  // namespace opwright
