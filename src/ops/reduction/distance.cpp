// _cdist_forward and _pdist_forward: the p-norms of differences of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kDistanceGrain = 16384;  // elements

void check_call(const char* who, const char* name, DType dtype, double p) {
  OPWRIGHT_CHECK_TYPE(dtype == DType::Float32 || dtype == DType::Float64, who, ": ", name,
                      " must be of float32 or float64, got ", dtype);
  OPWRIGHT_CHECK_VALUE(p >= 0, who, ": p must not be negative, got ", p);
}

// Sums use one part per vector lane, so that they need no fixed order.
constexpr int64_t kDistanceLanes = 16;

template <class C, class Add>
OPWRIGHT_INLINE C fold(const C* a, const C* b, int64_t count, const Add& add) {
  C parts[kDistanceLanes] = {};
  int64_t i = 0;
  for (; i + kDistanceLanes <= count; i += kDistanceLanes)
    for (int64_t k = 0; k < kDistanceLanes; ++k)
      parts[k] = add(parts[k], std::abs(a[i + k] - b[i + k]));
  for (; i < count; ++i) parts[0] = add(parts[0], std::abs(a[i] - b[i]));
  return parts[0] + ((parts[1] + parts[2]) + (parts[3] + parts[4])) +
         ((parts[5] + parts[6]) + (parts[7] + parts[8])) +
         ((parts[9] + parts[10]) + (parts[11] + parts[12])) + ((parts[13] + parts[14]) + parts[15]);
}

template <class C>
struct Distance {
  OPWRIGHT_INLINE static void run(C* result, const C* a, const C* b, int64_t count, double p) {
    if (p == 0) {
      *result = fold(a, b, count, [](C sum, C x) { return sum + (x != C{0} ? C{1} : C{0}); });
    } else if (p == 1) {
      *result = fold(a, b, count, [](C sum, C x) { return sum + x; });
    } else if (p == 2) {
      *result = std::sqrt(fold(a, b, count, [](C sum, C x) { return sum + x * x; }));
    } else if (std::isinf(p)) {
      C largest{};
      for (int64_t i = 0; i < count; ++i) {
        const C x = std::abs(a[i] - b[i]);
        largest = x > largest || x != x ? x : largest;
      }
      *result = largest;
    } else {
      const auto power = static_cast<C>(p);
      C sum{};
      for (int64_t i = 0; i < count; ++i) sum += std::pow(std::abs(a[i] - b[i]), power);
      *result = std::pow(sum, C{1} / power);
    }
  }
};

// [..., rows of x1, rows of x2]
SymSizes cdist_sizes(const Tensor& x1, const Tensor& x2, double p,
                     const std::optional<int64_t>& compute_mode) {
  constexpr const char* kWho = "_cdist_forward";
  check_call(kWho, "x1", x1.dtype(), p);
  check_call(kWho, "x2", x2.dtype(), p);
  OPWRIGHT_CHECK_TYPE(x1.dtype() == x2.dtype(), kWho, ": x1 of ", x1.dtype(), " and x2 of ",
                      x2.dtype(), " must have one dtype");
  const int64_t mode = compute_mode.value_or(0);
  OPWRIGHT_CHECK_VALUE(mode >= 0 && mode <= 2, kWho, ": compute_mode must be 0, 1 or 2, got ",
                       mode);
  const SymSizes a = sym_geometry_of(x1).sizes;
  const SymSizes b = sym_geometry_of(x2).sizes;
  OPWRIGHT_CHECK(a.size() >= 2 && b.size() >= 2, kWho,
                 ": x1 and x2 must have rows and columns, got sizes ", to_text(a), " and ",
                 to_text(b));
  check(a.back() == b.back(),
        concatenate(kWho, ": x1 and x2 must have the same number of columns, got sizes ",
                    to_text(a), " and ", to_text(b)));
  SymSizes sizes =
      broadcast_sizes(std::span(a).first(a.size() - 2), std::span(b).first(b.size() - 2), kWho);
  sizes.push_back(a[a.size() - 2]);
  sizes.push_back(b[b.size() - 2]);
  return sizes;
}

SymInt pdist_size(const Tensor& self, double p) {
  constexpr const char* kWho = "_pdist_forward";
  check_call(kWho, "self", self.dtype(), p);
  OPWRIGHT_CHECK(self.dim() == 2, kWho, ": self must have two dimensions, got sizes ",
                 to_text(sym_geometry_of(self).sizes));
  const SymInt rows = self.sym_size(0);
  return rows * (rows - 1) / 2;
}

// Rows as [batch..., rows, columns], dense.
Tensor expand_batch(const Tensor& x, std::span<const int64_t> batch) {
  Sizes sizes(batch);
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  const Geometry geometry = expand_geometry<int64_t>(geometry_of(x), sizes, "_cdist_forward");
  return as_contiguous(make_view(x, geometry));
}

}  // namespace

Tensor cdist_cpu(const Tensor& x1, const Tensor& x2, double p,
                 const std::optional<int64_t>& compute_mode) {
  Sizes sizes;
  for (const SymInt& size : cdist_sizes(x1, x2, p, compute_mode))
    sizes.push_back(size.specialise());
  Tensor result = make_empty(sizes, x1.dtype());
  if (result.numel() == 0) return result;
  const std::span<const int64_t> batch = std::span(sizes).first(sizes.size() - 2);
  const Tensor a = expand_batch(x1, batch);
  const Tensor b = expand_batch(x2, batch);
  const int64_t rows = x1.size(-2);
  const int64_t others = x2.size(-2);
  const int64_t columns = x1.size(-1);
  for_floating_dtype(x1.dtype(), "_cdist_forward", [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>) {
      const C* from = columns == 0 ? nullptr : a.data<C>();
      const C* to = columns == 0 ? nullptr : b.data<C>();
      C* out = result.mutable_data<C>();
      const int64_t grain = std::max<int64_t>(1, kDistanceGrain / (others * (columns + 1)));
      parallel_for(result.numel() / others, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const C* first = to + i / rows * others * columns;
          for (int64_t j = 0; j < others; ++j)
            run_at_level<Distance<C>>(out + i * others + j, from + i * columns, first + j * columns,
                                      columns, p);
        }
      });
    }
  });
  return result;
}
FakeTensor cdist_fake(const FakeTensor& x1, const FakeTensor& x2, double p,
                      const std::optional<int64_t>& compute_mode) {
  return make_fake_like(x1, cdist_sizes(as_tensor(x1), as_tensor(x2), p, compute_mode), x1.dtype());
}

Tensor pdist_cpu(const Tensor& self, double p) {
  Tensor result = make_empty(Sizes{pdist_size(self, p).specialise()}, self.dtype());
  if (result.numel() == 0) return result;
  const Tensor dense = as_contiguous(self);
  const int64_t rows = self.size(0);
  const int64_t columns = self.size(1);
  for_floating_dtype(self.dtype(), "_pdist_forward", [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>) {
      const C* in = columns == 0 ? nullptr : dense.data<C>();
      C* out = result.mutable_data<C>();
      const int64_t grain = std::max<int64_t>(1, kDistanceGrain / (rows * (columns + 1)));
      parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          C* row = out + i * (2 * rows - i - 1) / 2;
          for (int64_t j = i + 1; j < rows; ++j)
            run_at_level<Distance<C>>(row++, in + i * columns, in + j * columns, columns, p);
        }
      });
    }
  });
  return result;
}
FakeTensor pdist_fake(const FakeTensor& self, double p) {
  return make_fake_like(self, SymSizes{pdist_size(as_tensor(self), p)}, self.dtype());
}

}  // namespace opwright
