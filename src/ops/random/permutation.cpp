// randperm: the ints below n in random order.
#include <cstdint>
#include <optional>
#include <utility>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/random/random_fill.h"

namespace opwright {
namespace {

using std::optional;

constexpr const char* kRandperm = "randperm";

// How many consecutive ints the dtype represents exactly.
int64_t most_numbers(DType dtype) {
  if (dtype == DType::Float16) return (int64_t{1} << 11) + 1;
  if (dtype == DType::BFloat16) return (int64_t{1} << 8) + 1;
  if (dtype == DType::Float32) return (int64_t{1} << 24) + 1;
  if (dtype == DType::Float64) return (int64_t{1} << 53) + 1;
  if (!is_integral(dtype)) throw_dtype(dtype, kRandperm, "integral and floating dtypes");
  return for_integral_dtype(dtype, kRandperm, [&]<typename T>() {
    constexpr auto kLast = static_cast<uint64_t>(std::numeric_limits<T>::max());
    return kLast < INT64_MAX ? static_cast<int64_t>(kLast + 1) : INT64_MAX;
  });
}

// Fisher-Yates: all orders are equally likely, except for a bias of 2^-64 per step.
template <class T>
void shuffle(T* numbers, int64_t n, RandomState& state) {
  for (int64_t i = 0; i < n; ++i) numbers[i] = convert_number<T>(i);
  constexpr int64_t kStepsAtOnce = kChunkElements;
  uint32_t words[2 * kStepsAtOnce];
  const int64_t groups = (n + kGroupWords - 1) / kGroupWords * 2;
  const CounterRange range = state.reserve(static_cast<uint64_t>(groups) * kCounterGroup);
  uint64_t counter = range.first;
  for (int64_t begin = 0; begin < n; begin += kStepsAtOnce) {
    const int64_t count = std::min(kStepsAtOnce, n - begin);
    const int64_t drawn = (count + kGroupWords - 1) / kGroupWords * 2;
    draw_words(range.seed, counter, drawn, words);
    counter += static_cast<uint64_t>(drawn) * kCounterGroup;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = begin + i;
      const uint64_t bits = uint64_t{words[2 * i]} << 32 | words[2 * i + 1];
      const auto left = static_cast<unsigned __int128>(n - place);
      const auto step = static_cast<int64_t>(bits * left >> 64);
      std::swap(numbers[place], numbers[place + step]);
    }
  }
}

void fill_permutation(const Tensor& output, RandomState& state) {
  const auto fill = [&]<typename T>() { shuffle(output.mutable_data<T>(), output.numel(), state); };
  if (is_integral(output.dtype()))
    for_integral_dtype(output.dtype(), kRandperm, fill);
  else
    for_floating_dtype(output.dtype(), kRandperm, fill);
}

}  // namespace

Tensor randperm_generator_all_devices(const SymInt& n, const optional<Generator>& generator,
                                      const optional<DType>& dtype, const optional<Layout>& layout,
                                      const optional<Device>& device,
                                      const optional<bool>& pin_memory) {
  const DType element = dtype.value_or(DType::Int64);
  check(n >= 0, concatenate(kRandperm, ": n must not be negative, got ", n));
  check(n <= most_numbers(element),
        concatenate(kRandperm, ": ", element, " does not hold all ints below n=", n));
  Tensor result = empty({n}, element, layout, device, pin_memory);
  if (result.is_fake() || result.numel() == 0) return result;
  RandomState& state = random_state(kRandperm, generator, result.device());
  if (result.device().type == kOpwDeviceCpu) {
    fill_permutation(result, state);
  } else {
    const Tensor source = make_empty(result.sizes(), element);
    fill_permutation(source, state);
    result.copy_(source);
  }
  return result;
}

Tensor randperm_all_devices(const SymInt& n, const optional<DType>& dtype,
                            const optional<Layout>& layout, const optional<Device>& device,
                            const optional<bool>& pin_memory) {
  return randperm_generator_all_devices(n, std::nullopt, dtype, layout, device, pin_memory);
}

}  // namespace opwright
