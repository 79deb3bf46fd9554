// How autocast casts the floating-point arguments of built-in operators.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace opwright {

enum class AutocastPolicy : uint8_t {
  None,     // no cast
  Lower,    // cast to the mode's dtype: products and convolutions
  Float32,  // cast to float32, where lower precision loses too much: losses, powers, sums
  Widest,   // cast to the widest among them, for operators that need a single dtype
};

struct AutocastEntry {
  const char* name;  // "aten::mm"
  AutocastPolicy cpu;
  AutocastPolicy accelerator;  // every other device
  uint32_t line;               // in `file`
};

// Registers an Autocast rule for each operator when the registry is first used. Returns true.
bool register_autocast(const char* file, std::initializer_list<AutocastEntry> entries);

}  // namespace opwright
