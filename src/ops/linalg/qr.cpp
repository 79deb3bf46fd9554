// QR factorizations: linalg_qr and geqrf.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

struct QrSizes {
  bool has_q;
  SymSizes q, r;
};

QrSizes qr_sizes(const Tensor& A, std::string_view mode) {
  constexpr const char* kWho = "linalg_qr";
  check_matrices(kWho, "A", A);
  OPWRIGHT_CHECK(mode == "reduced" || mode == "complete" || mode == "r", kWho,
                 ": mode must be 'reduced', 'complete' or 'r', got '", mode, "'");
  const SymSizes batch = batch_sizes_of(A);
  const SymInt m = A.sym_size(-2);
  const SymInt n = A.sym_size(-1);
  const SymInt columns = mode == "complete" ? m : sym_min(m, n);
  const bool has_q = mode != "r";
  return {has_q, has_q ? with_sizes(batch, {m, columns}) : SymSizes{SymInt(0)},
          with_sizes(batch, {columns, n})};
}

// The workspace that LAPACK asks for by a call with a length of -1.
template <class T>
int64_t workspace_of(T best, int64_t least) {
  return std::max({int64_t{1}, least, static_cast<int64_t>(real_number(best))});
}

// Replaces column-major matrices by Householder vectors below R.
template <class T>
void reflect_matrices(const Tensor& a, const Tensor& tau) {
  int64_t m = a.size(-2);
  int64_t n = a.size(-1);
  if (a.numel() == 0) return;
  const int64_t k = std::min(m, n);
  const LapackRoutine geqrf = find_lapack<T>("geqrf");
  T* matrices = a.mutable_data<T>();
  T* scales = tau.mutable_data<T>();
  T best{};
  int64_t query = -1;
  int64_t outcome = 0;
  geqrf(&m, &n, matrices, &m, scales, &best, &query, &outcome);
  const int64_t length = workspace_of(best, n);
  for_each_matrix(count_matrices(a), m * n * k, [&](int64_t begin, int64_t end) {
    std::vector<T> work(static_cast<size_t>(length));
    int64_t room = length;
    int64_t info = 0;
    for (int64_t i = begin; i < end; ++i)
      geqrf(&m, &n, matrices + i * m * n, &m, scales + i * k, work.data(), &room, &info);
  });
}

// Replaces Householder vectors by the columns of their product.
template <class T>
void multiply_reflections(const Tensor& q, const Tensor& tau) {
  int64_t m = q.size(-2);
  int64_t n = q.size(-1);
  int64_t k = tau.size(-1);
  if (q.numel() == 0) return;
  const LapackRoutine orgqr = find_lapack<T>(kIsComplex<T> ? "ungqr" : "orgqr");
  T* matrices = q.mutable_data<T>();
  const T* scales = tau.data<T>();
  T best{};
  int64_t query = -1;
  int64_t outcome = 0;
  orgqr(&m, &n, &k, matrices, &m, scales, &best, &query, &outcome);
  const int64_t length = workspace_of(best, n);
  for_each_matrix(count_matrices(q), m * n * n, [&](int64_t begin, int64_t end) {
    std::vector<T> work(static_cast<size_t>(length));
    int64_t room = length;
    int64_t info = 0;
    for (int64_t i = begin; i < end; ++i)
      orgqr(&m, &n, &k, matrices + i * m * n, &m, scales + i * k, work.data(), &room, &info);
  });
}

// The upper triangle of the first rows.
template <class T>
void copy_upper(const Tensor& a, const Tensor& r) {
  const int64_t m = a.size(-2);
  const int64_t n = a.size(-1);
  const int64_t rows = r.size(-2);
  const T* from = a.data<T>();
  T* to = r.mutable_data<T>();
  for (int64_t i = 0; i < count_matrices(r); ++i, from += m * n, to += rows * n) {
    for (int64_t column = 0; column < n; ++column) {
      for (int64_t row = 0; row < rows; ++row)
        to[column * rows + row] = row <= column && row < m ? from[column * m + row] : T(0);
    }
  }
}

// The first columns of the vectors; missing ones are zeros.
template <class T>
void copy_vectors(const Tensor& a, const Tensor& q) {
  const int64_t m = a.size(-2);
  const int64_t n = a.size(-1);
  const int64_t columns = q.size(-1);
  const int64_t shared = m * std::min(n, columns);
  const T* from = a.data<T>();
  T* to = q.mutable_data<T>();
  for (int64_t i = 0; i < count_matrices(q); ++i, from += m * n, to += m * columns) {
    std::copy(from, from + shared, to);
    std::fill(to + shared, to + m * columns, T(0));
  }
}

struct Reflections {
  Tensor a, tau;
};
Reflections reflect(const Tensor& A) {
  const SymSizes tau = with_sizes(batch_sizes_of(A), {sym_min(A.sym_size(-2), A.sym_size(-1))});
  Reflections made{copy_column_major(A), make_rows(tau, A.dtype())};
  for_lapack_dtype(A.dtype(), "QR factorization",
                   [&]<typename T>() { reflect_matrices<T>(made.a, made.tau); });
  return made;
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr_cpu(const Tensor& A, std::string_view mode) {
  const QrSizes sizes = qr_sizes(A, mode);
  const Reflections made = reflect(A);
  Tensor R = make_column_major(sizes.r, A.dtype());
  Tensor Q = sizes.has_q ? make_column_major(sizes.q, A.dtype()) : make_rows(sizes.q, A.dtype());
  for_lapack_dtype(A.dtype(), "linalg_qr", [&]<typename T>() {
    copy_upper<T>(made.a, R);
    if (!sizes.has_q) return;
    copy_vectors<T>(made.a, Q);
    if (made.tau.size(-1) == 0) {  // no reflections: the columns of the identity
      for (int64_t i = 0, m = Q.size(-2); i < Q.numel(); ++i)
        Q.mutable_data<T>()[i] = T(i % (m * m) % (m + 1) == 0 ? 1 : 0);
      return;
    }
    multiply_reflections<T>(Q, made.tau);
  });
  return {std::move(Q), std::move(R)};
}
std::tuple<FakeTensor, FakeTensor> linalg_qr_fake(const FakeTensor& A, std::string_view mode) {
  const QrSizes sizes = qr_sizes(as_tensor(A), mode);
  return {sizes.has_q ? make_fake_column_major(A, sizes.q, A.dtype())
                      : make_fake_like(A, sizes.q, A.dtype()),
          make_fake_column_major(A, sizes.r, A.dtype())};
}

std::tuple<Tensor, Tensor> geqrf_cpu(const Tensor& self) {
  check_matrices("geqrf", "self", self);
  Reflections made = reflect(self);
  return {std::move(made.a), std::move(made.tau)};
}
std::tuple<FakeTensor, FakeTensor> geqrf_fake(const FakeTensor& self) {
  const Tensor& A = as_tensor(self);
  check_matrices("geqrf", "self", A);
  const SymSizes tau = with_sizes(batch_sizes_of(A), {sym_min(A.sym_size(-2), A.sym_size(-1))});
  return {make_fake_column_major(self, sym_geometry_of(A).sizes, self.dtype()),
          make_fake_like(self, tau, self.dtype())};
}

}  // namespace opwright
