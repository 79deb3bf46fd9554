// gradients: compares the formula with finite differences along one random direction.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opwright/autograd/value_meta.h"
#include "opwright/base/thread_state.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/example_line.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/gradient/slope.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

// Points tried in order: in general position; if that leaves the domain, closer to the example.
constexpr LineOptions kPoints[] = {
    {.seed = 0, .jitter = 0.05},
    {.seed = 1, .jitter = 0.05, .keeps_signs = true},
    {.seed = 2, .jitter = 1e-3},
    {.seed = 3, .jitter = 0.02},
};

// The given example may write every location once, but examples derived from it need not.
bool may_write_places_twice(const CheckInput& input) {
  return !input.is_given() && has_property(input.op(), Property::UniqueIndices);
}

bool is_finite(const Example& example) {
  return std::ranges::all_of(example.tensors(), [](const Tensor& each) {
    return !has_gradients(each.dtype()) ||
           std::ranges::all_of(numbers_of(each), [](double part) { return std::isfinite(part); });
  });
}

bool takes_fine_dtypes(const Example& example) {
  const AttentionScope unrecorded(kAttentionGradOff, true);
  return !run_example(ExampleLine(example, {.is_fine = true}).at(0)).is_refused();
}

std::string slopes_text(const Slopes& slopes) {
  return concatenate(" along a random direction is ", static_cast<float>(slopes.by_formula),
                     ", differences of values give ", static_cast<float>(slopes.by_differences));
}

class GradientsCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondifferentiable)) return "it is tagged nondifferentiable";
    if (!op.takes_tensors()) return "it takes no tensors";
    if (!has_formula(op)) return "it has no backward formula";
    // What another operator saved must not move independently of the values it was computed from.
    if (has_property(op, Property::Backward))
      return "it is the backward of another operator, and its arguments depend on each other";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    const Example& example = input.example();
    if (!is_finite(example) || may_write_places_twice(input)) return std::nullopt;
    const bool is_fine = takes_fine_dtypes(example);
    bool is_suspected = false;  // one point may be a coincidence
    for (LineOptions options : kPoints) {
      options.seed += input.settings().seed;
      options.is_fine = is_fine;
      std::optional<Fault> found;
      if (!look_at(ExampleLine(example, options), options.seed, found)) continue;
      if (!found || is_suspected) return found;
      is_suspected = true;
    }
    return std::nullopt;
  }

 private:
  // Whether the line is conclusive.
  static bool look_at(const ExampleLine& line, uint64_t seed, std::optional<Fault>& found) {
    if (line.moved().empty()) return false;
    try {
      const SlopeMeasurement measurement(line, seed);
      if (!measurement.is_usable()) return false;
      const std::optional<Slopes> slopes = measurement.measure();
      if (!slopes) return false;
      if (!slopes->agree()) {
        found = describe(line, measurement, *slopes);
      } else {
        found = look_at_tangent(line.at(0).op(), measurement);
      }
      return true;
    } catch (const Error&) {
      return false;  // a failing backward is reported by the check "autograd"
    }
  }

  // Forward mode uses the formula, unless the author wrote a separate rule.
  static std::optional<Fault> look_at_tangent(const Operator& op,
                                              const SlopeMeasurement& measurement) {
    if (!op.record(Slot::Jvp)) return std::nullopt;
    const std::optional<Slopes> slopes = measurement.measure_forward();
    if (!slopes || slopes->agree()) return std::nullopt;
    return Fault{.kind = "wrong-gradient",
                 .message = concatenate(op.name(), ": the tangent that ",
                                        rule_text(op, Slot::Jvp, "jvp rule"), " gives",
                                        slopes_text(*slopes), "; correct the rule")};
  }

  static Fault describe(const ExampleLine& line, const SlopeMeasurement& measurement,
                        const Slopes& all) {
    const Example example = line.at(0);
    std::string what = concatenate("the gradient of all arguments", slopes_text(all));
    for (size_t i = 0; i < line.moved().size(); ++i) {
      const std::optional<Slopes> own = measurement.measure(i);
      if (!own || own->agree()) continue;
      const std::string name = example.tensor_name(line.moved()[i]);
      what = concatenate("the gradient of '", name, "'", slopes_text(*own));
      break;
    }
    const Operator& op = example.op();
    return {
        .kind = "wrong-gradient",
        .message = concatenate(
            op.name(), ": ", what, "; correct ", rule_text(op, Slot::Autograd, "backward formula"),
            ", or leave \"gradients\" out of test_utils if it differs from the derivative on "
            "purpose, like a gradient reversal")};
  }
};

[[maybe_unused]] const bool kIsGradientsCheckRegistered =
    (register_check(
         {.name = "gradients",
          .about = "the backward formula compared with finite differences",
          .make = +[]() -> std::unique_ptr<Check> { return std::make_unique<GradientsCheck>(); },
          .place = 45}),
     true);

}  // namespace
}  // namespace opwright
