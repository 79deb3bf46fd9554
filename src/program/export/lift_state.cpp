#include "opwright/program/export/lift_state.h"

#include <utility>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/output_specs.h"
#include "opwright/program/export/signature.h"

namespace opwright {

ExportedProgramPtr lift_state(const ExportedProgram& program) {
  ExportedProgram::Parts parts;
  parts.graph = program.graph().copy();
  parts.signature = program.signature();
  parts.constants.assign(program.constants().begin(), program.constants().end());
  parts.operators.assign(program.operators().begin(), program.operators().end());
  for (InputSpec& spec : parts.signature.inputs) {
    if (spec.kind != InputKind::Parameter && spec.kind != InputKind::Buffer) continue;
    spec.kind = InputKind::UserInput;
    parts.graph->make_argument(*parts.graph->find(spec.value));
  }
  parts.signature.outputs = outputs_of(*parts.graph, parts.signature);
  return make_intrusive<ExportedProgram>(std::move(parts));
}

}  // namespace opwright
