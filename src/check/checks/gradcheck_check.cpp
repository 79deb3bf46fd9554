// gradcheck: every element of the gradients and of the gradients' gradients; on request.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/example_line.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/gradient/gradcheck.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/runtime/func.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

class GradcheckCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (op.tags().has(Tag::Nondifferentiable)) return "it is tagged nondifferentiable";
    if (!op.takes_tensors()) return "it takes no tensors";
    if (!has_formula(op)) return "it has no backward formula";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (!input.is_given()) return std::nullopt;
    const ExampleLine line(input.example(), {.is_fine = true});
    const Example example = line.at(0);
    if (line.moved().empty() || run_example(example.copy()).is_refused()) return std::nullopt;
    std::vector<Tensor> inputs;
    for (const size_t place : line.moved()) {
      inputs.push_back(example.tensors()[place].detach());
      set_requires_grad(inputs.back(), true);
    }
    auto body = [&](std::span<const Tensor> given) {
      FunctionOutputs found;
      for (const Tensor& each : call_with(example, line.moved(), given)) {
        if (has_gradients(each.dtype())) found.outputs.push_back(each);
      }
      return found;
    };
    const std::string& name = input.op().name();
    try {
      if (const auto problem = gradcheck(FunctionBody(body), inputs))
        return Fault{.kind = "wrong-gradient", .message = concatenate(name, ": ", *problem)};
      if (const auto problem = gradgradcheck(FunctionBody(body), inputs, {}))
        return Fault{.kind = "wrong-second-gradient",
                     .message = concatenate(name, ": of its gradients: ", *problem)};
    } catch (const Error& error) {
      return Fault{
          .kind = "formula-raised",
          .message = concatenate(name, ": gradcheck raised ", error.kind(), ": ", error.what())};
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsGradcheckCheckRegistered =
    (register_check(
         {.name = "gradcheck",
          .about = "every element of first and second derivatives, in float64",
          .make = +[]() -> std::unique_ptr<Check> { return std::make_unique<GradcheckCheck>(); },
          .place = 48,
          .is_on_request = true,
          .most_inputs = 1}),
     true);

}  // namespace
}  // namespace opwright
