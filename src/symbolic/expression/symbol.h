// A symbol of an environment, and the range of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opwright/base/source_site.h"
#include "opwright/symint.h"

namespace opwright {

// Both ends belong to it.
struct SymRange {
  int64_t least = INT64_MIN;     // INT64_MIN: without bound
  int64_t greatest = INT64_MAX;  // INT64_MAX: without bound
  friend bool operator==(const SymRange&, const SymRange&) = default;
};

// A symbol as it stands now.
struct Symbol {
  std::string name;              // "s0" backed, "u0" unbacked
  std::optional<int64_t> hint;   // none: unbacked
  SymRange range;                // with all that was learned
  std::string source;            // "x.size(0)": where its value comes from; for messages
  SourceSite made_at;            // the user's line that made an unbacked one
  std::optional<SymInt> equals;  // the expression that replaced it, if an equality did
};

}  // namespace opwright
