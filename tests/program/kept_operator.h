// kept::scale, the custom operator of the stored program file.
#pragma once

#include <utility>

#include "opwright/dispatch/registry.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor.h"

namespace opwright::testing {

inline Tensor kept_scale(const Tensor& x, double by, bool twice) {
  return mul(x, twice ? 2 * by : by);
}

// Defined as by libkept.so, for the duration of a test.
class KeptOperator {
 public:
  KeptOperator() {
    auto& registry = Registry::get();
    definition_ =
        registry.define("kept::scale(Tensor x, float by=2.0, *, bool twice=False) -> Tensor", {},
                        SourceSite::of(), {.library = "/somewhere/libkept.so"});
    fake_ = registry.implement(
        "kept::scale", Slot::Fake,
        +[](const FakeTensor& x, double, bool) { return empty_like(x); });
    kernel_ = registry.implement("kept::scale", Slot::Cpu, &kept_scale);
  }
  static Tensor call(const Tensor& x, double by, bool twice) {
    static OperatorHandle<Tensor(const Tensor&, double, bool)> scale("kept::scale");
    return scale(x, by, twice);
  }

 private:
  Registration definition_;
  Registration fake_;
  Registration kernel_;
};

}  // namespace opwright::testing
