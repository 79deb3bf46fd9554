// Exports the call of an example as a program, for the checks of exports.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/variation/other_sizes.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/transforms/trace/trace.h"
#include "opwright/value.h"

namespace opwright {

struct ExportedCall {
  ExportedProgramPtr program;
  std::vector<Value> results;  // of the export: their tensors and ints are the outputs

  // Empty for a program of fixed sizes.
  [[nodiscard]] const ShapeEnv& env() const;
  // The forms of Example::tensors(), as the program accepts them.
  [[nodiscard]] SymbolicForms forms() const;
  // Whether the program accepts only one size there.
  [[nodiscard]] bool is_fixed(size_t tensor, size_t dim) const;
};

// Each of Example::tensors() is a separate input; its sizes are dynamic as far as the operator
// allows. Errors of the export are passed on.
[[nodiscard]] ExportedCall export_call(const Example& example, TraceOptions trace = {});
// The same, written to bytes and read back.
[[nodiscard]] ExportedCall read_back(const ExportedCall& exported);
// Runs the program on a copy.
[[nodiscard]] Outcome run_program(const ExportedCall& exported, const Example& example);

}  // namespace opwright
