// The error that a C function of the core passed on this thread before it returned 1.
//
// throw_given_error() of opwright/error.h takes it and throws.
#pragma once

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/visibility.h"

namespace opwright {

// Takes over one count; releases an earlier error that was not taken. Null drops the earlier one.
OPWRIGHT_EXPORT void give_error(OpwError* error) noexcept;

// The pending error, owned by the caller, or null.
[[nodiscard]] OpwError* take_error() noexcept;

// The status of a C function that runs `body`: 0, or 1 after passing the exception as the error.
template <class Body>
int status_of(const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    give_error(current_error().share());
    return 1;
  }
}

}  // namespace opwright
