// Alias annotations: which arguments and returns share memory, and which are written.
//
// `Tensor(a!)`, `Tensor(a -> *)[](b)`: an annotation follows a type or a list. The AliasInfo of a
// list contains that of its element, that of a Dict, Tuple, Union, ... those of its parts; `?` is
// ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opwright/schema/type.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr std::string_view kAliasWildcard = "*";  // may alias anything

struct OPWRIGHT_EXPORT AliasInfo {
  std::vector<std::string> before;  // the sets that contain the value; sorted, the wildcard last
  std::vector<std::string> after;   // after the call; same as `before` unless annotated with `->`
  bool is_write = false;            // without any set: `Tensor!`, written and alone in its set
  std::vector<AliasInfo> elements;  // one for each element of the type; empty if none is annotated

  // Whether the type itself is annotated.
  [[nodiscard]] bool is_marked() const noexcept {
    return is_write || !before.empty() || !after.empty();
  }
  // Whether the value or a part of it is written.
  [[nodiscard]] bool writes() const noexcept;
  // Whether the value or a part of it is in `set`, before or after.
  [[nodiscard]] bool mentions(std::string_view set) const noexcept;
  // The annotations of element `index`.
  [[nodiscard]] const AliasInfo& element(size_t index) const noexcept;

  friend bool operator==(const AliasInfo& a, const AliasInfo& b) = default;
};

// "(a! -> b|c)", "!", or empty.
[[nodiscard]] std::string to_text(const AliasInfo& alias);
// The type with its annotations, e.g. "Tensor(a!)[](b)?".
[[nodiscard]] std::string to_text(const Type& type, const AliasInfo& alias);

}  // namespace opwright
