// Operators for call tests: float32 on cpu, contiguous.
#pragma once

#include <initializer_list>
#include <vector>

#include "opwright/dispatch/registry.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor/factory.h"

namespace opwright::testing {

inline Tensor tensor(std::initializer_list<float> values) {
  const int64_t size = static_cast<int64_t>(values.size());
  Tensor result = make_empty(std::span(&size, 1), DType::Float32);
  std::copy(values.begin(), values.end(), result.mutable_data<float>());
  return result;
}
inline std::vector<float> values_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.numel()};
}

inline Tensor add_kernel(const Tensor& x, const Tensor& y) {
  Tensor result = make_empty(x.sizes(), DType::Float32);
  for (int64_t i = 0; i < x.numel(); ++i)
    result.mutable_data<float>()[i] = x.data<float>()[i] + y.data<float>()[i];
  return result;
}
inline Tensor& increment_kernel(Tensor& x) {
  for (int64_t i = 0; i < x.numel(); ++i) x.mutable_data<float>()[i] += 1;
  return x;
}

// test::add, test::increment_ and test::twice (an implicit composite of test::add), for the
// duration of a test.
class TestOperators {
 public:
  TestOperators() {
    auto& registry = Registry::get();
    kept_.push_back(registry.define("test::add(Tensor x, Tensor y) -> Tensor"));
    kept_.push_back(registry.implement("test::add", Slot::Cpu, &add_kernel));
    kept_.push_back(registry.define("test::increment_(Tensor(a!) x) -> Tensor(a!)"));
    kept_.push_back(registry.implement("test::increment_", Slot::Cpu, &increment_kernel));
    kept_.push_back(registry.define("test::twice(Tensor x) -> Tensor"));
    kept_.push_back(registry.implement(
        "test::twice", Slot::ImplicitComposite, +[](const Tensor& x) { return add(x, x); }));
  }

  static Tensor add(const Tensor& x, const Tensor& y) {
    static OperatorHandle<Tensor(const Tensor&, const Tensor&)> handle("test::add");
    return handle(x, y);
  }
  static Tensor twice(const Tensor& x) {
    static OperatorHandle<Tensor(const Tensor&)> handle("test::twice");
    return handle(x);
  }
  static Tensor& increment_(Tensor& x) {
    static OperatorHandle<Tensor&(Tensor&)> handle("test::increment_");
    return handle(x);
  }

 private:
  std::vector<Registration> kept_;
};

}  // namespace opwright::testing
