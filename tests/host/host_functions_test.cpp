// The autograd functions of a binary: tests/operators/compat/compat_autograd_function.cpp.
#include "opwright/host/host_functions.h"

#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "host/test_host.h"
#include "opwright/autograd/backward.h"
#include "opwright/registration/operator_handle.h"

namespace opwright::testing {
namespace {

Tensor cube(const Tensor& x) {
  OperatorHandle<Tensor(const Tensor&, double)> handle("compat_function::cube");
  return handle(x, 2.0);
}
Tensor saved_result(const Tensor& x) {
  OperatorHandle<std::tuple<Tensor, Tensor>(const Tensor&)> handle("compat_function::saved_result");
  return std::get<0>(handle(x));
}

TEST(HostFunctionsThreads, RunBackwardOverASharedGraphThatIsKept) {
  const LoadedFor library("compat_autograd_function");
  const Tensor x = leaf({2});
  const Tensor y = cube(saved_result(cube(x)).log());
  const Values expected = elements<float>(gradient_with_respect_to(x, y, {.keeps_graph = true}));

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(elements<float>(gradient_with_respect_to(x, y, {.keeps_graph = true})), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostFunctionsThreads, OfTwoThatFreeAGraphOneMayFailButNoneIsWrong) {
  const LoadedFor library("compat_autograd_function");
  for (int round = 0; round < 50; ++round) {
    const Tensor x = leaf({2});
    const Tensor y = cube(saved_result(cube(x)).log());
    const Values expected = elements<float>(gradient_with_respect_to(x, y, {.keeps_graph = true}));

    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        const auto error =
            error_of([&] { EXPECT_EQ(elements<float>(gradient_with_respect_to(x, y)), expected); });
        EXPECT_TRUE(!error || error->message().find("freed by an earlier") != std::string::npos);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace opwright::testing
