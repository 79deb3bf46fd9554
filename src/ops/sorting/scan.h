// Scans along one dimension of dense memory: cumprod, logcumsumexp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {

// Views contiguous memory as [outer, length, inner]; along the middle every element becomes
// step(running, element), where running is an Accumulator that starts as `first`.
template <class Accumulator, class T, class Step>
void scan_along(T* memory, int64_t outer, int64_t length, int64_t inner, Accumulator first,
                const Step& step) {
  constexpr int64_t kGrain = 32768;  // elements
  const int64_t width = std::max<int64_t>(1, length * inner);
  parallel_for(outer, std::max<int64_t>(1, kGrain / width), [&](int64_t begin, int64_t end) {
    std::vector<Accumulator> running(static_cast<size_t>(inner));
    for (int64_t i = begin; i < end; ++i) {
      T* elements = memory + i * length * inner;
      std::fill(running.begin(), running.end(), first);
      for (int64_t k = 0; k < length; ++k, elements += inner) {
        for (int64_t column = 0; column < inner; ++column) {
          Accumulator& value = running[static_cast<size_t>(column)];
          value = step(value, convert_number<Accumulator>(elements[column]));
          elements[column] = convert_number<T>(value);
        }
      }
    }
  });
}

}  // namespace opwright
