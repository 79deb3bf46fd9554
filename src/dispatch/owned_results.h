// Results of a call or of a rule that are processed before they are passed on.
#pragma once

#include <cstddef>

#include "opwright/base/small_vector.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/value.h"

namespace opwright {

// Releases the remaining results when destroyed.
class OwnedResults {
 public:
  explicit OwnedResults(size_t count) : values_(count) {}
  ~OwnedResults() {
    for (OpwValue& value : values_) release_value(value);
  }
  OwnedResults(const OwnedResults&) = delete;
  OwnedResults& operator=(const OwnedResults&) = delete;

  [[nodiscard]] Results get() noexcept { return {values_.data(), values_.size()}; }

 private:
  SmallVector<OpwValue, 8> values_;
};

}  // namespace opwright
