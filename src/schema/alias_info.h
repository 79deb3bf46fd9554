// Alias marks: which arguments and returns share memory, and which are written.
//
// `Tensor(a!)`, `Tensor(a -> *)[](b)`: a mark stands behind a type or behind a list. The AliasInfo
// of a list has that of its element inside, that of a Dict, Tuple, Union, ... those of its parts;
// `?` is looked through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opwright/schema/type.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr std::string_view kAliasWildcard = "*";  // may alias anything

struct OPWRIGHT_EXPORT AliasInfo {
  std::vector<std::string> before;  // the sets that the value is in; sorted, the wildcard last
  std::vector<std::string> after;   // after the call; the same as `before` unless the mark has `->`
  bool is_write = false;            // with no set at all: `Tensor!`, written and alone in its set
  std::vector<AliasInfo> elements;  // one for each element of the type; empty when none is marked

  // Whether a mark stands behind the type itself.
  [[nodiscard]] bool is_marked() const noexcept {
    return is_write || !before.empty() || !after.empty();
  }
  // Whether the value or a part of it is written.
  [[nodiscard]] bool writes() const noexcept;
  // Whether the value or a part of it is in `set`, before or after.
  [[nodiscard]] bool mentions(std::string_view set) const noexcept;
  // The marks of element `index`.
  [[nodiscard]] const AliasInfo& element(size_t index) const noexcept;

  friend bool operator==(const AliasInfo& a, const AliasInfo& b) = default;
};

// "(a! -> b|c)", "!", or nothing.
[[nodiscard]] std::string to_text(const AliasInfo& alias);
// The type with its marks, e.g. "Tensor(a!)[](b)?".
[[nodiscard]] std::string to_text(const Type& type, const AliasInfo& alias);

}  // namespace opwright
