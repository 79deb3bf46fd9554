#include "opwright/check/example/outcome.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/device.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

std::vector<Tensor> Outcome::result_tensors() const { return tensors_of(results); }

std::string text_of(const Error& error) { return concatenate(error.kind(), ": ", error.message()); }

std::string result_name(const Operator& op, size_t index) {
  return op.num_results() == 1 ? "the result" : concatenate("result ", index + 1);
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
