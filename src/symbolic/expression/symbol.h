// A symbol of an environment, and the range of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opwright/base/source_site.h"
#include "opwright/symint.h"

namespace opwright {

// Both ends are included.
struct SymRange {
  int64_t least = INT64_MIN;     // INT64_MIN: unbounded
  int64_t greatest = INT64_MAX;  // INT64_MAX: unbounded
  friend bool operator==(const SymRange&, const SymRange&) = default;
};

// The current state of a symbol.
struct Symbol {
  std::string name;              // "s0" backed, "u0" unbacked
  std::optional<int64_t> hint;   // none: unbacked
  SymRange range;                // including everything learned
  std::string source;            // "x.size(0)": where its value comes from; for messages
  SourceSite made_at;            // the user's line that created an unbacked one
  std::optional<SymInt> equals;  // the expression that replaced it, if an equality did
};

}  // namespace opwright
