#include "opwright/convert/tensor_text.h"

#include <cstdint>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/schema/constant.h"

namespace opwright {

void append_tensor(std::string& out, const Tensor& tensor) {
  constexpr int64_t kMostShownElements = 8;
  out += concatenate(tensor.dtype(), "[");
  for (int64_t i = 0; i < tensor.dim(); ++i) out += concatenate(i > 0 ? ", " : "", tensor.size(i));
  out += ']';
  const bool is_int = tensor.dtype() == DType::Int64;
  if (tensor.numel() > kMostShownElements || (!is_int && tensor.dtype() != DType::Float32)) return;
  const Tensor dense = tensor.contiguous();
  out += " {";
  for (int64_t i = 0; i < dense.numel(); ++i) {
    if (i > 0) out += ", ";
    if (is_int) {
      out += concatenate(dense.data<int64_t>()[i]);
    } else {
      append_float_text(out, dense.data<float>()[i]);
    }
  }
  out += '}';
}

}  // namespace opwright
