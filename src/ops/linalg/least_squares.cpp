// linalg_lstsq: the X of least |A X - B| by one of LAPACK's drivers: gels (QR, for full ranks),
// gelsy (QR with pivoting), gelsd and gelss (SVD).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kLeastSquares = "linalg_lstsq";

enum class Driver : uint8_t { Gels, Gelsy, Gelsd, Gelss };

Driver driver_of(const std::optional<std::string_view>& name) {
  if (!name || *name == "gelsy") return Driver::Gelsy;
  if (*name == "gels") return Driver::Gels;
  if (*name == "gelsd") return Driver::Gelsd;
  OPWRIGHT_CHECK(*name == "gelss", kLeastSquares,
                 ": driver must be 'gels', 'gelsy', 'gelsd' or 'gelss', got '", *name, "'");
  return Driver::Gelss;
}
bool has_singular_values(Driver driver) {
  return driver == Driver::Gelsd || driver == Driver::Gelss;
}
bool finds_rank(Driver driver) { return driver != Driver::Gels; }

struct LeastSquares {
  Driver driver;
  bool is_vector;  // b has no dimension for several sides
  SymSizes batch;
  SymInt rows, columns, sides;

  SymSizes solution_sizes() const {
    return is_vector ? with_sizes(batch, {columns}) : with_sizes(batch, {columns, sides});
  }
};

LeastSquares read_least_squares(const Tensor& A, const Tensor& b,
                                const std::optional<std::string_view>& driver) {
  check_matrices(kLeastSquares, "self", A);
  check_same_dtype(kLeastSquares, "self", A, "b", b);
  const int64_t difference = A.dim() - b.dim();
  OPWRIGHT_CHECK(b.dim() >= 1 && (difference == 0 || difference == 1), kLeastSquares,
                 ": b must have as many dimensions as self, or one less for vectors, got ", b,
                 " for ", A);
  LeastSquares problem{driver_of(driver), difference == 1, {},
                       A.sym_size(-2),    A.sym_size(-1),  difference == 1 ? 1 : b.sym_size(-1)};
  const SymInt rows = b.sym_size(problem.is_vector ? -1 : -2);
  OPWRIGHT_DEMAND(problem.rows == rows, kLeastSquares, ": self and b do not fit: self has ",
                  problem.rows, " rows, and b has ", rows);
  problem.batch = broadcast_sizes(batch_sizes_of(A), batch_sizes_of(b, problem.is_vector ? 1 : 2),
                                  kLeastSquares);
  return problem;
}

// Calls the driver for matrices of one size. The first call asks how much memory it needs.
template <class T>
class LeastSquaresSolver {
 public:
  LeastSquaresSolver(Driver driver, int64_t m, int64_t n, int64_t sides, double rcond)
      : driver_(driver),
        m_(m),
        n_(n),
        sides_(sides),
        larger_(std::max(m, n)),
        rcond_(static_cast<Real<T>>(rcond)),
        routine_(find_lapack<T>(name_of(driver))),
        pivots_(static_cast<size_t>(n)),
        work_(1),
        real_work_(static_cast<size_t>(std::max<int64_t>(2 * n, 5 * std::min(m, n)))),
        int_work_(1) {
    std::vector<T> a(1);
    Real<T> values{};
    int64_t rank = 0;
    length_ = -1;
    call(a.data(), a.data(), &values, rank);
    length_ = std::max({int64_t{1}, m + n + 1, static_cast<int64_t>(real_number(work_[0]))});
    work_.resize(static_cast<size_t>(length_));
    if (driver == Driver::Gelsd) {
      const auto reals = static_cast<size_t>(std::max<Real<T>>(real_work_[0], 1));
      real_work_.resize(std::max(real_work_.size(), reals));
      int_work_.resize(static_cast<size_t>(std::max<int64_t>(1, lapack_int(int_work_[0]))));
    }
  }

  // Overwrites b with the solution in its first rows. Returns info.
  int64_t solve(T* a, T* b, Real<T>* values, int64_t& rank) {
    std::fill(pivots_.begin(), pivots_.end(), 0);
    const int64_t info = call(a, b, values, rank);
    rank = lapack_int(rank);
    return info;
  }

 private:
  static const char* name_of(Driver driver) {
    switch (driver) {
      case Driver::Gels:
        return "gels";
      case Driver::Gelsy:
        return "gelsy";
      case Driver::Gelsd:
        return "gelsd";
      default:
        return "gelss";
    }
  }

  int64_t call(T* a, T* b, Real<T>* values, int64_t& rank) {
    int64_t info = 0;
    T* work = work_.data();
    Real<T>* real_work = real_work_.data();
    int64_t* int_work = int_work_.data();
    switch (driver_) {
      case Driver::Gels:
        routine_("N", &m_, &n_, &sides_, a, &m_, b, &larger_, work, &length_, &info);
        break;
      case Driver::Gelsy:
        if constexpr (kIsComplex<T>)
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, pivots_.data(), &rcond_, &rank, work,
                   &length_, real_work, &info);
        else
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, pivots_.data(), &rcond_, &rank, work,
                   &length_, &info);
        break;
      case Driver::Gelsd:
        if constexpr (kIsComplex<T>)
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, values, &rcond_, &rank, work, &length_,
                   real_work, int_work, &info);
        else
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, values, &rcond_, &rank, work, &length_,
                   int_work, &info);
        break;
      case Driver::Gelss:
        if constexpr (kIsComplex<T>)
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, values, &rcond_, &rank, work, &length_,
                   real_work, &info);
        else
          routine_(&m_, &n_, &sides_, a, &m_, b, &larger_, values, &rcond_, &rank, work, &length_,
                   &info);
        break;
    }
    return lapack_int(info);
  }

  Driver driver_;
  int64_t m_, n_, sides_, larger_;
  Real<T> rcond_;
  LapackRoutine routine_;
  std::vector<int64_t> pivots_;
  std::vector<T> work_;
  std::vector<Real<T>> real_work_;
  std::vector<int64_t> int_work_;
  int64_t length_ = -1;
};

struct LeastSquaresResults {
  Tensor sides;  // of max(rows, columns): the solutions, and below them what they do not reach
  Tensor info, rank, singular_values;
};

template <class T>
void solve_least_squares(Driver driver, double rcond, const Tensor& A,
                         const LeastSquaresResults& results) {
  const int64_t m = A.size(-2);
  const int64_t n = A.size(-1);
  const int64_t larger = results.sides.size(-2);
  const int64_t columns = results.sides.size(-1);
  const int64_t smaller = std::min(m, n);
  auto* infos = results.info.mutable_data<int32_t>();
  auto* ranks = finds_rank(driver) ? results.rank.mutable_data<int64_t>() : nullptr;
  std::fill(infos, infos + results.info.numel(), 0);
  if (ranks) std::fill(ranks, ranks + results.rank.numel(), 0);
  if (A.numel() == 0) return;
  T* matrices = A.mutable_data<T>();
  T* sides = results.sides.mutable_data<T>();
  Real<T>* values =
      has_singular_values(driver) ? results.singular_values.mutable_data<Real<T>>() : nullptr;
  for_each_matrix(results.info.numel(), m * n * smaller, [&](int64_t begin, int64_t end) {
    // Without right-hand sides there still are ranks and singular values.
    std::vector<T> none(static_cast<size_t>(columns == 0 ? larger : 0));
    LeastSquaresSolver<T> solver(driver, m, n, std::max<int64_t>(columns, 1), rcond);
    for (int64_t i = begin; i < end; ++i) {
      int64_t rank = 0;
      T* side = columns == 0 ? none.data() : sides + i * larger * columns;
      infos[i] = static_cast<int32_t>(
          solver.solve(matrices + i * m * n, side, values ? values + i * smaller : nullptr, rank));
      if (ranks) ranks[i] = rank;
    }
  });
}

// The sums of the squares of the last rows.
template <class T>
void sum_squares(const Tensor& sides, int64_t first, const Tensor& residuals) {
  const int64_t rows = sides.size(-2);
  const T* in = sides.data<T>();
  auto* out = residuals.mutable_data<Real<T>>();
  for (int64_t i = 0; i < residuals.numel(); ++i, in += rows) {
    double sum = 0;
    for (int64_t row = first; row < rows; ++row) {
      if constexpr (kIsComplex<T>)
        sum += static_cast<double>(in[row].real) * static_cast<double>(in[row].real) +
               static_cast<double>(in[row].imag) * static_cast<double>(in[row].imag);
      else
        sum += static_cast<double>(in[row]) * static_cast<double>(in[row]);
    }
    out[i] = static_cast<Real<T>>(sum);
  }
}

Tensor first_rows_of(const Tensor& matrices, int64_t rows) {
  return make_view(matrices, slice_geometry(geometry_of(matrices), -2, int64_t{0}, rows, int64_t{1},
                                            kLeastSquares));
}

bool have_full_rank(const Tensor& rank, int64_t columns) {
  const auto* ranks = rank.data<int64_t>();
  return std::all_of(ranks, ranks + rank.numel(), [&](int64_t each) { return each == columns; });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq_cpu(
    const Tensor& self, const Tensor& b, const std::optional<double>& rcond,
    const std::optional<std::string_view>& driver) {
  const LeastSquares problem = read_least_squares(self, b, driver);
  const int64_t m = self.size(-2);
  const int64_t n = self.size(-1);
  const int64_t larger = std::max(m, n);
  const DType dtype = self.dtype();
  const DType real = real_dtype(dtype);
  const SymSizes none{SymInt(0)};
  const Tensor A = copy_column_major(self, with_sizes(problem.batch, {m, n}));
  LeastSquaresResults results{
      make_column_major(with_sizes(problem.batch, {larger, problem.sides}), dtype),
      make_rows(problem.batch, DType::Int32),
      make_rows(finds_rank(problem.driver) ? problem.batch : none, DType::Int64),
      make_rows(
          has_singular_values(problem.driver) ? with_sizes(problem.batch, {std::min(m, n)}) : none,
          real)};
  const Tensor columns =
      problem.is_vector ? make_view(b, unsqueeze_geometry(geometry_of(b), -1, kLeastSquares)) : b;
  copy_elements(first_rows_of(results.sides, m), columns);
  const double standard = (real == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon()) *
                          static_cast<double>(larger);
  for_lapack_dtype(dtype, kLeastSquares, [&]<typename T>() {
    if (A.numel() == 0 && n != 0) {
      T* sides = results.sides.mutable_data<T>();
      std::fill(sides, sides + results.sides.numel(), T(0));
    }
    solve_least_squares<T>(problem.driver, rcond.value_or(standard), A, results);
  });
  check_info(kLeastSquares, results.info, [&](int32_t info) {
    return problem.driver == Driver::Gels
               ? concatenate("the input matrix does not have full rank (error code: ", info,
                             "); use the driver 'gelsy', 'gelsd' or 'gelss'")
               : concatenate("the SVD did not converge (error code: ", info, ")");
  });
  const bool has_residuals = m > n && problem.driver != Driver::Gelsy &&
                             (problem.driver == Driver::Gels || have_full_rank(results.rank, n));
  const Tensor residuals =
      make_rows(has_residuals ? with_sizes(problem.batch, {problem.sides}) : none, real);
  if (has_residuals) {
    for_lapack_dtype(dtype, kLeastSquares,
                     [&]<typename T>() { sum_squares<T>(results.sides, n, residuals); });
  }
  Tensor found = first_rows_of(results.sides, n);
  if (problem.is_vector)
    found = make_view(found, select_geometry(geometry_of(found), -1, int64_t{0}, kLeastSquares));
  Tensor solution = problem.is_vector ? make_rows(problem.solution_sizes(), dtype)
                                      : make_column_major(problem.solution_sizes(), dtype);
  copy_elements(solution, found);
  return {std::move(solution), residuals, std::move(results.rank),
          std::move(results.singular_values)};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor, FakeTensor> linalg_lstsq_fake(
    const FakeTensor& self, const FakeTensor& b, const std::optional<double>& /*rcond*/,
    const std::optional<std::string_view>& driver) {
  const LeastSquares problem = read_least_squares(as_tensor(self), as_tensor(b), driver);
  const SymSizes none{SymInt(0)};
  const DType real = real_dtype(self.dtype());
  const bool may_have_residuals =
      problem.driver != Driver::Gelsy && guard_or_true(problem.rows > problem.columns);
  OPWRIGHT_CHECK(
      !may_have_residuals || problem.driver == Driver::Gels, kLeastSquares,
      ": the drivers gelsd and gelss have residuals only if all matrices have full rank, "
      "which a tensor without data does not show; use the driver 'gels' or 'gelsy'");
  const SymSizes sizes = problem.solution_sizes();
  return {problem.is_vector ? make_fake_like(self, sizes, self.dtype())
                            : make_fake_column_major(self, sizes, self.dtype()),
          make_fake_like(
              self, may_have_residuals ? with_sizes(problem.batch, {problem.sides}) : none, real),
          make_fake_like(self, finds_rank(problem.driver) ? problem.batch : none, DType::Int64),
          make_fake_like(self,
                         has_singular_values(problem.driver)
                             ? with_sizes(problem.batch, {sym_min(problem.rows, problem.columns)})
                             : none,
                         real)};
}

}  // namespace opwright
