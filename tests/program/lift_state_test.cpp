// Programs that take their state from the caller.
#include "opwright/program/export/lift_state.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/program_object.h"
#include "opwright/program/export/signature.h"
#include "opwright/runtime/program.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

std::vector<Tensor> run_lifted(const ExportedProgram& program, const std::vector<Tensor>& inputs) {
  std::vector<OpwValue> given;
  given.reserve(inputs.size());
  for (const Tensor& input : inputs) given.push_back(ValueOf<Tensor>::lend(input));
  std::vector<Tensor> results;
  for (Value& result : program.run(given)) {
    results.push_back(ValueOf<Tensor>::take(result.give()));
  }
  return results;
}

TEST(LiftState, ParametersAndBuffersComeBeforeTheOwnInputs) {
  const Tensor weight = ones({3});
  const Tensor constant = full({3}, 10.0);
  const Program program =
      export_program([&](const Tensor& x) { return add(mul(x, weight), constant); },
                     {.names = {"x"}, .state = {{"layer.weight", weight}}}, ones({3}));
  const ExportedProgramPtr lifted = lift_state(*program_of(program.value().get()));

  std::vector<std::string> targets;
  for (const InputSpec& spec : lifted->signature().inputs) targets.push_back(spec.target);
  EXPECT_EQ(targets, (std::vector<std::string>{"layer.weight", "captured", "x"}));
  const Tensor result = run_lifted(*lifted, {full({3}, 2.0), ones({3})})[0];
  EXPECT_EQ(to_text(result), "tensor([12., 12., 12.])");
}

TEST(LiftState, BuffersOfTheCallerAreWritten) {
  Tensor count = zeros({1});
  const Program program = export_program(
      [&](const Tensor& x) {
        count.add_(1);
        return mul(x, count);
      },
      {.names = {"x"}, .state = {{"count", count, false}}}, ones({1}));
  const ExportedProgramPtr lifted = lift_state(*program_of(program.value().get()));

  const Tensor own = full({1}, 5.0);
  EXPECT_EQ(to_text(run_lifted(*lifted, {own, ones({1})})[0]), "tensor([6.])");
  EXPECT_EQ(to_text(own), "tensor([6.])");
  EXPECT_EQ(to_text(count), "tensor([0.])");
}

}  // namespace
}  // namespace opwright
