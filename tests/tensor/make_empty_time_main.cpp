// Prints the cost of creating a small tensor: `make_empty_time [rounds]`.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int kCalls = 1'000'000;

// The minimum over the rounds, in ns.
template <class Body>
double time_of(int rounds, const Body& body) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) body();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    least = std::min(least, spent.count() / kCalls);
  }
  return least;
}

void keep(const Tensor& tensor) { asm volatile("" : : "r"(tensor.get()) : "memory"); }

void print_times(int rounds) {
  const std::array<int64_t, 1> four{4};
  const std::array<int64_t, 1> one{1};
  const std::array<int64_t, 4> large{2, 8, 16, 16};
  const Tensor base = make_empty(four, DType::Float32);
  std::printf("make_empty {4} float32 on cpu      %6.1f ns\n",
              time_of(rounds, [&] { keep(make_empty(four, DType::Float32)); }));
  std::printf("make_empty {2, 8, 16, 16} float32  %6.1f ns\n",
              time_of(rounds, [&] { keep(make_empty(large, DType::Float32)); }));
  std::printf("make_view of {4}                   %6.1f ns\n",
              time_of(rounds, [&] { keep(make_view(base, four, one, 0)); }));
  std::printf("make_fake {4} on cpu               %6.1f ns\n", time_of(rounds, [&] {
                keep(make_fake(std::span<const int64_t>(four), DType::Float32, kCpu));
              }));
}

}  // namespace
}  // namespace opwright

int main(int argc, char** argv) {
  opwright::print_times(argc > 1 ? std::atoi(argv[1]) : 10);
  return 0;
}
