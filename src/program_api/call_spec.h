// The inputs and outputs of a program for callers without Python: a flat list of tensors and
// numbers. Arguments that export stored as constants are part of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

struct ValueSpec {
  struct Size {
    SymInt size;  // plain, or an expression of the graph's environment
    SymRange range;
  };

  // For an input, its target: "x", "batch[\"mask\"]". For an output, its value in the graph, its
  // size expression, or, for a constant, "output2".
  std::string name;
  uint32_t tag = kOpwTensor;
  DType dtype = DType::Int64;  // for a number: the dtype of the tensor that carries it
  Device device = kCpu;
  std::vector<Size> sizes;  // of a tensor
  bool is_written = false;
};

struct CallSpec {
  std::vector<ValueSpec> inputs;  // without constants
  std::vector<ValueSpec> outputs;
  bool keeps_state = false;  // a run writes a buffer or a parameter
};
// Queries the graph's environment: one thread at a time.
[[nodiscard]] OPWRIGHT_EXPORT CallSpec describe_call(const ExportedProgram& program);

// All user inputs in order: the given ones, as many as CallSpec::inputs, with the program's
// constants inserted. Nothing is retained.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<OpwValue> add_constants(const ExportedProgram& program,
                                                                  std::span<const OpwValue> given);

}  // namespace opwright
