// An exported program of ours as PyTorch's archives state one.
#pragma once

#include "opwright/program/export/exported_program.h"
#include "opwright/pt2/archive/archive_graph.h"

namespace opwright::pt2 {

// NotImplementedError for what PyTorch has no form for, by name: operators of ours alone, classes
// in the structure of the call, the state of random numbers in control flow.
[[nodiscard]] ArchiveProgram make_archive_program(const ExportedProgram& program);

// A tensor without symbols, as archives state it.
[[nodiscard]] WrittenTensor describe_tensor(const Tensor& tensor);

}  // namespace opwright::pt2
