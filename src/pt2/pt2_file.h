// PyTorch's exported programs (.pt2), read and written without PyTorch.
#pragma once

#include <string>
#include <string_view>

#include "opwright/program/export/exported_program.h"
#include "opwright/visibility.h"

namespace opwright {

// Reads an archive that torch.export.save of torch 2.9 to 2.13 wrote, and exports its graph again.
// Weights are mapped from the file, which must not change while the program exists; pickled parts
// are never read. Operators are looked up by name: the libraries of custom ones must be loaded.
// The caller's grad mode, autocast and transforms do not matter.
// OSError if the file cannot be read; ValueError if it is damaged (what and where);
// NotImplementedError for what is not supported, by name; MemoryError; OverflowError for sizes
// that 64 bits cannot hold; for a call of the graph that fails, the operator's own error, with a
// note of the node. Every error names the archive.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr load_pt2(const std::string& path);
// The same for bytes in memory; `origin` is used in messages. Tensors are copied.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr read_pt2(std::string_view bytes,
                                                          const std::string& origin);

// Writes an archive that torch.export.load of torch 2.13 reads. Example inputs are left out: the
// format has them as pickles. NotImplementedError for what PyTorch does not have, by name;
// ValueError for tensors without memory; OSError.
OPWRIGHT_EXPORT void save_pt2(const ExportedProgram& program, const std::string& path);
// The same as bytes.
[[nodiscard]] OPWRIGHT_EXPORT std::string write_pt2(const ExportedProgram& program);

}  // namespace opwright
