// The same figures through PyTorch's dispatcher.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "loop.h"

namespace {

[[gnu::noinline]] void touch(const at::Tensor& x, const at::Tensor& y, double scale) {
  asm volatile("" ::"r"(&x), "r"(&y), "x"(scale) : "memory");
}
[[gnu::noinline]] void touch_in_place(at::Tensor& x, const at::Tensor& y, double scale) {
  asm volatile("" ::"r"(&x), "r"(&y), "x"(scale) : "memory");
}

TORCH_LIBRARY(bench, m) {
  m.def("touch(Tensor x, Tensor y, float scale) -> ()");
  m.def("through(Tensor x, Tensor y, float scale) -> ()");
  m.def("touch_(Tensor(a!) x, Tensor y, float scale) -> ()");
}
TORCH_LIBRARY_IMPL(bench, CPU, m) {
  m.impl("touch", &touch);
  m.impl("through", &touch);
  m.impl("touch_", &touch_in_place);
}
TORCH_LIBRARY_IMPL(bench, Autograd, m) { m.impl("through", torch::CppFunction::makeFallthrough()); }

}  // namespace

int main() {
  constexpr int kCount = 50000;
  using Touch = void(const at::Tensor&, const at::Tensor&, double);
  using TouchInPlace = void(at::Tensor&, const at::Tensor&, double);
  auto& dispatcher = c10::Dispatcher::singleton();
  auto plain = dispatcher.findSchemaOrThrow("bench::touch", "").typed<Touch>();
  auto through = dispatcher.findSchemaOrThrow("bench::through", "").typed<Touch>();
  auto in_place = dispatcher.findSchemaOrThrow("bench::touch_", "").typed<TouchInPlace>();
  at::Tensor x = at::ones({4});
  const at::Tensor y = at::ones({4});

  report("direct", kCount, [&] { touch(x, y, 0.5); });
  report("handle", kCount, [&] { plain.call(x, y, 0.5); });
  report("fall_through", kCount, [&] { through.call(x, y, 0.5); });
  report("in_place", kCount, [&] { in_place.call(x, y, 0.5); });
  report("empty", kCount, [&] { (void)at::empty({4}); });
  report("mul", kCount, [&] { (void)at::mul(x, y); });
  report("find", kCount, [&] {
    const char* volatile name = "bench::touch";
    auto op = dispatcher.findSchema({name, ""});
    asm volatile("" ::"r"(&op));
  });
  return 0;
}
