#include "opwright/ops/linalg/matrix_batch.h"

#include <cstddef>
#include <utility>

#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

SymSizes column_major_strides(std::span<const SymInt> sizes) {
  SymSizes swapped(sizes);
  const size_t ndim = swapped.size();
  std::swap(swapped[ndim - 1], swapped[ndim - 2]);
  SymSizes strides = contiguous_strides(swapped);
  std::swap(strides[ndim - 1], strides[ndim - 2]);
  return strides;
}

}  // namespace

void check_lapack_dtype(const char* who, DType dtype) {
  for_lapack_dtype(dtype, who, []<typename T>() {});
}

void check_matrices(const char* who, const char* name, const Tensor& tensor) {
  OPWRIGHT_CHECK(tensor.dim() >= 2, who, ": ", name, " must have at least 2 dimensions, got ",
                 tensor.dim());
  check_lapack_dtype(who, tensor.dtype());
}

void check_square_matrices(const char* who, const char* name, const Tensor& tensor) {
  check_matrices(who, name, tensor);
  const SymInt rows = tensor.sym_size(-2);
  const SymInt columns = tensor.sym_size(-1);
  OPWRIGHT_DEMAND(rows == columns, who, ": ", name, " must be batches of square matrices, got ",
                  rows, " by ", columns, " matrices");
}

void check_same_dtype(const char* who, const char* name, const Tensor& tensor,
                      const char* other_name, const Tensor& other) {
  OPWRIGHT_CHECK(tensor.dtype() == other.dtype(), who, ": ", name, " and ", other_name,
                 " must have the same dtype, got ", tensor.dtype(), " and ", other.dtype());
}

SymSizes batch_sizes_of(const Tensor& tensor, int64_t drop) {
  SymSizes sizes;
  for (int64_t i = 0; i < tensor.dim() - drop; ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

Sizes plain_sizes(std::span<const SymInt> sizes) {
  Sizes plain;
  for (const SymInt& size : sizes) plain.push_back(size.specialise());
  return plain;
}

SymSizes with_sizes(SymSizes batch, std::initializer_list<SymInt> sizes) {
  for (const SymInt& size : sizes) batch.push_back(size);
  return batch;
}

Tensor make_column_major(std::span<const SymInt> sizes, DType dtype) {
  return make_empty_strided(plain_sizes(sizes), plain_sizes(column_major_strides(sizes)), dtype);
}
FakeTensor make_fake_column_major(const FakeTensor& like, std::span<const SymInt> sizes,
                                  DType dtype) {
  return make_fake_like(like, sizes, column_major_strides(sizes), dtype);
}
Tensor copy_column_major(const Tensor& tensor) {
  return copy_column_major(tensor, sym_geometry_of(tensor).sizes);
}
Tensor copy_column_major(const Tensor& tensor, std::span<const SymInt> sizes) {
  const Tensor copy = make_column_major(sizes, tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}
Tensor make_rows(std::span<const SymInt> sizes, DType dtype) {
  return make_empty(plain_sizes(sizes), dtype);
}

int64_t count_matrices(const Tensor& tensor, int64_t drop) {
  return product(tensor.sizes().first(static_cast<size_t>(tensor.dim() - drop)));
}

std::vector<int64_t> broadcast_places(std::span<const SymInt> from, std::span<const SymInt> to) {
  const Sizes own = plain_sizes(from);
  const Sizes all = plain_sizes(to);
  const Sizes strides = contiguous_strides(own);
  const size_t missing = all.size() - own.size();
  std::vector<int64_t> places(static_cast<size_t>(product(all)));
  for (size_t i = 0; i < places.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    for (size_t dim = all.size(); dim-- > 0;) {
      if (dim >= missing && own[dim - missing] != 1)
        places[i] += rest % all[dim] * strides[dim - missing];
      rest /= all[dim];
    }
  }
  return places;
}

std::vector<int64_t> read_pivots(const char* who, const char* name, const Tensor& pivots,
                                 int64_t rows, PivotKind kind) {
  const Tensor dense = as_contiguous(pivots);
  const auto* values = dense.data<int32_t>();
  std::vector<int64_t> numbers(static_cast<size_t>(dense.numel()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = values[i];
    const bool is_negative = kind == PivotKind::SignedRows && numbers[i] < 0;
    const int64_t row = is_negative ? -numbers[i] : numbers[i];
    OPWRIGHT_CHECK(
        row >= 1 && row <= rows, who, ": ", name, " must be between 1 and ", rows,
        kind == PivotKind::SignedRows ? concatenate(" or between -", rows, " and -1") : "",
        ", got ", numbers[i]);
  }
  return numbers;
}

std::string convergence_problem(int32_t info, const char* values) {
  if (info == kNotFinite)
    return "the algorithm failed to converge because the input matrix contained non-finite values";
  return concatenate(
      "the algorithm failed to converge because the input matrix is ill-conditioned or has too "
      "many repeated ",
      values, " (error code: ", info, ")");
}

void throw_matrix_error(const char* who, const Tensor& info, int64_t place,
                        const std::string& problem) {
  const std::string where = info.dim() == 0 ? "" : concatenate("(Batch element ", place, "): ");
  throw_error("LinAlgError", who, ": ", where, problem);
}

}  // namespace opwright
