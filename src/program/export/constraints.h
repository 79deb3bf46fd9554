// What an export demanded of sizes, held against what the function asked of them.
#pragma once

#include <string>
#include <vector>

#include "opwright/program.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

// A size of an input that the caller said something of.
struct DeclaredSize {
  std::string place;  // "dimension 0 of 'x'", "'n'"
  Dim dim;
  SymInt size;  // symbolic, but for a Static one
  int64_t given = 0;
  std::string entry = {};  // where Python's dynamic_shapes has it: `dynamic_shapes["x"][0]`
};

// ValueError where a Dim is fixed, derived from another one, or narrower than its bounds: each
// place, the lines that asked, and definitions to use instead.
void check_constraints(const ShapeEnv& env, const std::vector<DeclaredSize>& declared);

}  // namespace opwright
