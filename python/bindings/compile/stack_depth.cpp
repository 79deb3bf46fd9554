#include "bindings/compile/stack_depth.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Python.h>
#include <opcode.h>

#include "bindings/compile/code_unit.h"
#include "bindings/compile/interpreter_frame.h"

#if OPWRIGHT_KNOWS_INTERPRETER
namespace opwright::python {
namespace {

enum class Jump : uint8_t { None, Forward, Backward };

Jump jump_of(int opcode) {
  switch (opcode) {
    case FOR_ITER:
    case SEND:
    case JUMP_FORWARD:
#if PY_VERSION_HEX >= 0x030C0000
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE:
    case POP_JUMP_IF_NONE:
    case POP_JUMP_IF_NOT_NONE:
#else
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_FORWARD_IF_NONE:
    case POP_JUMP_FORWARD_IF_NOT_NONE:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
#endif
      return Jump::Forward;
    case JUMP_BACKWARD:
    case JUMP_BACKWARD_NO_INTERRUPT:
#if PY_VERSION_HEX < 0x030C0000
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE:
#endif
      return Jump::Backward;
    default:
      return Jump::None;
  }
}

bool continues(int opcode) {
  switch (opcode) {
    case JUMP_FORWARD:
    case JUMP_BACKWARD:
    case JUMP_BACKWARD_NO_INTERRUPT:
    case RETURN_VALUE:
    case RAISE_VARARGS:
    case RERAISE:
#if PY_VERSION_HEX >= 0x030C0000
    case RETURN_CONST:
    case INTERPRETER_EXIT:
#endif
      return false;
    default:
      return true;
  }
}

// The depth after an instruction; negative if it is not known.
int depth_after(const CodeUnit& unit, int depth, bool jumps) {
  if (unit.opcode == RETURN_GENERATOR) return 1;  // what is sent to the generator
  const auto argument = static_cast<int>(unit.argument);
#if PY_VERSION_HEX < 0x030C0000
  if (unit.opcode == PRECALL) return depth;  // CALL pops, although the table says otherwise
  if (unit.opcode == CALL) return depth - argument - 1;
#endif
  const int effect = PyCompile_OpcodeStackEffectWithJump(unit.opcode, argument, jumps ? 1 : 0);
  return effect == PY_INVALID_STACK_EFFECT ? -1 : depth + effect;
}

// A handler of exceptions, by code unit, and the depth at its start.
using Handlers = std::vector<std::pair<size_t, int>>;

// The exception table: entries of four numbers in groups of 6 bits, highest first.
Handlers read_handlers(PyCodeObject* code) {
  const auto* at = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(code->co_exceptiontable));
  const uint8_t* end = at + PyBytes_GET_SIZE(code->co_exceptiontable);
  const auto read_number = [&] {
    constexpr uint8_t kContinues = 0x40;
    size_t number = *at & 0x3F;
    while (at + 1 < end && (*at & kContinues) != 0) number = number << 6 | (*++at & 0x3F);
    ++at;
    return number;
  };
  Handlers handlers;
  while (at < end) {
    (void)read_number();  // start
    (void)read_number();  // size
    const size_t target = at < end ? read_number() : 0;
    const size_t depth = at < end ? read_number() : 0;
    const size_t num_pushed = 1 + (depth & 1);  // the exception, and maybe where it was raised
    handlers.emplace_back(target, static_cast<int>((depth >> 1) + num_pushed));
  }
  return handlers;
}

}  // namespace

std::vector<int> find_stack_depths(PyCodeObject* code, std::span<const CodeUnit> units) {
  if (units.empty()) return {};
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> unit_at(units.back().end, kNone);
  for (size_t i = 0; i < units.size(); ++i) unit_at[units[i].begin] = i;
  std::vector<int> depths(units.back().end, -1);
  Handlers pending = read_handlers(code);
  pending.emplace_back(0, 0);
  while (!pending.empty()) {
    auto [at, depth] = pending.back();
    pending.pop_back();
    while (true) {
      if (at >= depths.size() || unit_at[at] == kNone || depth < 0) return {};
      if (depths[at] == depth) break;
      if (depths[at] != -1) return {};  // two paths disagree
      depths[at] = depth;
      const CodeUnit& unit = units[unit_at[at]];
      const Jump jump = jump_of(unit.opcode);
      if (jump != Jump::None) {
        const size_t target =
            jump == Jump::Forward ? unit.end + unit.argument : unit.end - unit.argument;
        pending.emplace_back(target, depth_after(unit, depth, true));
      }
      if (!continues(unit.opcode)) break;
      depth = depth_after(unit, depth, false);
      at = unit.end;
    }
  }
  return depths;
}

}  // namespace opwright::python
#endif
