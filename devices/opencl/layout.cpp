#include "layout.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"

namespace opwright::opencl {

uint32_t rank_class(uint32_t rank) {
  for (const uint32_t made_for : {1U, 2U, 3U, 4U, 8U}) {
    if (rank <= made_for) return made_for;
  }
  return rank;
}

Layout::Layout(std::span<const int64_t> sizes, std::span<const int64_t* const> strides)
    : rank_(rank_class(static_cast<uint32_t>(sizes.size()))) {
  const size_t missing = rank_ - sizes.size();
  numbers_.reserve(rank_ * (strides.size() + 1));
  numbers_.assign(missing, 1);
  for (const int64_t size : sizes) {
    numbers_.push_back(size);
    count_ *= static_cast<uint64_t>(size);
  }
  for (const int64_t* of_array : strides) {
    numbers_.insert(numbers_.end(), missing, 0);
    int64_t dense = 1;
    for (size_t dim = sizes.size(); dim-- > 0; dense *= sizes[dim])
      is_dense_ = is_dense_ && (sizes[dim] == 1 || of_array[dim] == dense);
    numbers_.insert(numbers_.end(), of_array, of_array + sizes.size());
  }
}

std::string layout_struct(uint32_t rank, uint32_t num_arrays) {
  return concatenate("typedef struct { long sizes[", rank, "]; long strides[",
                     num_arrays == 0 ? 1 : num_arrays, "][", rank, "]; } Layout;\n");
}

std::string layout_places(uint32_t rank, uint32_t num_arrays, bool is_wide) {
  const char* type = is_wide ? "ulong" : "uint";
  std::string text = concatenate("  ", type, " rest = i;\n");
  for (uint32_t array = 0; array < num_arrays; ++array)
    text += concatenate("  long at", array, " = 0;\n");
  for (uint32_t dim = rank; dim-- > 0;) {
    text += concatenate("  { const ", type, " size = (", type, ")layout.sizes[", dim, "];\n");
    text += dim == 0 ? concatenate("    const ", type, " here = rest;\n")
                     : concatenate("    const ", type, " next = rest / size, here = rest - next * ",
                                   "size;\n    rest = next;\n");
    for (uint32_t array = 0; array < num_arrays; ++array) {
      text += concatenate("    at", array, " += (long)here * layout.strides[", array, "][", dim,
                          "];\n");
    }
    text += "  }\n";
  }
  return text;
}

void for_each_outer(std::span<const int64_t> sizes, std::span<const int64_t* const> strides,
                    uint32_t outer,
                    const std::function<void(std::span<const int64_t> offsets)>& body) {
  std::vector<int64_t> index(outer, 0);
  std::vector<int64_t> offsets(strides.size(), 0);
  while (true) {
    body(offsets);
    size_t dim = outer;
    while (dim > 0) {
      --dim;
      const bool is_last = ++index[dim] == sizes[dim];
      for (size_t array = 0; array < strides.size(); ++array)
        offsets[array] += is_last ? strides[array][dim] * (1 - sizes[dim]) : strides[array][dim];
      if (!is_last) break;
      index[dim] = 0;
      if (dim == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace opwright::opencl
