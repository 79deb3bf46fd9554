#include "bridges/jax/xla_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bridges/jax/xla_ffi.h"
#include "bridges/jax/xla_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::jax_bridge {
namespace {

std::span<const int64_t> sizes_of(const XlaBuffer& buffer) {
  return {buffer.dims, static_cast<size_t>(buffer.rank)};
}

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

OwnedResults::~OwnedResults() {
  for (OpwValue& each : values_) release_value(each);
}

void append_tensors(std::vector<Tensor>& tensors, const OpwValue& value) {
  if (value.tag == kOpwTensor) {
    tensors.push_back(Tensor::borrow(value.as_tensor));
  } else if (value.tag == kOpwTensorList) {
    for (uint32_t i = 0; i < value.length; ++i)
      tensors.push_back(Tensor::borrow(value.as_tensors[i]));
  } else if (value.tag == kOpwList) {
    for (uint32_t i = 0; i < value.length; ++i)
      append_tensors(tensors, static_cast<const OpwValue*>(value.as_values)[i]);
  } else if (value.tag != kOpwNone) {
    throw_error("TypeError", "expected a tensor as a result, got ", tag_name(value.tag));
  }
}

void fill_buffer(const XlaBuffer& buffer, const Tensor& tensor, const std::string& what) {
  OPWRIGHT_CHECK_VALUE(tensor.dtype() == read_dtype(buffer.dtype) &&
                           std::ranges::equal(tensor.sizes(), sizes_of(buffer)),
                       what, " is ", tensor, ", but its buffer was made for ", text_of(buffer),
                       ", as the fake kernel says; they must agree");
  const size_t bytes = bytes_of(buffer);
  if (bytes == 0) return;
  if (!tensor.is_contiguous()) {
    std::memcpy(buffer.data, tensor.contiguous().data(), bytes);
  } else if (tensor.data() != buffer.data) {
    std::memcpy(buffer.data, tensor.data(), bytes);
  }
}

void fill_with_zeros(const XlaBuffer& buffer) {
  const size_t bytes = bytes_of(buffer);
  if (bytes != 0) std::memset(buffer.data, 0, bytes);
}

}  // namespace opwright::jax_bridge
