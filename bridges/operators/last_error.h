// Errors of a bridge's C functions for Python, which calls them through ctypes.
#pragma once

#include <string>

#include "opwright/error.h"

namespace opwright::bridges {

// The last error of a thread, valid until the next call.
struct LastError {
  std::string kind;
  std::string message;
};
[[nodiscard]] inline LastError& last_error() {
  thread_local LastError error;
  return error;
}

// Returns 0, or 1 with the error in last_error.
template <class Body>
int status_of(const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    const Error error = current_error();
    last_error() = {error.kind(), error.message()};
    return 1;
  }
}

}  // namespace opwright::bridges
