// How scatter_reduce combines values that collide in one element.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {

enum class ScatterReduction : uint8_t { Sum, Prod, Mean, Amax, Amin };

inline ScatterReduction parse_scatter_reduction(const char* who, std::string_view name) {
  if (name == "sum") return ScatterReduction::Sum;
  if (name == "prod") return ScatterReduction::Prod;
  if (name == "mean") return ScatterReduction::Mean;
  if (name == "amax") return ScatterReduction::Amax;
  if (name == "amin") return ScatterReduction::Amin;
  throw_error("ValueError", who,
              ": reduce must be one of 'sum', 'prod', 'mean', 'amax', 'amin', got '", name, "'");
}

template <class T>
struct CombineSum {
  T operator()(T a, T b) const { return wrap_add(a, b); }
};
template <class T>
struct CombineProd {
  T operator()(T a, T b) const { return wrap_mul(a, b); }
};
// NaN wins, whichever side it is on.
template <class T>
struct CombineMax {
  T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};
template <class T>
struct CombineMin {
  T operator()(T a, T b) const { return a < b || a != a ? a : b; }
};

// Calls body.operator()<T, Combine>(). TypeError for amax and amin of complex numbers.
template <class Body>
void for_combined_dtype(DType dtype, const char* who, ScatterReduction reduction,
                        const Body& body) {
  for_dtype(dtype, who, [&]<typename T>() {
    if constexpr (!kIsHalf<T>) {
      if (reduction == ScatterReduction::Prod) return body.template operator()<T, CombineProd<T>>();
      if constexpr (!kIsComplex<T>) {
        if (reduction == ScatterReduction::Amax)
          return body.template operator()<T, CombineMax<T>>();
        if (reduction == ScatterReduction::Amin)
          return body.template operator()<T, CombineMin<T>>();
      }
      OPWRIGHT_CHECK_TYPE(reduction == ScatterReduction::Sum || reduction == ScatterReduction::Mean,
                          who, ": complex numbers have no order, so there is no amax or amin of ",
                          dtype);
      return body.template operator()<T, CombineSum<T>>();
    }
  });
}

// The neutral element.
template <class T>
T identity_of(ScatterReduction reduction) {
  using Limits = std::numeric_limits<ComputeType<T>>;
  if (reduction == ScatterReduction::Prod) return convert_number<T>(1);
  if constexpr (!kIsComplex<T>) {
    const bool is_inexact = Limits::has_infinity;
    if (reduction == ScatterReduction::Amax)
      return convert_number<T>(is_inexact ? -Limits::infinity() : Limits::lowest());
    if (reduction == ScatterReduction::Amin)
      return convert_number<T>(is_inexact ? Limits::infinity() : Limits::max());
  }
  return convert_number<T>(0);
}

// Ints are rounded down, as in PyTorch.
template <class T>
T mean_of(T sum, int64_t count) {
  if constexpr (kIsBool<T>) {
    return sum;
  } else if constexpr (kIsInt<T> && std::is_signed_v<T>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
    const auto wide = static_cast<int64_t>(sum);
    return static_cast<T>(wide / count - (wide % count != 0 && wide < 0 ? 1 : 0));
  } else if constexpr (kIsInt<T>) {
    return static_cast<T>(sum / static_cast<uint64_t>(count));
  } else if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(sum) / static_cast<float>(count));
  } else {
    return sum / convert_number<T>(count);
  }
}

}  // namespace opwright
