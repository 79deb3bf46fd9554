// The header of a NumPy file (.npy, versions 1 to 3): a dictionary as Python writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"

namespace opwright::command {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool is_fortran_order = false;
  std::vector<int64_t> shape;
};

// What stands before the header's text: 10 bytes of version 1, else 12.
inline constexpr size_t kLongestNpyPrefix = 12;
inline constexpr size_t kLongestNpyHeader = 65536;

struct NpyPrefix {
  size_t length;         // of the prefix itself
  size_t header_length;  // at most kLongestNpyHeader
};
// Of the first bytes of a file. ValueError that names `path`.
[[nodiscard]] NpyPrefix parse_npy_prefix(const std::string& path, std::string_view bytes);
// ValueError that names `path`.
[[nodiscard]] NpyHeader parse_npy_header(const std::string& path, std::string_view text);
// Prefix and header, padded so that the data behind it are aligned to 64 bytes.
[[nodiscard]] std::string write_npy_header(const NpyHeader& header);

// "<f4"; bfloat16 and float8, which NumPy does not have, are "<V2" and "|V1", as ml_dtypes writes
// them.
[[nodiscard]] std::string descr_of(DType dtype);
// ValueError that names `path` for what is no dtype of ours. Raw bytes are `wanted` where that has
// their size.
[[nodiscard]] DType dtype_of_descr(const std::string& path, const std::string& descr,
                                   std::optional<DType> wanted);

}  // namespace opwright::command
