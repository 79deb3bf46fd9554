#include "devices/opencl/formula_text.h"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include "devices/opencl/dtype_text.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

std::string literal_text(double value, DType compute) {
  char text[64];
  if (compute == DType::Float64) {
    std::snprintf(text, sizeof text, "%.17e", value);
  } else if (is_floating(compute)) {
    std::snprintf(text, sizeof text, "%.9ef", value);
  } else {
    std::snprintf(text, sizeof text, "((%s)%lld)", value_type(compute),
                  static_cast<long long>(value));
  }
  return text;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr const char* kFunctionsOfFloats = R"(
#define opw_absolute fabs
#define opw_fma fma
#define opw_copysign copysign
#define opw_isnan isnan
#define opw_floor floor
#define opw_ceil ceil
#define opw_trunc trunc
#define opw_round rint
#define opw_sqrt sqrt
#define opw_exp exp
#define opw_exp2 exp2
#define opw_expm1 expm1
#define opw_log log
#define opw_log2 log2
#define opw_log10 log10
#define opw_log1p log1p
#define opw_sin sin
#define opw_cos cos
#define opw_tanh tanh
#define opw_erf erf
#define opw_pow pow
#define opw_fmod fmod
T opw_rsqrt(T x) { return (T)1 / sqrt(x); }
T opw_sigmoid(T x) { return (T)1 / ((T)1 + exp(-x)); }
T opw_minimum(T x, T y) { return isnan(x) || isnan(y) ? x + y : x < y ? x : y; }
T opw_maximum(T x, T y) { return isnan(x) || isnan(y) ? x + y : x > y ? x : y; }
T opw_divide_trunc(T x, T y) { return trunc(x / y); }
T opw_remainder(T x, T y) {
  const T rest = fmod(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}
T opw_divide_floor(T x, T y) {
  const T plain = x / y;
  if (y == 0) return plain;
  const T rest = fmod(x, y);
  const T near_by = (x - rest) / y;
  const T quotient = rest != 0 && (y < 0) != (rest < 0) ? near_by - (T)1 : near_by;
  const T below = floor(quotient);
  const T rounded = quotient - below > (T)0.5f ? below + (T)1 : below;
  return quotient != 0 ? rounded : copysign((T)0, plain);
}
)";

constexpr const char* kFunctionsOfInts = R"(
#define opw_isnan(x) 0
T opw_absolute(T x) { return x < 0 ? (T)-x : x; }
T opw_fma(T x, T y, T z) { return (T)(x * y + z); }
T opw_minimum(T x, T y) { return x < y ? x : y; }
T opw_maximum(T x, T y) { return x > y ? x : y; }
T opw_divide_trunc(T x, T y) {
  if (y == (T)-1 && (T)-1 < 0) return (T)-x;
  return (T)(x / (y == 0 ? (T)1 : y));
}
T opw_fmod(T x, T y) { return (T)(x - opw_divide_trunc(x, y) * y); }
T opw_remainder(T x, T y) {
  const T rest = opw_fmod(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? (T)(rest + y) : rest;
}
T opw_divide_floor(T x, T y) {
  const T rest = opw_fmod(x, y);
  const T quotient = opw_divide_trunc(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? (T)(quotient - 1) : quotient;
}
T opw_shift_left(T x, T y) {
  return y >= 0 && (ulong)y < 8 * sizeof(T) ? (T)((ulong)x << (ulong)y) : (T)0;
}
T opw_shift_right(T x, T y) {
  if (y >= 0 && (ulong)y < 8 * sizeof(T)) return (T)(x >> y);
  return x < 0 ? (T)-1 : (T)0;
}
)";

}  // namespace

std::string formula_text(std::string_view formula, DType compute) {
  std::string text;
  for (size_t place = 0; place < formula.size();) {
    const char first = formula[place];
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') {
      double value = 0;
      const char* begin = formula.data() + place;
      const auto [end, error] = std::from_chars(begin, formula.data() + formula.size(), value);
      OPWRIGHT_CHECK_VALUE(error == std::errc{}, "opencl: the formula '", formula,
                           "' has no number at character ", place);
      place += static_cast<size_t>(end - begin);
      text += literal_text(value, compute);
    } else if (is_part_of_name(first)) {
      size_t end = place;
      while (end < formula.size() && is_part_of_name(formula[end])) ++end;
      const std::string_view name = formula.substr(place, end - place);
      if (name == "inf" || name == "nan") {
        text.append("((T)").append(name == "inf" ? "INFINITY" : "NAN").append(")");
      } else {
        text.append(end < formula.size() && formula[end] == '(' ? "opw_" : "").append(name);
      }
      place = end;
    } else {
      text += first == '~' && compute == DType::Bool ? '!' : first;
      ++place;
    }
  }
  return text;
}

std::string formula_functions(DType compute) {
  return concatenate("typedef ", value_type(compute), " T;\n",
                     is_floating(compute) ? kFunctionsOfFloats : kFunctionsOfInts);
}

}  // namespace opwright::opencl
