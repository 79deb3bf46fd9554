// A size, stride, offset or number of a value, and the symbol whose value follows from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/value.h"

namespace opwright {

struct NumberPlace {
  ShownNumber::Part part = ShownNumber::Part::Size;
  uint32_t dim = 0;
};

// False if the number does not exist or is symbolic.
[[nodiscard]] bool read_number(const OpwValue& value, NumberPlace place, int64_t& number) noexcept;

struct SymbolSource {
  uint32_t slot = 0;  // of the value
  NumberPlace place;
  uint32_t symbol = 0;  // its index among the symbols of a plan
  int64_t factor = 1;
  int64_t constant = 0;
};

[[nodiscard]] SymbolSource source_of(const SymbolBinding& binding, uint32_t slot,
                                     const std::vector<std::string>& symbols);

// Computes the symbol's value; false if no integer solution exists or the number cannot be read.
[[nodiscard]] bool read_symbol(const SymbolSource& source, const OpwValue& value,
                               int64_t& symbol) noexcept;

}  // namespace opwright
