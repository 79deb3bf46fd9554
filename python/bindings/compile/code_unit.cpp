#include "bindings/compile/code_unit.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <opcode.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"

namespace nb = nanobind;

namespace opwright::python {

std::vector<CodeUnit> read_code_units(PyCodeObject* code) {
  const nb::object held = own(PyCode_GetCode(code));
  const auto* bytes = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(held.ptr()));
  const size_t size = static_cast<size_t>(PyBytes_GET_SIZE(held.ptr())) / 2;
  std::vector<CodeUnit> units;
  for (size_t at = 0; at < size;) {
    CodeUnit unit{.opcode = bytes[2 * at], .argument = bytes[2 * at + 1], .begin = at, .end = 0};
    while (unit.opcode == EXTENDED_ARG && ++at < size) {
      unit.opcode = bytes[2 * at];
      unit.argument = unit.argument << 8 | bytes[2 * at + 1];
    }
    do {
      ++at;
    } while (at < size && bytes[2 * at] == CACHE);
    unit.end = at;
    units.push_back(unit);
  }
  return units;
}

}  // namespace opwright::python
