// probe::...: operators through which tests of the Python bindings hold tensors in C++, let them go
// on other threads, wait without the GIL, and call back into Python.
//
// It imports probe::inner, which a test defines in Python before it loads this binary.
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "opwright/opwright.h"

namespace probe {
namespace {

using opwright::imported;
using opwright::Tag;
using opwright::Tensor;

struct Held {
  std::mutex mutex;
  std::vector<Tensor> tensors;
};
Held& held() {
  static auto* all = new Held;
  return *all;
}

int64_t hold(const Tensor& x) {
  const std::lock_guard lock(held().mutex);
  held().tensors.push_back(x);
  return static_cast<int64_t>(held().tensors.size()) - 1;
}

Tensor get_held(int64_t index) {
  const std::lock_guard lock(held().mutex);
  return held().tensors.at(static_cast<size_t>(index));
}

Tensor take(int64_t index) {
  const std::lock_guard lock(held().mutex);
  return std::move(held().tensors.at(static_cast<size_t>(index)));
}

void drop_held(int64_t index) { (void)take(index); }

void drop_held_on_thread(int64_t index) {
  std::thread([&] { (void)take(index); }).join();
}

// Copies and drops handles of `x` for a while without the GIL.
void churn(const Tensor& x, int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    const Tensor copy =
        x;  // NOLINT(performance-unnecessary-copy-initialization): the count is the point
    std::this_thread::yield();
  }
}

void wait(const Tensor& /*x*/, double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

Tensor inner(const Tensor& x) { return imported<"probe::inner", Tensor(const Tensor&)>(x); }

Tensor through(const Tensor& x) { return inner(x); }

// Calls into Python from every worker, and from the caller that waits for them.
void through_loop(const Tensor& x, int64_t times) {
  opwright::parallel_for(times, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) (void)inner(x);
  });
}

void fail(const Tensor& x, double limit) {
  OPWRIGHT_CHECK_VALUE(limit > 0, "probe::fail: limit must be positive, got ", limit, " for ", x);
}

}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT(probe, m) {
  m.def("hold(Tensor x) -> int");
  m.def("get_held(int index) -> Tensor");
  m.def("drop_held(int index) -> ()");
  m.def("drop_held_on_thread(int index) -> ()");
  m.def("churn(Tensor x, int times) -> ()", {Tag::Blocking});
  m.def("wait(Tensor x, float seconds) -> ()", {Tag::Blocking});
  m.def("through(Tensor x) -> Tensor");
  m.def("through_loop(Tensor x, int times) -> ()");
  m.def("fail(Tensor x, float limit) -> ()");
}

OPWRIGHT_LIBRARY_IMPL(probe, CompositeExplicitAutograd, m) {
  m.impl("get_held", &get_held);
  m.impl("drop_held", &drop_held);
  m.impl("drop_held_on_thread", &drop_held_on_thread);
}

OPWRIGHT_LIBRARY_IMPL(probe, CPU, m) {
  m.impl("hold", &hold);
  m.impl("churn", &churn);
  m.impl("wait", &wait);
  m.impl("through", &through);
  m.impl("through_loop", &through_loop);
  m.impl("fail", &fail);
}

}  // namespace probe
