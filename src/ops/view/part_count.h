// The limit on the number of parts that a view operator makes of a tensor without data.
#pragma once

#include <cstdint>

#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright {

// A graph names each part. The sizes of a program from a file may be any numbers, without memory
// that bounds them.
inline void check_part_count(const char* who, const Tensor& self, int64_t count) {
  constexpr int64_t kMostParts = 65536;
  const bool has_no_data = (self.get()->flags & (kOpwFlagFake | kOpwFlagWrapped)) != 0;
  OPWRIGHT_CHECK_VALUE(!has_no_data || count <= kMostParts, who, ": ", count, " parts of ", self,
                       " are too many for a graph, which may have ", kMostParts);
}

}  // namespace opwright
