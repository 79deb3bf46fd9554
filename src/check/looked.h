// What a check found in all inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/check/check.h"

namespace opwright {

struct Looked {
  struct At {
    size_t input;
    Fault fault;
  };
  uint32_t inputs = 0;     // that were looked at
  std::vector<At> faults;  // one of each kind
  std::vector<Fault> remarks;

  // Leaves out a kind that there is.
  void add(size_t input, Fault fault);

  // To send it from a child process, and back.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Looked read(std::string_view text);
};

}  // namespace opwright
