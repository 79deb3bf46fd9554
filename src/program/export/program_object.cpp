#include "opwright/program/export/program_object.h"

#include <cstdint>
#include <string>
#include <utility>

#include "opwright/base/counted_object.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/value.h"

namespace opwright {
namespace {

struct ProgramTraits {
  using Held = ExportedProgram;
  static constexpr const char* kTypeName = "ExportedProgram";
  static bool are_equal(const ExportedProgram& a, const ExportedProgram& b) { return &a == &b; }
  static uint64_t hash(const ExportedProgram& program) {
    return reinterpret_cast<uintptr_t>(&program);
  }
  static std::string text(const ExportedProgram& program) { return to_text(program); }
};
using ProgramObject = CountedObject<ProgramTraits>;

}  // namespace

Value program_value(ExportedProgramPtr program) { return ProgramObject::make(std::move(program)); }

ExportedProgramPtr program_of(const OpwValue& value) {
  const ProgramObject* found = ProgramObject::find(value);
  OPWRIGHT_CHECK_TYPE(found, "expected an ExportedProgram, got ", tag_name(value.tag));
  return found->held();
}

}  // namespace opwright
