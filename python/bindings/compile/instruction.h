// Instruction: what an instruction of Python's bytecode does, the same for all versions of CPython.
#pragma once

#include <cstdint>
#include <vector>

#include <Python.h>

namespace opwright::python {

enum class Operation : uint8_t {
  Other,          // reads no state but its operands
  LoadLocal,      // `argument` and `second_local` are indices of slots
  LoadGlobal,     // `name`, or a built-in
  ChangeGlobal,   // stores or deletes `name`
  LoadCell,       // the slot `argument`
  ChangeCell,     // stores or deletes the slot `argument`
  LoadAttribute,  // `name` of operand 1
  ChangeAttribute,
  Import,              // the module `name`
  LoadSuperAttribute,  // `name` of super(operand 2, operand 1); operand 3 is `super`
  LoadSubscript,       // of operand 2 by operand 1
  ChangeSubscript,
  ReadContents,   // iterates over `operand`, unpacks, slices or negates it
  TestTruth,      // of operand 1
  FindMember,     // operand 2 in operand 1
  Compute,        // of operands 1 and 2
  Format,         // `operand` as text
  Call,           // of `argument` arguments
  CallWithTuple,  // operands: a tuple or list, and a dict if `argument` is 1
  MatchClass,     // of operand 3 by the names in operand 1
};

// Operands are counted from the top of the stack, from 1. Objects are borrowed from the code.
struct Instruction {
  Operation operation = Operation::Other;
  bool has_names_operand = false;     // of a call: operand 1 is the tuple of its keywords
  uint32_t argument = 0;              // slot, number of arguments, or the instruction's own
  uint32_t second_local = 0;          // slot
  uint32_t operand = 1;               // what ReadContents and Format read
  int num_operands = -1;              // on the stack before it runs; -1 if not known
  PyObject* name = nullptr;           // of a global or attribute
  PyObject* keyword_names = nullptr;  // of a call, a tuple; null: in operand 1, or none
};

// The instruction at each code unit of `code`, two bytes.
[[nodiscard]] std::vector<Instruction> decode_instructions(PyCodeObject* code);

}  // namespace opwright::python
