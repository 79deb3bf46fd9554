#include "bridges/operators/results.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/opwright.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::bridges {

OwnedResults::~OwnedResults() {
  for (OpwValue& each : values_) release_value(each);
}

size_t count_tensors(const OpwValue& value) {
  if (value.tag == kOpwTensor) [[likely]]
    return 1;
  std::vector<Tensor> tensors;
  append_tensors(tensors, value);
  return tensors.size();
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

void copy_elements(void* to, const Tensor& from) {
  const size_t bytes = static_cast<size_t>(from.numel()) * item_size(from.dtype());
  if (bytes == 0) return;
  if (!from.is_contiguous()) {
    std::memcpy(to, from.contiguous().data(), bytes);
  } else if (from.data() != to) {
    std::memcpy(to, from.data(), bytes);
  }
}

}  // namespace opwright::bridges
