// Operators that need no body of their own, because they call another one: aliases, and in-place
// and `out` forms that write its results. All transforms see through them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "opwright/tensor.h"

namespace opwright {

// An operator, and the one that it calls.
struct DerivedForm {
  const char* name;    // "aten::absolute"
  const char* source;  // "aten::abs"
  uint32_t line;       // in the file that declares it
};

// Both are registered when the registry is first used, and return true. Aliases have the arguments
// and results of their source.
bool register_aliases(const char* file, std::initializer_list<DerivedForm> forms);

// A form has the arguments of its source; it writes the first one, or as many further ones as the
// source has results. The results are computed before anything is written. An argument of another
// size is an error, except that an empty `out` gets the sizes of its result.
bool register_writing_forms(const char* file, std::initializer_list<DerivedForm> forms);

// Writes a result as an out form does; `who` is the form's name in errors. Throws TypeError and
// ValueError if `out` cannot hold it.
void write_to_out(const std::string& who, const Tensor& result, Tensor& out);

}  // namespace opwright
