// Compiles a function that contains the call of an example, for the check of compiled code.
//
// The function reads every argument before the call and again after it, and every result. So there
// is generated code on both sides of the call, which relies on its schema and its fake kernel: on
// the layouts of results, and that nothing else is written.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

struct CompiledCall {
  GraphPtr graph;
  ExecutablePtr executable;
  std::vector<Value> results;  // of the traced call: their tensors and ints come first
  SymbolicForms forms;         // of Example::tensors()
};

// Sizes are fixed (TracingMode::Fake) or symbolic. Errors of tracing and compiling are passed on.
[[nodiscard]] CompiledCall compile_call(const Example& example, TracingMode mode);

struct ReadCall {
  Outcome outcome;
  std::vector<Tensor> changes;   // per distinct tensor: before minus after; none for bools
  std::vector<Tensor> readings;  // per result
};
// Both run on a copy.
[[nodiscard]] ReadCall run_compiled(const CompiledCall& compiled, const Example& example);
[[nodiscard]] ReadCall run_plainly(const Example& example);

}  // namespace opwright
