// For programs that link the core (opwright::opwright): loads operator binaries and prints tensors.
//
// Such a program calls operators through opwright/functions.h and OperatorHandle. Operator binaries
// do not include this.
#pragma once

#include <string>
#include <vector>

#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Registers the contents of an operator binary atomically: either everything or nothing. Loading
// the same file twice is harmless. Throws OSError for a file that is missing or lacks a dependency;
// ImportError for one that is not an operator binary or has another ABI version; ValueError for an
// operator that another binary defined (both paths named) and for a wrong schema; TypeError for a
// function that differs from its schema; AttributeError for an import that the core does not have.
// Any thread.
OPWRIGHT_EXPORT void load_library(const std::string& path);

// The same for a plug-in: returns the names of the devices that it adds. A device is never removed.
// Throws ImportError for a binary that adds none, ValueError for a device that another one added.
OPWRIGHT_EXPORT std::vector<std::string> load_device(const std::string& path);

// Unregisters what load_library registered. The file stays mapped, so that handles still held fail
// with an error instead of a crash; load_library registers it again. Throws ValueError for a file
// that is not loaded.
OPWRIGHT_EXPORT void unload_library(const std::string& path);

// What a binary would register; describing it registers nothing.
struct LibraryDescription {
  std::string path;
  struct Definition {
    std::string schema;  // canonical, with its namespace
    std::string site;    // "soft_clip.cpp:48"
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
  std::vector<std::string> devices;  // names
};
[[nodiscard]] OPWRIGHT_EXPORT LibraryDescription describe_library(const std::string& path);
// One line for each definition, function and import.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const LibraryDescription& description);

// The text of a tensor, as PyTorch prints it:
//
//   tensor([[1., 2.],
//           [3., 4.]], device='cuda:0', dtype=float16, requires_grad=True)
//
// Floats have four digits, or scientific notation if their magnitudes differ much. More than 1000
// elements are shortened to three at each end of a dimension. The dtype is shown unless it is
// float32, int64 or bool, the device unless it is cpu. A tensor without memory of its own shows its
// sizes, tensor(..., size=(2, s0)); so does one with so many dimensions that even the shortened
// form would be too long. Memory of another device is copied to the cpu first; throws what that
// copy throws.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Tensor& tensor);
}  // namespace opwright
