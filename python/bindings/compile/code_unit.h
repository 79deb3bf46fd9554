// The raw instructions of a code object: opcodes with their whole arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Python.h>

namespace opwright::python {

struct CodeUnit {
  int opcode;
  uint32_t argument;  // with its EXTENDED_ARG
  size_t begin;       // in units of two bytes, from the first EXTENDED_ARG
  size_t end;         // after its caches
};

// As the compiler wrote them: neither specialized nor instrumented.
[[nodiscard]] std::vector<CodeUnit> read_code_units(PyCodeObject* code);

}  // namespace opwright::python
