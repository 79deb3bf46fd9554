// Eigenvalues and eigenvectors: _linalg_eigh of symmetric and Hermitian matrices, linalg_eig of
// any.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

DType eigen_dtype_of(DType dtype) {
  return real_dtype(dtype) == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

char triangle_of(std::string_view UPLO) {
  const char letter =
      UPLO.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(UPLO[0]))) : '?';
  OPWRIGHT_CHECK_VALUE(letter == 'L' || letter == 'U',
                       "linalg_eigh: UPLO must be 'L' or 'U', got '", UPLO, "'");
  return letter;
}

// Buffers of syevd and heevd; the call with lengths of -1 says how long they must be.
template <class T>
class HermitianSolver {
 public:
  HermitianSolver(int64_t n, char triangle, bool has_vectors)
      : n_(n),
        triangle_(triangle),
        job_(has_vectors ? 'V' : 'N'),
        routine_(find_lapack<T>(kIsComplex<T> ? "heevd" : "syevd")) {
    T best{};
    Real<T> real_best{};
    int64_t int_best = 0;
    int64_t query = -1;
    call(nullptr, nullptr, Space{&best, &query, &real_best, &query, &int_best, &query});
    work_.resize(
        static_cast<size_t>(std::max<int64_t>(1, static_cast<int64_t>(real_number(best)))));
    if constexpr (kIsComplex<T>)
      real_work_.resize(static_cast<size_t>(std::max<int64_t>(1, static_cast<int64_t>(real_best))));
    int_work_.resize(static_cast<size_t>(std::max<int64_t>(1, lapack_int(int_best))));
  }

  // Overwrites the matrix with eigenvectors, if they are wanted. Returns info.
  int64_t solve(T* matrix, Real<T>* values) {
    auto length = static_cast<int64_t>(work_.size());
    auto real_length = static_cast<int64_t>(real_work_.size());
    auto int_length = static_cast<int64_t>(int_work_.size());
    return call(matrix, values,
                Space{work_.data(), &length, real_work_.data(), &real_length, int_work_.data(),
                      &int_length});
  }

 private:
  struct Space {
    T* work;
    int64_t* length;
    Real<T>* real_work;
    int64_t* real_length;
    int64_t* int_work;
    int64_t* int_length;
  };
  int64_t call(T* matrix, Real<T>* values, const Space& space) {
    int64_t info = 0;
    if constexpr (kIsComplex<T>)
      routine_(&job_, &triangle_, &n_, matrix, &n_, values, space.work, space.length,
               space.real_work, space.real_length, space.int_work, space.int_length, &info);
    else
      routine_(&job_, &triangle_, &n_, matrix, &n_, values, space.work, space.length,
               space.int_work, space.int_length, &info);
    return lapack_int(info);
  }

  int64_t n_;
  char triangle_;
  char job_;
  LapackRoutine routine_;
  std::vector<T> work_;
  std::vector<Real<T>> real_work_;
  std::vector<int64_t> int_work_;
};

std::string eigen_problem(int32_t info) { return convergence_problem(info, "eigenvalues"); }

// The result of geev, as complex numbers. For real matrices, a pair of conjugate eigenvalues has
// the parts of one vector in two columns.
template <class T>
class GeneralSolver {
 public:
  using Out = Complex<Real<T>>;

  GeneralSolver(int64_t n, bool has_vectors)
      : n_(n),
        job_(has_vectors ? 'V' : 'N'),
        routine_(find_lapack<T>("geev")),
        real_work_(static_cast<size_t>(2 * n)),
        vectors_(static_cast<size_t>(has_vectors ? n * n : 1)) {
    T best{};
    int64_t query = -1;
    call(nullptr, &best, &query, nullptr);
    work_.resize(static_cast<size_t>(std::max(2 * n, static_cast<int64_t>(real_number(best)))));
  }

  // Returns info.
  int64_t solve(const T* matrix, Out* values, Out* vectors) {
    if (!is_finite_matrix(matrix, n_ * n_)) return kNotFinite;
    std::vector<T> copy(matrix, matrix + n_ * n_);
    auto length = static_cast<int64_t>(work_.size());
    const int64_t info = call(copy.data(), work_.data(), &length, values);
    if constexpr (!kIsComplex<T>) {
      for (int64_t k = 0; k < n_; ++k) values[k] = {real_at(k), real_at(n_ + k)};
    }
    if (vectors && info == 0) store_vectors(values, vectors);
    return info;
  }

 private:
  T real_at(int64_t k) const { return real_work_[static_cast<size_t>(k)]; }

  int64_t call(T* matrix, T* work, int64_t* length, Out* values) {
    int64_t info = 0;
    int64_t left = 1;
    const char* none = "N";
    T* right = vectors_.data();
    if constexpr (kIsComplex<T>)
      routine_(none, &job_, &n_, matrix, &n_, values, static_cast<T*>(nullptr), &left, right, &n_,
               work, length, real_work_.data(), &info);
    else
      routine_(none, &job_, &n_, matrix, &n_, real_work_.data(), real_work_.data() + n_,
               static_cast<T*>(nullptr), &left, right, &n_, work, length, &info);
    return lapack_int(info);
  }

  void store_vectors(const Out* values, Out* vectors) const {
    const T* from = vectors_.data();
    for (int64_t k = 0; k < n_; ++k) {
      for (int64_t row = 0; row < n_; ++row) {
        Out& to = vectors[k * n_ + row];
        if constexpr (kIsComplex<T>) {
          to = from[k * n_ + row];
        } else if (values[k].imag == 0 || n_ == 1) {
          to = Out(from[k * n_ + row]);
        } else {
          const bool is_first = values[k].imag > 0;
          // Inside even if the eigenvalues are NaN.
          const int64_t first = std::clamp<int64_t>(is_first ? k : k - 1, 0, n_ - 2);
          const T imag = from[(first + 1) * n_ + row];
          to = {from[first * n_ + row], is_first ? imag : -imag};
        }
      }
    }
  }

  int64_t n_;
  char job_;
  LapackRoutine routine_;
  std::vector<Real<T>> real_work_;
  std::vector<T> vectors_;
  std::vector<T> work_;
};

void solve_general(const char* who, const Tensor& A, const Tensor& values, const Tensor& vectors) {
  const int64_t n = A.size(-1);
  if (A.numel() == 0) return;
  const Tensor matrices = copy_column_major(A);
  const Tensor info = make_rows(batch_sizes_of(A), DType::Int32);
  for_lapack_dtype(A.dtype(), who, [&]<typename T>() {
    using Out = Complex<Real<T>>;
    for_each_matrix(count_matrices(A), 25 * n * n * n, [&](int64_t begin, int64_t end) {
      GeneralSolver<T> solver(n, vectors.is_defined());
      for (int64_t i = begin; i < end; ++i) {
        Out* columns = vectors.is_defined() ? vectors.mutable_data<Out>() + i * n * n : nullptr;
        info.mutable_data<int32_t>()[i] = static_cast<int32_t>(solver.solve(
            matrices.data<T>() + i * n * n, values.mutable_data<Out>() + i * n, columns));
      }
    });
  });
  check_info(who, info, eigen_problem);
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_eigh_cpu(const Tensor& A, std::string_view UPLO, bool compute_v) {
  constexpr const char* kWho = "linalg_eigh";
  check_square_matrices(kWho, "A", A);
  const char triangle = triangle_of(UPLO);
  const int64_t n = A.size(-1);
  Tensor values = make_rows(batch_sizes_of(A, 1), real_dtype(A.dtype()));
  Tensor vectors = copy_column_major(A);
  const Tensor info = make_rows(batch_sizes_of(A), DType::Int32);
  if (A.numel() != 0) {
    for_lapack_dtype(A.dtype(), kWho, [&]<typename T>() {
      for_each_matrix(info.numel(), 10 * n * n * n, [&](int64_t begin, int64_t end) {
        HermitianSolver<T> solver(n, triangle, compute_v);
        for (int64_t i = begin; i < end; ++i)
          info.mutable_data<int32_t>()[i] = static_cast<int32_t>(solver.solve(
              vectors.mutable_data<T>() + i * n * n, values.mutable_data<Real<T>>() + i * n));
      });
    });
    check_info(kWho, info, eigen_problem);
  }
  if (!compute_v) vectors = make_empty(Sizes{0}, A.dtype());
  return {std::move(values), std::move(vectors)};
}
std::tuple<FakeTensor, FakeTensor> linalg_eigh_fake(const FakeTensor& A, std::string_view UPLO,
                                                    bool compute_v) {
  const Tensor& tensor = as_tensor(A);
  check_square_matrices("linalg_eigh", "A", tensor);
  (void)triangle_of(UPLO);
  const SymSizes none{SymInt(0)};
  return {make_fake_like(A, batch_sizes_of(tensor, 1), real_dtype(A.dtype())),
          compute_v ? make_fake_column_major(A, sym_geometry_of(tensor).sizes, A.dtype())
                    : make_fake_like(A, none, A.dtype())};
}

std::tuple<Tensor, Tensor> linalg_eig_cpu(const Tensor& self) {
  constexpr const char* kWho = "linalg_eig";
  check_square_matrices(kWho, "self", self);
  const DType dtype = eigen_dtype_of(self.dtype());
  Tensor values = make_rows(batch_sizes_of(self, 1), dtype);
  Tensor vectors = make_column_major(sym_geometry_of(self).sizes, dtype);
  solve_general(kWho, self, values, vectors);
  return {std::move(values), std::move(vectors)};
}
std::tuple<FakeTensor, FakeTensor> linalg_eig_fake(const FakeTensor& self) {
  const Tensor& tensor = as_tensor(self);
  check_square_matrices("linalg_eig", "self", tensor);
  const DType dtype = eigen_dtype_of(self.dtype());
  return {make_fake_like(self, batch_sizes_of(tensor, 1), dtype),
          make_fake_column_major(self, sym_geometry_of(tensor).sizes, dtype)};
}

Tensor linalg_eigvals_cpu(const Tensor& self) {
  constexpr const char* kWho = "linalg_eigvals";
  check_square_matrices(kWho, "self", self);
  Tensor values = make_rows(batch_sizes_of(self, 1), eigen_dtype_of(self.dtype()));
  solve_general(kWho, self, values, Tensor());
  return values;
}
FakeTensor linalg_eigvals_fake(const FakeTensor& self) {
  check_square_matrices("linalg_eigvals", "self", as_tensor(self));
  return make_fake_like(self, batch_sizes_of(as_tensor(self), 1), eigen_dtype_of(self.dtype()));
}

}  // namespace opwright
