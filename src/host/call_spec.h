// What a caller of a program gives and gets where there is no Python: tensors and numbers one after
// the other. Arguments that export took as constants are the program's own.
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

  // An input's target: "x", "batch[\"mask\"]". An output's value in the graph, the expression of
  // sizes that it is, or, of a constant, "output2".
  std::string name;
  uint32_t tag = kOpwTensor;
  DType dtype = DType::Int64;  // of a number: that of the tensor that stands for it
  Device device = kCpu;
  std::vector<Size> sizes;  // of a tensor
  bool is_written = false;
};

struct CallSpec {
  std::vector<ValueSpec> inputs;  // constants left out
  std::vector<ValueSpec> outputs;
  bool keeps_state = false;  // a run writes a buffer or a parameter
};
// Asks the graph's environment: one thread at a time.
[[nodiscard]] OPWRIGHT_EXPORT CallSpec describe_call(const ExportedProgram& program);

// All user inputs in order, the program's constants among the given ones, which are as many as
// CallSpec::inputs. Nothing is retained.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<OpwValue> add_constants(const ExportedProgram& program,
                                                                  std::span<const OpwValue> given);

}  // namespace opwright
