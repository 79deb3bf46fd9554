// random_: ints in a range, in any dtype that can represent them.
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/random/device_random.h"
#include "opwright/ops/engine/random/distribution.h"
#include "opwright/ops/engine/random/random_fill.h"

namespace opwright {
namespace {

using std::optional;
using Wide = __int128;

constexpr const char* kRandom = "random_";

// The smallest and largest int of a dtype, and the largest up to which it represents all.
struct IntLimits {
  Wide least, most, dense;
};

template <class T>
IntLimits limits_of() {
  if constexpr (kIsBool<T>) {
    return {0, 1, 1};
  } else if constexpr (kIsInt<T>) {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
            std::numeric_limits<T>::max()};
  } else if constexpr (std::is_same_v<T, Half>) {
    return {-65504, 65504, Wide{1} << 11};
  } else {
    constexpr int kDigits = std::is_same_v<T, double> ? 53 : std::is_same_v<T, float> ? 24 : 8;
    return {INT64_MIN, INT64_MAX, Wide{1} << kDigits};
  }
}

IntLimits limits_of(DType dtype) {
  if (is_complex(dtype)) throw_dtype(dtype, kRandom, "integral and floating dtypes and bool");
  return for_dtype(dtype, kRandom, [&]<typename T>() -> IntLimits {
    if constexpr (kIsComplex<T>)
      return {};
    else
      return limits_of<T>();
  });
}

// First and last number.
struct IntRange {
  int64_t first;
  Wide last;
};

IntRange check_range(DType dtype, int64_t from, optional<int64_t> to) {
  const IntLimits limits = limits_of(dtype);
  OPWRIGHT_CHECK_VALUE(!to || from < *to, kRandom, ": from must be below to, got from=", from,
                       " and to=", *to);
  const Wide last = to ? Wide{*to} - 1 : limits.dense;
  OPWRIGHT_CHECK_VALUE(from >= limits.least && from <= limits.most, kRandom, ": from=", from,
                       " is not representable in ", dtype);
  OPWRIGHT_CHECK_VALUE(last >= limits.least && last <= limits.most, kRandom,
                       ": to - 1 = ", static_cast<int64_t>(last), " is not representable in ",
                       dtype);
  OPWRIGHT_CHECK_VALUE(from <= last, kRandom, ": from=", from, " is above ",
                       static_cast<int64_t>(last), ", up to which ", dtype, " holds every int");
  return {from, last};
}

unsigned __int128 count_ints(const IntRange& ints) {
  return static_cast<unsigned __int128>(ints.last - ints.first + 1);
}

Tensor& fill_range(Tensor& self, const IntRange& ints, const optional<Generator>& generator) {
  RandomState& state = random_state(kRandom, generator, self.device());
  const auto range = count_ints(ints);
  if (range <= 1U << 16) {
    fill_random(kRandom, self, state, NarrowRange{ints.first, static_cast<uint32_t>(range)});
  } else if (range < uint64_t{1} << 32) {
    fill_random(kRandom, self, state, MiddleRange{ints.first, static_cast<uint32_t>(range)});
  } else {
    fill_random(kRandom, self, state, WideRange{ints.first, static_cast<uint64_t>(range)});
  }
  return self;
}
Tensor& fill_range_on_device(Tensor& self, const IntRange& ints,
                             const optional<Generator>& generator) {
  const auto range = count_ints(ints);
  fill_random_on_device(kRandom, self, random_state(kRandom, generator, self.device()), "integers",
                        range <= 1U << 16 ? 1 : 2, {ints.first, static_cast<int64_t>(range)});
  return self;
}

}  // namespace

Tensor& random_from_cpu(Tensor& self, int64_t from, const optional<int64_t>& to,
                        const optional<Generator>& generator) {
  return fill_range(self, check_range(self.dtype(), from, to), generator);
}
Tensor& random_from_in_place_all_devices(Tensor& self, int64_t from, const optional<int64_t>& to,
                                         const optional<Generator>& generator) {
  return fill_range_on_device(self, check_range(self.dtype(), from, to), generator);
}
FakeTensor& random_from_fake(FakeTensor& self, int64_t from, const optional<int64_t>& to,
                             const optional<Generator>& /*generator*/) {
  (void)check_range(self.dtype(), from, to);
  return self;
}

Tensor& random_to_cpu(Tensor& self, int64_t to, const optional<Generator>& generator) {
  return fill_range(self, check_range(self.dtype(), 0, to), generator);
}
Tensor& random_to_in_place_all_devices(Tensor& self, int64_t to,
                                       const optional<Generator>& generator) {
  return fill_range_on_device(self, check_range(self.dtype(), 0, to), generator);
}
FakeTensor& random_to_fake(FakeTensor& self, int64_t to, const optional<Generator>& /*generator*/) {
  (void)check_range(self.dtype(), 0, to);
  return self;
}

Tensor& random_cpu(Tensor& self, const optional<Generator>& generator) {
  return fill_range(self, check_range(self.dtype(), 0, std::nullopt), generator);
}
Tensor& random_in_place_all_devices(Tensor& self, const optional<Generator>& generator) {
  return fill_range_on_device(self, check_range(self.dtype(), 0, std::nullopt), generator);
}
FakeTensor& random_fake(FakeTensor& self, const optional<Generator>& /*generator*/) {
  (void)check_range(self.dtype(), 0, std::nullopt);
  return self;
}

}  // namespace opwright
