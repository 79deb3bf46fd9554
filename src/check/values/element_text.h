// Index and value of an element as text, for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "opwright/tensor.h"

namespace opwright {

// The bytes of a contiguous tensor on the CPU.
[[nodiscard]] std::span<const std::byte> bytes_of(const Tensor& contiguous);
// "[1, 2]": the index of an element, given in logical order.
[[nodiscard]] std::string index_text(int64_t element, std::span<const int64_t> sizes);
// "0.5", "True", "(1+2j)"; with enough digits to read back exactly.
[[nodiscard]] std::string element_text(const Tensor& contiguous, int64_t element);

}  // namespace opwright
