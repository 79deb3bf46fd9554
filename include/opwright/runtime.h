// What a program that hosts operators uses beside opwright.h: operator binaries as files, tensors
// as text.
//
// For programs that link libopwright: the CMake target opwright::opwright, or opwright-config
// --program-cxxflags --libs. They call operators as the core does: opwright::mul(x, y), or, for an
// operator that a binary brought, OperatorHandle<Tensor(const Tensor&, double)>
// soft_clip("audio::soft_clip").
#pragma once

#include <string>
#include <vector>

#include "opwright/operator_handle.h"

#ifdef OPWRIGHT_CORE
#define OPWRIGHT_FOR_PROGRAMS
#else
// An operator binary that calls these would need libopwright where it is loaded.
#define OPWRIGHT_FOR_PROGRAMS                                                           \
  __attribute__((                                                                       \
      error("opwright/runtime.h is for programs that link libopwright; link the CMake " \
            "target opwright::opwright or use opwright-config --program-cxxflags")))
#endif

namespace opwright OPWRIGHT_VISIBILITY {
// Takes all that the binary registers, as one: either everything is there afterwards or nothing.
// The same file twice is harmless. OSError for a file that cannot be opened; ImportError for one
// that is not an operator binary or is of another ABI version; ValueError for an operator that
// another binary defined and for a wrong schema; TypeError for a function that differs from its
// schema; AttributeError for an import that the core lacks. Any thread.
OPWRIGHT_FOR_PROGRAMS void load_library(const std::string& path);

// Removes what load_library registered; load_library takes it back. ValueError for a file that is
// not loaded.
OPWRIGHT_FOR_PROGRAMS void unload_library(const std::string& path);

// What a binary would register.
struct LibraryDescription {
  std::string path;
  struct Definition {
    std::string schema;  // canonical, with its namespace
    std::string site;
  };
  struct Function {
    std::string name;
    std::string slot;
    std::string signature;  // empty: boxed by hand
    std::string site;
  };
  std::vector<Definition> definitions;
  std::vector<Function> functions;
  std::vector<std::string> imports;  // by name
};
// Nothing is registered. Errors of the file as for load_library.
OPWRIGHT_FOR_PROGRAMS LibraryDescription describe_library(const std::string& path);
// A line for each definition, function and import.
OPWRIGHT_FOR_PROGRAMS std::string to_text(const LibraryDescription& description);

// The elements, as PyTorch prints them; of a tensor without memory its size, device and dtype.
[[nodiscard]] OPWRIGHT_FOR_PROGRAMS std::string to_text(const Tensor& tensor);
}  // namespace opwright

#undef OPWRIGHT_FOR_PROGRAMS
