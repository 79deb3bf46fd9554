// For programs that link the core (opwright::opwright): loading operator binaries, and showing
// tensors.
//
// Such a program calls operators through opwright/functions.h and OperatorHandle. Operator binaries
// do not include this.
#pragma once

#include <string>
#include <vector>

#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Takes all that an operator binary registers, as one: either everything is there afterwards or
// nothing. The same file twice is harmless. OSError for a file that is not there or lacks a
// dependency; ImportError for one that is no operator binary, or is of another ABI version;
// ValueError for an operator that another binary defined (both paths named) and for a wrong schema;
// TypeError for a function that differs from its schema; AttributeError for an import that the core
// lacks. Any thread.
OPWRIGHT_EXPORT void load_library(const std::string& path);

// The same of a plug-in: gives the names of the devices that it adds. A device is never removed.
// ImportError for a binary that adds none, ValueError for a device that another one added.
OPWRIGHT_EXPORT std::vector<std::string> load_device(const std::string& path);

// Removes what load_library registered. The file stays mapped, so that what is still held fails
// with an error instead of a crash; load_library takes it back. ValueError for a file that is not
// loaded.
OPWRIGHT_EXPORT void unload_library(const std::string& path);

// What a binary would register; nothing is registered.
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
// A line for each definition, function and import.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const LibraryDescription& description);

// The text of a tensor, as PyTorch prints it:
//
//   tensor([[1., 2.],
//           [3., 4.]], device='cuda:0', dtype=float16, requires_grad=True)
//
// Floats have four digits, or a scientific form where their magnitudes differ much. More than 1000
// elements are cut to three at each end of a dimension. The dtype is shown where it is not float32,
// int64 or bool, the device where it is not cpu. A tensor without memory of its own shows its
// sizes, tensor(..., size=(2, s0)); so does one with so many dimensions that even the cut form is
// endless. Memory of another device is copied to the cpu first; throws what that copy throws.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Tensor& tensor);
}  // namespace opwright
