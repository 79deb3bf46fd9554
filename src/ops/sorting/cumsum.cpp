// cumsum.
#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kCumsumGrain = 32768;  // elements

// Running sums have a wider type than the results, as in PyTorch; ints wrap around.
template <class T>
using RunningSum = std::conditional_t<std::is_integral_v<T>, uint64_t,
                                      std::conditional_t<kIsComplex<T>, Complex<double>, double>>;

DType result_dtype_of(DType input, const std::optional<DType>& asked) {
  if (asked == DType::Bool) throw_dtype(*asked, "cumsum", "all others as dtype");
  if (asked) return *asked;
  return is_integral(input) || input == DType::Bool ? DType::Int64 : input;
}

template <class T>
void sum_lines(T* memory, int64_t lines, int64_t length) {
  using Sum = RunningSum<T>;
  parallel_for(lines, std::max<int64_t>(1, kCumsumGrain / length), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Sum sum{};
      for (T* element = memory + i * length; element != memory + (i + 1) * length; ++element) {
        sum = sum + convert_number<Sum>(*element);
        *element = convert_number<T>(sum);
      }
    }
  });
}

// Views contiguous memory as [outer, length, inner] and sums along the middle.
template <class T>
void sum_along(T* memory, int64_t outer, int64_t length, int64_t inner) {
  using Sum = RunningSum<T>;
  if (inner == 1) return sum_lines(memory, outer, length);
  const int64_t width = std::max<int64_t>(1, length * inner);
  parallel_for(outer, std::max<int64_t>(1, kCumsumGrain / width), [&](int64_t begin, int64_t end) {
    std::vector<Sum> sums(static_cast<size_t>(inner));
    for (int64_t i = begin; i < end; ++i) {
      T* elements = memory + i * length * inner;
      std::fill(sums.begin(), sums.end(), Sum{});
      for (int64_t k = 0; k < length; ++k, elements += inner) {
        for (int64_t column = 0; column < inner; ++column) {
          Sum& sum = sums[static_cast<size_t>(column)];
          sum = sum + convert_number<Sum>(elements[column]);
          elements[column] = convert_number<T>(sum);
        }
      }
    }
  });
}

}  // namespace

Tensor cumsum_cpu(const Tensor& self, int64_t dim, const std::optional<DType>& dtype) {
  const size_t ndim = self.sizes().size();
  const size_t along = wrap_dim(dim, std::max<size_t>(ndim, 1), "cumsum");
  const DType result = result_dtype_of(self.dtype(), dtype);
  const bool is_half = result == DType::Float16 || result == DType::BFloat16;
  const Tensor contiguous = make_empty(self.sizes(), is_half ? DType::Float32 : result);
  copy_elements(contiguous, is_half ? as_dtype(self, result) : self);
  if (ndim == 0 || contiguous.numel() == 0) return as_dtype(contiguous, result);
  const auto sizes = contiguous.sizes();
  for_dtype(contiguous.dtype(), "cumsum", [&]<typename T>() {
    if constexpr (!kIsHalf<T>) {
      sum_along(contiguous.mutable_data<T>(), product(sizes.first(along)), sizes[along],
                product(sizes.subspan(along + 1)));
    }
  });
  return as_dtype(contiguous, result);
}

FakeTensor cumsum_fake(const FakeTensor& self, int64_t dim, const std::optional<DType>& dtype) {
  (void)wrap_dim(dim, std::max<size_t>(static_cast<size_t>(self.dim()), 1), "cumsum");
  return make_fake_like(self, self.sizes(), result_dtype_of(self.dtype(), dtype));
}

}  // namespace opwright
