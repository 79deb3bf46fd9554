// A call of an example inside a compiled function, for the check of that.
//
// The function reads every argument before the call and again after it, and every result, so that
// generated code stands on both sides of the call and relies on what its schema and its fake kernel
// say: layouts of results, and that nothing else is written.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/make_fx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

struct CompiledCall {
  GraphPtr graph;
  ExecutablePtr executable;
  std::vector<Value> results;  // of the call as it was traced: their tensors and ints come first
  SymbolicForms forms;         // of Example::tensors()
};

// Sizes as they are (TracingMode::Fake) or as symbols. Throws what tracing and compiling throw.
[[nodiscard]] CompiledCall compile_call(const Example& example, TracingMode mode);

struct ReadCall {
  Outcome outcome;
  std::vector<Tensor> changes;   // of each distinct tensor: before less after; of bools nothing
  std::vector<Tensor> readings;  // of each result
};
// Both on a copy.
[[nodiscard]] ReadCall run_compiled(const CompiledCall& compiled, const Example& example);
[[nodiscard]] ReadCall run_plainly(const Example& example);

}  // namespace opwright
