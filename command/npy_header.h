// The header of a NumPy file (.npy, versions 1 to 3): a Python dictionary literal.
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

// The bytes before the header's text: 10 for version 1, otherwise 12.
inline constexpr size_t kLongestNpyPrefix = 12;
inline constexpr size_t kLongestNpyHeader = 65536;

struct NpyPrefix {
  size_t length;         // of the prefix itself
  size_t header_length;  // at most kLongestNpyHeader
};
// Reads the first bytes of a file. ValueError that names `path`.
[[nodiscard]] NpyPrefix parse_npy_prefix(const std::string& path, std::string_view bytes);
// ValueError that names `path`.
[[nodiscard]] NpyHeader parse_npy_header(const std::string& path, std::string_view text);
// Prefix and header, padded so that the following data is aligned to 64 bytes.
[[nodiscard]] std::string write_npy_header(const NpyHeader& header);

// "<f4"; bfloat16 and float8, which NumPy does not have, are "<V2" and "|V1", as in ml_dtypes.
[[nodiscard]] std::string descr_of(DType dtype);
// ValueError that names `path` for an unsupported dtype. Raw bytes are `wanted` if the size
// matches.
[[nodiscard]] DType dtype_of_descr(const std::string& path, const std::string& descr,
                                   std::optional<DType> wanted);

}  // namespace opwright::command
