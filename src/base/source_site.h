// A line of the author's code: where an operator was defined, a rule registered, a guard taken.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "opwright/error.h"

namespace opwright {

struct SourceSite {
  const char* file = nullptr;  // immortal: a literal or from intern(); null: unknown
  uint32_t line = 0;

  [[nodiscard]] static SourceSite of(
      std::source_location where = std::source_location::current()) noexcept {
    return {where.file_name(), where.line()};
  }
  [[nodiscard]] bool is_known() const noexcept { return file != nullptr; }
  // "operators/soft_clip.cpp:30"
  [[nodiscard]] std::string text() const {
    return is_known() ? concatenate(file, ":", line) : "(unknown)";
  }
};

inline void append_text(std::string& out, const SourceSite& site) { out.append(site.text()); }

}  // namespace opwright
