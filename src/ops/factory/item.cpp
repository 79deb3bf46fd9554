// item: the single element of a tensor as a number; sym_size: a size.
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"

namespace opwright {
namespace {

template <class T>
Scalar number_of(T value) {
  if constexpr (kIsHalf<T>) {
    return static_cast<float>(value);
  } else {
    if constexpr (std::is_same_v<T, uint64_t>) {
      OPWRIGHT_CHECK_KIND("OverflowError", value <= std::numeric_limits<int64_t>::max(),
                          "item: the uint64 value ", value, " does not fit in an int of 64 bits");
    }
    return value;
  }
}

// All values of an integral dtype that fit in an int.
SymRange range_of(DType dtype) {
  return for_dtype(dtype, "item", []<typename T>() -> SymRange {
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int64_t)) {
      return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      return {0, INT64_MAX};
    } else {
      return {};
    }
  });
}

}  // namespace

SymInt sym_size_composite(const Tensor& self, int64_t dim) { return self.sym_size(dim); }

Scalar item_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.sym_numel() == 1, "item: only a tensor with one element is a number, got ",
                 self, " with ", self.sym_numel(), " elements");
  return _local_scalar_dense(self);
}

Scalar local_scalar_dense_cpu(const Tensor& self) {
  OPWRIGHT_CHECK(self.numel() > 0, "_local_scalar_dense: ", self, " has no element");
  return for_dtype(self.dtype(), "item", [&]<typename T>() { return number_of(*self.data<T>()); });
}

// For tensors that are not on the CPU. The int of a fake tensor is a symbol of the trace.
Scalar local_scalar_dense_all_devices(const Tensor& self) {
  ShapeEnv* shape_env = self.is_fake() ? current_shape_env() : nullptr;
  if (shape_env && is_integral(self.dtype())) {
    return shape_env->make_unbacked(range_of(self.dtype()));
  }
  if (self.is_fake()) {
    const SourceSite line = current_user_line();
    throw_error("DataDependentError", "item: ", self, " has no data, so there is no number to read",
                line.is_known() ? concatenate(" at ", line) : "",
                "; a fake or meta tensor has sizes, dtype and device only");
  }
  return _local_scalar_dense(_to_copy(self, std::nullopt, std::nullopt, kCpu));
}

}  // namespace opwright
