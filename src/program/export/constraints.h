// Compares the sizes that an export declares with the sizes that the function requires.
#pragma once

#include <string>
#include <vector>

#include "opwright/runtime/program.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

// A size of an input that the caller declared.
struct DeclaredSize {
  std::string place;  // "dimension 0 of 'x'", "'n'"
  Dim dim;
  SymInt size;  // symbolic, except for a Static one
  int64_t given = 0;
  std::string entry = {};  // its entry in Python's dynamic_shapes: `dynamic_shapes["x"][0]`
};

// ValueError if a Dim is fixed, derived from another one, or narrower than its bounds. The message
// lists each dimension, the lines that required it, and definitions to use instead.
void check_constraints(const ShapeEnv& env, const std::vector<DeclaredSize>& declared);

}  // namespace opwright
