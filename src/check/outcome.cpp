#include "opwright/check/outcome.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/device.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

std::vector<Tensor> Outcome::result_tensors() const {
  std::vector<Tensor> found;
  for (const Value& value : results) {
    visit_tensors(value.get(), [&](OpwTensor* tensor) { found.push_back(Tensor::borrow(tensor)); });
  }
  return found;
}

Outcome run_example(const Example& example, uint64_t seed) {
  RandomState numbers(kCpu, seed);
  const DefaultGeneratorScope scope(numbers);
  const std::vector<OpwValue> args = example.arguments();
  Outcome outcome{example, {}, std::nullopt};
  OwnedResults results(example.op().num_results());
  try {
    call(example.op(), args, results.get());
  } catch (const Error& error) {
    outcome.error = error;
    return outcome;
  }
  for (OpwValue& result : results.get()) {
    outcome.results.push_back(Value::take(std::exchange(result, OpwValue{})));
  }
  return outcome;
}

}  // namespace opwright
