// One compiled function, called by several threads at once.
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/runtime/compile.h"

namespace opwright {
namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 25;

template <class Work>
void run_threads(const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

Tensor sequence(int64_t rows, int64_t columns) {
  return arange(rows * columns).to(DType::Float32).view({rows, columns}) * 0.001;
}

TEST(CompiledFunctionInThreads, GivesEachThreadItsOwnResult) {
  const auto body = [](const Tensor& x, const Tensor& y) { return softmax(sin(x) * y + x, -1); };
  auto f = compile(body);

  run_threads([&](int thread) {
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = sequence(thread + 2 + call % 3, 40) + thread;
      EXPECT_TRUE(allclose(f(x, x * 2), body(x, x * 2), 1e-5, 1e-6));
    }
  });
}

TEST(CompiledFunctionInThreads, TrainsOnEachThread) {
  const auto body = [](const Tensor& x) { return tanh(x * x).sum(); };
  auto f = compile(body);

  run_threads([&](int thread) {
    for (int call = 0; call < kCalls; ++call) {
      Tensor x = sequence(thread + 2, 8);
      Tensor expected = x.clone();
      set_requires_grad(x, true);
      set_requires_grad(expected, true);
      const Tensor losses[] = {f(x), body(expected)};
      backward(losses, {}, {});
      EXPECT_TRUE(allclose(gradient_of(x), gradient_of(expected), 1e-5, 1e-6));
    }
  });
}

}  // namespace
}  // namespace opwright
