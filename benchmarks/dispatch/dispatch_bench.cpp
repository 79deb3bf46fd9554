// Measures the overhead of operator calls over a plain function call.
//
//   dispatch_bench libtouch.so
#include <string_view>

#include "loop.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/factory.h"

namespace {

using namespace opwright;  // NOLINT(google-build-using-namespace): a program of one file

[[gnu::noinline]] void touch(const Tensor& x, const Tensor& y, double scale) {
  asm volatile("" ::"r"(&x), "r"(&y), "x"(scale) : "memory");
}
[[gnu::noinline]] void touch_in_place(Tensor& x, const Tensor& y, double scale) {
  asm volatile("" ::"r"(&x), "r"(&y), "x"(scale) : "memory");
}

class PassThrough : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "pass_through"; }
  void process(const Operator& op, Arguments args, Results results) override {
    const ParentScope scope(*this);
    call(op, args, results);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  load_library(argv[1]);
  constexpr int kCount = 200000;
  Registry& registry = Registry::get();
  registry.define("bench::touch(Tensor x, Tensor y, float scale) -> ()").keep();
  registry.implement("bench::touch", Slot::Cpu, &touch).keep();
  registry.define("bench::touch_(Tensor(a!) x, Tensor y, float scale) -> ()").keep();
  registry.implement("bench::touch_", Slot::Cpu, &touch_in_place).keep();

  OperatorHandle<void(const Tensor&, const Tensor&, double)> handle("bench::touch");
  OperatorHandle<void(Tensor&, const Tensor&, double)> in_place("bench::touch_");
  const int64_t size = 4;
  Tensor x = make_empty(std::span(&size, 1), DType::Float32);
  const Tensor y = make_empty(std::span(&size, 1), DType::Float32);

  report("direct", kCount, [&] { touch(x, y, 0.5); });
  report("handle", kCount, [&] { handle(x, y, 0.5); });
  OperatorHandle<void(const Tensor&, const Tensor&, double)> loaded("loaded::touch");
  report("loaded", kCount, [&] { loaded(x, y, 0.5); });
  report("in_place", kCount, [&] { in_place(x, y, 0.5); });
  {
    const Operator& op = registry.require("bench::touch");
    const OpwValue args[] = {ValueOf<Tensor>::lend(x), ValueOf<Tensor>::lend(y),
                             ValueOf<double>::lend(0.5)};
    report("boxed", kCount, [&] { call(op, args, {}); });
  }
  auto first = make_intrusive<PassThrough>(nullptr);
  auto second = make_intrusive<PassThrough>(first.get());
  auto third = make_intrusive<PassThrough>(second.get());
  {
    const InterpreterScope scope(first.get());
    report("one_interpreter", kCount, [&] { handle(x, y, 0.5); });
  }
  {
    const InterpreterScope scope(third.get());
    report("three_interpreters", kCount, [&] { handle(x, y, 0.5); });
  }
  report("make_empty", kCount, [&] { (void)make_empty(std::span(&size, 1), DType::Float32); });
  const SymInt sym_size = 4;
  report("empty", kCount, [&] { (void)opwright::empty(std::span(&sym_size, 1), DType::Float32); });
  report("mul", kCount, [&] { (void)(x * y); });
  report("find", kCount, [&] {
    const char* volatile name = "bench::touch";
    const Operator* op = registry.find(name);
    asm volatile("" ::"r"(op));
  });
  return 0;
}
