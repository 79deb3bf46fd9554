// The lengths of the targets of ctc_loss.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symint.h"

namespace opwright {

// The number of labels in one sequence of all targets, which holds `available` labels. RuntimeError
// for a negative length, ValueError if the targets are longer than the sequence.
[[nodiscard]] int64_t count_labels(const char* who, std::span<const int64_t> target_lengths,
                                   const SymInt& available);

}  // namespace opwright
