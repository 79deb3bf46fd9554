// Runs plans for tests, and evaluate() on the same graph.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/graph_operators.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/run/plan.h"
#include "opwright/value.h"

namespace opwright::testing {

template <class... Inputs>
std::vector<Value> given(const Inputs&... inputs) {
  std::vector<Value> values;
  (values.emplace_back(inputs), ...);
  return values;
}

inline std::vector<OpwValue> lent(const std::vector<Value>& values) {
  std::vector<OpwValue> borrowed;
  for (const Value& value : values) borrowed.push_back(value.get());
  return borrowed;
}

inline PlanPtr make_plan(const std::string& text) {
  return make_intrusive<const Plan>(parse_graph(text));
}

inline std::vector<Value> run(const Plan& plan, const std::vector<Value>& inputs,
                              StepWatch* watch = nullptr) {
  return plan.run(lent(inputs), watch);
}

inline Tensor copy(const Tensor& x) {
  return map(x, [](float value) { return value; });
}

// A test's operators and their CPU kernels, registered for its duration.
class ScopedOperator {
 public:
  template <class Kernel>
  ScopedOperator(const std::string& schema, Kernel kernel, Tags tags = {})
      : defined_(Registry::get().define(schema, tags)),
        kernel_(Registry::get().implement(schema.substr(0, schema.find('(')), Slot::Cpu, kernel)) {}

 private:
  Registration defined_;
  Registration kernel_;
};

}  // namespace opwright::testing
