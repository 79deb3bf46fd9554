// Sizes that depend on data: the same call on the same data has the same ones.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/value.h"

namespace opwright {

class Operator;

// The calls of one FakeMode whose results have sizes that depend on data.
class DynamicCalls {
 public:
  // After a call on fakes. If an earlier call of the operator had these arguments, and none of
  // their tensors was written since, the environment learns that the sizes of the results are
  // equal. An operator that draws random numbers is ignored.
  void relate(const Operator& op, Arguments args, Results results, ShapeEnv& shape_env);

 private:
  struct Call {
    const Operator* op;
    std::vector<Value> args;
    std::vector<uint64_t> versions;  // of the tensors among the arguments
    std::vector<SymSizes> sizes;     // of the tensors among the results
  };
  [[nodiscard]] const Call* find(const Call& wanted) const;

  std::vector<Call> calls_;
};

}  // namespace opwright
