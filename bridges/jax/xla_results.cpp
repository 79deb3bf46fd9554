#include "bridges/jax/xla_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "bridges/jax/xla_buffer.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/results.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {
namespace {

size_t bytes_of(const XlaBuffer& buffer) {
  size_t bytes = item_size(read_dtype(buffer.dtype));
  for (const int64_t size : sizes_of(buffer)) bytes *= static_cast<size_t>(size);
  return bytes;
}

std::string text_of(const XlaBuffer& buffer) {
  std::string text = concatenate(read_dtype(buffer.dtype), "[");
  const char* before = "";
  for (const int64_t size : sizes_of(buffer)) {
    text += concatenate(before, size);
    before = ", ";
  }
  return text + "]";
}

}  // namespace

void fill_buffer(const XlaBuffer& buffer, const Tensor& tensor, const std::string& what) {
  OPWRIGHT_CHECK_VALUE(tensor.dtype() == read_dtype(buffer.dtype) &&
                           std::ranges::equal(tensor.sizes(), sizes_of(buffer)),
                       what, " is ", tensor, ", but its buffer was made for ", text_of(buffer),
                       ", as the fake kernel says; they must agree");
  bridges::copy_elements(buffer.data, tensor);
}

void fill_with_zeros(const XlaBuffer& buffer) {
  const size_t bytes = bytes_of(buffer);
  if (bytes != 0) std::memset(buffer.data, 0, bytes);
}

}  // namespace opwright::jax_bridge
