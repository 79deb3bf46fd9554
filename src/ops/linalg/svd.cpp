// _linalg_svd, by LAPACK's divide and conquer (gesdd).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"

namespace opwright {
namespace {

constexpr const char* kSvd = "linalg_svd";

struct SvdSizes {
  SymSizes u, s, vh;
};
SvdSizes svd_sizes(const Tensor& A, bool full_matrices, bool compute_uv,
                   const std::optional<std::string_view>& driver) {
  check_matrices(kSvd, "A", A);
  OPWRIGHT_CHECK(!driver, kSvd, ": driver is only for CUDA tensors, got '", driver.value_or(""),
                 "' for a tensor on the CPU");
  const SymSizes batch = batch_sizes_of(A);
  const SymInt m = A.sym_size(-2);
  const SymInt n = A.sym_size(-1);
  const SymInt k = sym_min(m, n);
  if (!compute_uv) return {{SymInt(0)}, with_sizes(batch, {k}), {SymInt(0)}};
  return {with_sizes(batch, {m, full_matrices ? m : k}), with_sizes(batch, {k}),
          with_sizes(batch, {full_matrices ? n : k, n})};
}

// Buffers of gesdd for matrices of m by n.
template <class T>
class SvdSolver {
 public:
  SvdSolver(int64_t m, int64_t n, char job)
      : m_(m),
        n_(n),
        vh_rows_(job == 'A' ? n : std::min(m, n)),
        job_(job),
        routine_(find_lapack<T>("gesdd")),
        int_work_(static_cast<size_t>(8 * std::min(m, n))) {
    const int64_t small = std::min(m, n);
    const int64_t large = std::max(m, n);
    if constexpr (kIsComplex<T>)
      real_work_.resize(static_cast<size_t>(
          job == 'N' ? 7 * small : small * std::max(5 * small + 7, 2 * large + 2 * small + 1)));
    T best{};
    int64_t query = -1;
    call(nullptr, nullptr, nullptr, nullptr, &best, &query);
    work_.resize(
        static_cast<size_t>(std::max<int64_t>(1, static_cast<int64_t>(real_number(best)))));
  }

  // Overwrites the matrix. Returns info.
  int64_t solve(T* matrix, T* u, Real<T>* s, T* vh) {
    auto length = static_cast<int64_t>(work_.size());
    return call(matrix, u, s, vh, work_.data(), &length);
  }

 private:
  int64_t call(T* matrix, T* u, Real<T>* s, T* vh, T* work, int64_t* length) {
    int64_t info = 0;
    if constexpr (kIsComplex<T>)
      routine_(&job_, &m_, &n_, matrix, &m_, s, u, &m_, vh, &vh_rows_, work, length,
               real_work_.data(), int_work_.data(), &info);
    else
      routine_(&job_, &m_, &n_, matrix, &m_, s, u, &m_, vh, &vh_rows_, work, length,
               int_work_.data(), &info);
    return lapack_int(info);
  }

  int64_t m_;
  int64_t n_;
  int64_t vh_rows_;
  char job_;
  LapackRoutine routine_;
  std::vector<int64_t> int_work_;
  std::vector<Real<T>> real_work_;
  std::vector<T> work_;
};

struct Decomposition {
  Tensor u, s, vh;
};

template <class T>
void decompose_matrices(const Tensor& matrices, const Tensor& info, const Decomposition& to,
                        char job) {
  const int64_t m = matrices.size(-2);
  const int64_t n = matrices.size(-1);
  const int64_t k = std::min(m, n);
  const int64_t u_size = job == 'N' ? 0 : m * to.u.size(-1);
  const int64_t vh_size = job == 'N' ? 0 : n * to.vh.size(-2);
  for_each_matrix(info.numel(), 20 * m * n * k, [&](int64_t begin, int64_t end) {
    SvdSolver<T> solver(m, n, job);
    for (int64_t i = begin; i < end; ++i) {
      T* matrix = matrices.mutable_data<T>() + i * m * n;
      const bool is_finite = is_finite_matrix(matrix, m * n);
      info.mutable_data<int32_t>()[i] =
          is_finite ? static_cast<int32_t>(solver.solve(matrix, to.u.mutable_data<T>() + i * u_size,
                                                        to.s.mutable_data<Real<T>>() + i * k,
                                                        to.vh.mutable_data<T>() + i * vh_size))
                    : kNotFinite;
    }
  });
}

// Without elements there is nothing to decompose, but full matrices are identities.
template <class T>
void set_identity(const Tensor& tensor) {
  if (tensor.numel() == 0) return;
  const int64_t n = tensor.size(-1);
  T* numbers = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.numel(); ++i) numbers[i] = T(i % (n * n) % (n + 1) == 0 ? 1 : 0);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_svd_cpu(const Tensor& A, bool full_matrices,
                                                  bool compute_uv,
                                                  const std::optional<std::string_view>& driver) {
  const SvdSizes sizes = svd_sizes(A, full_matrices, compute_uv, driver);
  const auto make = [&](const SymSizes& each) {
    return compute_uv ? make_column_major(each, A.dtype()) : make_rows(each, A.dtype());
  };
  Decomposition made{make(sizes.u), make_rows(sizes.s, real_dtype(A.dtype())), make(sizes.vh)};
  for_lapack_dtype(A.dtype(), kSvd, [&]<typename T>() {
    if (A.numel() == 0) {
      if (compute_uv) {
        set_identity<T>(made.u);
        set_identity<T>(made.vh);
      }
      return;
    }
    const Tensor info = make_rows(batch_sizes_of(A), DType::Int32);
    decompose_matrices<T>(copy_column_major(A), info, made,
                          !compute_uv     ? 'N'
                          : full_matrices ? 'A'
                                          : 'S');
    check_info(kSvd, info,
               [](int32_t code) { return convergence_problem(code, "singular values"); });
  });
  return {std::move(made.u), std::move(made.s), std::move(made.vh)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor> linalg_svd_fake(
    const FakeTensor& A, bool full_matrices, bool compute_uv,
    const std::optional<std::string_view>& driver) {
  const SvdSizes sizes = svd_sizes(as_tensor(A), full_matrices, compute_uv, driver);
  const auto make = [&](const SymSizes& each) {
    return compute_uv ? make_fake_column_major(A, each, A.dtype())
                      : make_fake_like(A, each, A.dtype());
  };
  return {make(sizes.u), make_fake_like(A, sizes.s, real_dtype(A.dtype())), make(sizes.vh)};
}

}  // namespace opwright
