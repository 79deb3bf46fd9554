// c10::str: the texts of its arguments, one after the other.
#pragma once

#ifdef OPWRIGHT_COMPAT_LEAN  // see ATen/ATen.h
#include <iosfwd>
#else
#include <sstream>
#endif
#include <string>

#include "opwright/error.h"

namespace c10 OPWRIGHT_VISIBILITY {
// As append_text has it; a type that it does not know is written as streams write it.
template <class T, class Stream = std::ostringstream>
void append_part(std::string& out, const T& part) {
  using opwright::append_text;
  if constexpr (requires { append_text(out, part); }) {
    append_text(out, part);
  } else {
    Stream stream;
    stream << part;
    out.append(stream.str());
  }
}

template <class... Parts>
[[nodiscard]] std::string str(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}
}  // namespace c10
