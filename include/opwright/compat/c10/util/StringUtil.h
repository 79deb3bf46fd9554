// c10::str: concatenates the texts of its arguments.
#pragma once

#ifdef OPWRIGHT_COMPAT_LEAN  // see ATen/ATen.h
#include <iosfwd>
#else
#include <sstream>
#endif
#include <string>

#include "opwright/error.h"

namespace c10 OPWRIGHT_VISIBILITY {
// Uses append_text; types that it does not know are written with a stream.
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
