#include "opwright/run/symbol_source.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/symint.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

bool read_number(const OpwValue& value, NumberPlace place, int64_t& number) noexcept {
  using Part = ShownNumber::Part;
  if (place.part == Part::Number) {
    number = value.as_int;
    return (value.tag == kOpwInt || value.tag == kOpwSymInt) && !is_symbolic(number);
  }
  if (value.tag != kOpwTensor || !value.as_tensor) return false;
  const OpwTensor& tensor = *value.as_tensor;
  if (tensor.flags & (kOpwFlagSymbolic | kOpwFlagStale)) return false;
  if (place.part == Part::Offset) {
    number = impl(value.as_tensor).storage_offset;
    return true;
  }
  if (place.dim >= static_cast<uint32_t>(tensor.dl.ndim)) return false;
  number = place.part == Part::Size ? tensor.dl.shape[place.dim] : tensor.dl.strides[place.dim];
  return true;
}

SymbolSource source_of(const SymbolBinding& binding, uint32_t slot,
                       const std::vector<std::string>& symbols) {
  const auto found = std::ranges::find(symbols, binding.symbol);
  return {.slot = slot,
          .place = {binding.shown.part, binding.shown.dim},
          .symbol = static_cast<uint32_t>(found - symbols.begin()),
          .factor = binding.factor,
          .constant = binding.constant};
}

bool read_symbol(const SymbolSource& source, const OpwValue& value, int64_t& symbol) noexcept {
  int64_t number = 0;
  if (!read_number(value, source.place, number)) return false;
  if (__builtin_sub_overflow(number, source.constant, &symbol)) return false;
  if (source.factor == 1) return !is_symbolic(symbol);
  if (symbol % source.factor != 0) return false;
  symbol /= source.factor;
  return true;
}

}  // namespace opwright
