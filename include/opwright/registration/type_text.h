// Types in schema syntax: the name of a value's tag, and text built at compile time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Text built at compile time, in two passes: one to count its length, one to write it.
struct TextWriter {
  char* to = nullptr;  // null: only counts
  size_t size = 0;

  constexpr void put(char character) {
    if (to) to[size] = character;
    ++size;
  }
  constexpr void put(const char* text) {
    for (; *text; ++text) put(*text);
  }
};

// The name of the tag in schema syntax: "int", "Tensor[]", ...
constexpr const char* tag_name(uint32_t tag) {
  switch (tag) {
    case kOpwNone:
      return "None";
    case kOpwTensor:
      return "Tensor";
    case kOpwInt:
      return "int";
    case kOpwFloat:
      return "float";
    case kOpwBool:
      return "bool";
    case kOpwSymInt:
      return "SymInt";
    case kOpwComplex:
      return "complex";
    case kOpwString:
      return "str";
    case kOpwDtype:
      return "ScalarType";
    case kOpwDeviceValue:
      return "Device";
    case kOpwLayout:
      return "Layout";
    case kOpwMemoryFormat:
      return "MemoryFormat";
    case kOpwIntList:
      return "int[]";
    case kOpwSymIntList:
      return "SymInt[]";
    case kOpwFloatList:
      return "float[]";
    case kOpwBoolList:
      return "bool[]";
    case kOpwTensorList:
      return "Tensor[]";
    case kOpwList:
      return "a list";
    case kOpwObject:
      return "an object";
    default:
      return "a value of a newer ABI";
  }
}
}  // namespace opwright
