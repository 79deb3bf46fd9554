// What autocast does with the floating arguments of built-in operators.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace opwright {

enum class AutocastPolicy : uint8_t {
  None,     // leaves the call alone
  Lower,    // to the dtype of the mode: products and convolutions
  Float32,  // what loses too much in fewer digits: losses, powers, sums
  Widest,   // all to the widest among them, for operators that take one dtype
};

struct AutocastEntry {
  const char* name;  // "aten::mm"
  AutocastPolicy cpu;
  AutocastPolicy accelerator;  // every other device
  uint32_t line;               // of `file`
};

// Puts a rule into the Autocast slot of each operator when the registry is first used. Gives true.
bool register_autocast(const char* file, std::initializer_list<AutocastEntry> entries);

}  // namespace opwright
