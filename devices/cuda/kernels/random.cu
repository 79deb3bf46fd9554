// draw_random: fills dense memory with random numbers from Philox.
#include <cstdint>
#include <string_view>

#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/distribution.h"
#include "devices/cuda/kernels/joined_space.h"
#include "devices/cuda/primitives.h"

namespace opwright::cuda {
namespace {

constexpr int kThreads = 256;

struct Fill {
  uint64_t seed;
  uint64_t first;
  int64_t count;
  void* result;
  Element element;
};

template <class Distribution>
__global__ void __launch_bounds__(kThreads) fill_kernel(Fill fill, Distribution distribution) {
  using Value = typename Distribution::Value;
  constexpr int kWords = Distribution::kWords;
  const int64_t thread = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t group = thread / 16;
  const int64_t lane = thread % 16;
  if (group * 64 + lane >= fill.count) return;
  PhiloxWords words[kWords];
#pragma unroll
  for (int k = 0; k < kWords; ++k)
    words[k] =
        philox(fill.seed, fill.first + static_cast<uint64_t>(16 * (group * kWords + k) + lane));
  Value elements[4];
  distribution.compute(words, elements);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int64_t at = group * 64 + 16 * i + lane;
    if (at < fill.count) store_as(fill.result, fill.element, at, elements[i]);
  }
}

template <class Distribution>
void launch(const Fill& fill, const Distribution& distribution, cudaStream_t stream) {
  const int64_t threads = blocks_for(fill.count, 64) * 16;
  const auto blocks = static_cast<unsigned>(blocks_for(threads, kThreads));
  fill_kernel<<<blocks, kThreads, 0, stream>>>(fill, distribution);
}

void run(const OpwRandom& call, int32_t index, OpwStream* stream) {
  cudaStream_t queue = cuda_stream(stream);
  const Element element = element_of(call.dtype, call.distribution);
  const Fill fill{call.seed, call.first, call.count, call.result, element};
  const bool is_double = element == Element::Float64;
  const auto number = [&](uint32_t i) { return loop_number(call.numbers[i]); };
  const auto real = [&](uint32_t i) { return number(i).as_double; };
  const auto narrow = [&](uint32_t i) { return static_cast<float>(real(i)); };
  const std::string_view name = call.distribution;
  if (name == "uniform" && is_double)
    launch(fill, UniformDouble{real(0), real(1), real(2)}, queue);
  else if (name == "uniform")
    launch(fill, Uniform{narrow(0), narrow(1), narrow(2), static_cast<int>(number(3).as_int)},
           queue);
  else if (name == "normal" && is_double)
    launch(fill, NormalDouble{real(0), real(1)}, queue);
  else if (name == "normal")
    launch(fill, Normal{narrow(0), narrow(1)}, queue);
  else if (name == "exponential" && is_double)
    launch(fill, ExponentialDouble{real(0)}, queue);
  else if (name == "exponential")
    launch(fill, Exponential{narrow(0)}, queue);
  else if (name == "bernoulli")
    launch(fill, Chance{static_cast<uint32_t>(number(0).as_int)}, queue);
  else if (name == "integers" && number(1).as_int >= 1 && number(1).as_int <= 1 << 16)
    launch(fill, NarrowRange{number(0).as_int, static_cast<uint64_t>(number(1).as_int)}, queue);
  else if (name == "integers")
    launch(fill, WideRange{number(0).as_int, static_cast<uint64_t>(number(1).as_int)}, queue);
  else
    throw_error("NotImplementedError", "the distribution '", call.distribution,
                "' is not drawn on cuda");
  check_launch(call.distribution, index);
}

}  // namespace

int draw_random_cuda(const OpwHost* host, int32_t index, const OpwRandom* random,
                     OpwStream* stream) {
  return run_on(host, index, [&] { run(*random, index, stream); });
}

}  // namespace opwright::cuda
