#include "opwright/program/program_object.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/program/exported_program.h"
#include "opwright/value.h"

namespace opwright {
namespace {

struct ProgramObject : OpwObject, Counted<ProgramObject> {
  explicit ProgramObject(ExportedProgramPtr held);
  ExportedProgramPtr program;
};

ProgramObject& as_program_object(const OpwObject* object) {
  return const_cast<ProgramObject&>(static_cast<const ProgramObject&>(*object));
}

void retain_program(OpwObject* object) { as_program_object(object).add_ref(); }
void release_program(OpwObject* object) { as_program_object(object).release(); }

int are_one_program(const OpwObject* a, const OpwObject* b) {
  return as_program_object(a).program.get() == as_program_object(b).program.get() ? 1 : 0;
}

uint64_t hash_program(const OpwObject* object) {
  return reinterpret_cast<uintptr_t>(as_program_object(object).program.get());
}

size_t write_program_text(const OpwObject* object, char* buffer, size_t capacity) {
  const std::string text = to_text(*as_program_object(object).program);
  if (capacity > 0) {
    const size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

constexpr OpwObjectTable kProgramTable = {
    sizeof(OpwObjectTable), "ExportedProgram", &retain_program,    &release_program,
    &are_one_program,       &hash_program,     &write_program_text};

ProgramObject::ProgramObject(ExportedProgramPtr held)
    : OpwObject{&kProgramTable}, program(std::move(held)) {}

}  // namespace

Value program_value(ExportedProgramPtr program) {
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = new ProgramObject(std::move(program));
  return Value::take(value);
}

ExportedProgramPtr program_of(const OpwValue& value) {
  const bool is_program =
      value.tag == kOpwObject && value.as_object && value.as_object->table == &kProgramTable;
  OPWRIGHT_CHECK_TYPE(is_program, "expected an ExportedProgram, got ", tag_name(value.tag));
  return as_program_object(value.as_object).program;
}

}  // namespace opwright
