#include "bindings/compile/instruction.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Python.h>
#include <opcode.h>

#include "bindings/compile/code_unit.h"
#include "bindings/compile/interpreter_frame.h"
#include "bindings/compile/stack_depth.h"

namespace opwright::python {
#if OPWRIGHT_KNOWS_INTERPRETER
namespace {

constexpr bool kIs311 = PY_VERSION_HEX < 0x030C0000;

PyObject* name_at(PyCodeObject* code, uint32_t index) {
  return PyTuple_GET_ITEM(code->co_names, static_cast<Py_ssize_t>(index));
}

Instruction slots(Operation operation, uint32_t first, uint32_t second) {
  return {.operation = operation, .argument = first, .second_local = second};
}

Instruction named(Operation operation, PyCodeObject* code, uint32_t index) {
  return {.operation = operation, .name = name_at(code, index)};
}

Instruction reads(Operation operation, uint32_t operand) {
  return {.operation = operation, .operand = operand};
}

Instruction takes(Operation operation, uint32_t argument) {
  return {.operation = operation, .argument = argument};
}

// Instructions that some versions do not have, or have with another meaning.
Instruction decode_of_version([[maybe_unused]] PyCodeObject* code, const CodeUnit& unit) {
  const uint32_t argument = unit.argument;
  switch (unit.opcode) {
#if PY_VERSION_HEX < 0x030C0000
    case LOAD_METHOD:
      return named(Operation::LoadAttribute, code, argument);
    case LOAD_CLASSDEREF:
      return takes(Operation::LoadCell, argument);
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
      return takes(Operation::TestTruth, argument);
    case PRECALL:
      return takes(Operation::Call, argument);
    case UNARY_POSITIVE:
      return reads(Operation::ReadContents, 1);
#else
    case CALL_INTRINSIC_1: {
      constexpr uint32_t kUnaryPlus = 5;
      return argument == kUnaryPlus ? reads(Operation::ReadContents, 1) : Instruction{};
    }
    case LOAD_FAST_CHECK:
      return slots(Operation::LoadLocal, argument, argument);
    case LOAD_FROM_DICT_OR_GLOBALS:
      return named(Operation::LoadGlobal, code, argument);
    case LOAD_FROM_DICT_OR_DEREF:
      return takes(Operation::LoadCell, argument);
    case LOAD_SUPER_ATTR:
      return named(Operation::LoadSuperAttribute, code, argument >> 2);
    case BINARY_SLICE:
    case STORE_SLICE:
      return reads(Operation::ReadContents, 3);
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE:
      return takes(Operation::TestTruth, argument);
    case CALL:
      return takes(Operation::Call, argument);
#endif
#if PY_VERSION_HEX >= 0x030D0000
    case LOAD_FAST_LOAD_FAST:
    case STORE_FAST_LOAD_FAST:
      return slots(Operation::LoadLocal, argument & 15, argument >> 4);
    case TO_BOOL:
      return takes(Operation::TestTruth, argument);
    case CALL_KW: {
      Instruction call = takes(Operation::Call, argument);
      call.has_names_operand = true;
      return call;
    }
    case CONVERT_VALUE:
    case FORMAT_SIMPLE:
      return reads(Operation::Format, 1);
    case FORMAT_WITH_SPEC:
      return reads(Operation::Format, 2);
#else
    case FORMAT_VALUE:
      return reads(Operation::Format, (argument & 4) != 0 ? 2 : 1);
#endif
    default:
      return {};
  }
}

Instruction decode(PyCodeObject* code, const CodeUnit& unit) {
  const uint32_t argument = unit.argument;
  switch (unit.opcode) {
    case LOAD_FAST:
      return slots(Operation::LoadLocal, argument, argument);
    case LOAD_GLOBAL:
      return named(Operation::LoadGlobal, code, argument >> 1);
    case LOAD_NAME:
      return named(Operation::LoadGlobal, code, argument);
    case STORE_GLOBAL:
    case DELETE_GLOBAL:
      return named(Operation::ChangeGlobal, code, argument);
    case LOAD_DEREF:
      return takes(Operation::LoadCell, argument);
    case STORE_DEREF:
    case DELETE_DEREF:
      return takes(Operation::ChangeCell, argument);
    case LOAD_ATTR:  // since 3.12 the lowest bit says that a method is called
      return named(Operation::LoadAttribute, code, kIs311 ? argument : argument >> 1);
    case IMPORT_NAME:
      return named(Operation::Import, code, argument);
    case IMPORT_FROM:
      return named(Operation::LoadAttribute, code, argument);
    case STORE_ATTR:
    case DELETE_ATTR:
      return named(Operation::ChangeAttribute, code, argument);
    case BINARY_SUBSCR:
      return takes(Operation::LoadSubscript, argument);
    case STORE_SUBSCR:
    case DELETE_SUBSCR:
      return takes(Operation::ChangeSubscript, argument);
    case GET_ITER:
    case GET_YIELD_FROM_ITER:
    case FOR_ITER:
    case UNPACK_SEQUENCE:
    case UNPACK_EX:
    case GET_LEN:
    case LIST_EXTEND:
    case SET_UPDATE:
    case DICT_UPDATE:
    case DICT_MERGE:
    case BEFORE_WITH:
    case UNARY_NEGATIVE:
    case UNARY_INVERT:
      return reads(Operation::ReadContents, 1);
    case MATCH_KEYS:
    case SEND:
      return reads(Operation::ReadContents, 2);
    case UNARY_NOT:
      return takes(Operation::TestTruth, argument);
    case CONTAINS_OP:
      return takes(Operation::FindMember, argument);
    case COMPARE_OP:
    case BINARY_OP:
      return takes(Operation::Compute, argument);
    case CALL_FUNCTION_EX:
      return takes(Operation::CallWithTuple, argument & 1);
    case MATCH_CLASS:
      return takes(Operation::MatchClass, argument);
    default:
      return decode_of_version(code, unit);
  }
}

// The names of a call's keywords, which an instruction before the call holds until 3.12.
PyObject* keyword_names([[maybe_unused]] PyCodeObject* code,
                        [[maybe_unused]] const CodeUnit& unit) {
#if PY_VERSION_HEX < 0x030D0000
  if (unit.opcode == KW_NAMES)
    return PyTuple_GET_ITEM(code->co_consts, static_cast<Py_ssize_t>(unit.argument));
#endif
  return nullptr;
}

}  // namespace

std::vector<Instruction> decode_instructions(PyCodeObject* code) {
  const std::vector<CodeUnit> units = read_code_units(code);
  const std::vector<int> depths = find_stack_depths(code, units);
  std::vector<Instruction> instructions(units.empty() ? 0 : units.back().end);
  PyObject* names = nullptr;
  for (const CodeUnit& unit : units) {
    Instruction instruction = decode(code, unit);
    if (instruction.operation == Operation::Call) instruction.keyword_names = names;
    if (!depths.empty()) instruction.num_operands = depths[unit.begin];
    names = keyword_names(code, unit);
    for (size_t at = unit.begin; at < unit.end; ++at) instructions[at] = instruction;
  }
  return instructions;
}

#else

std::vector<Instruction> decode_instructions(PyCodeObject* /*code*/) { return {}; }

#endif
}  // namespace opwright::python
