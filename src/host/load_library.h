// Loading operator binaries into this process's registry.
#pragma once

#include <string>

namespace opwright {

// Takes all that the binary registers, as one: either everything is there afterwards or nothing.
// The same file twice is harmless. Besides the errors of open_binary: ValueError for an operator
// that another binary defined (both paths named) and for a wrong schema, TypeError for a function
// that differs from its schema, AttributeError for an import that the core lacks. Any thread.
void load_library(const std::string& path);

// Removes what load_library registered. The file stays mapped, so that what is still held fails
// with an error instead of a crash; load_library takes it back. ValueError for a file that is not
// loaded.
void unload_library(const std::string& path);

}  // namespace opwright
