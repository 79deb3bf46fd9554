#include "opwright/autograd/value_meta.h"

#include <algorithm>
#include <utility>

#include "opwright/functions.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {

ValueMeta::ValueMeta(const Tensor& tensor)
    : device_(tensor.device()),
      dtype_(tensor.dtype()),
      ndim_(static_cast<int16_t>(tensor.dim())),
      is_on_heap_(ndim_ > kFew || tensor.is_symbolic()),
      few{} {
  if (is_on_heap_) {
    many = new SymInt[static_cast<size_t>(ndim_)];
    for (int32_t i = 0; i < ndim_; ++i) many[i] = tensor.sym_size(i);
  } else {
    std::copy_n(impl(tensor).dl.shape, ndim_, few);
  }
}

ValueMeta::ValueMeta(const ValueMeta& other)
    : device_(other.device_),
      dtype_(other.dtype_),
      ndim_(other.ndim_),
      is_on_heap_(other.is_on_heap_),
      takes_any_dtype_(other.takes_any_dtype_),
      few{other.few[0], other.few[1]} {
  if (!is_on_heap_) return;
  many = new SymInt[static_cast<size_t>(ndim_)];
  std::copy_n(other.many, ndim_, many);
}

ValueMeta::ValueMeta(ValueMeta&& other) noexcept
    : device_(other.device_),
      dtype_(other.dtype_),
      ndim_(other.ndim_),
      is_on_heap_(std::exchange(other.is_on_heap_, false)),
      takes_any_dtype_(other.takes_any_dtype_),
      few{other.few[0], other.few[1]} {
  if (is_on_heap_) other.ndim_ = 0;
}

ValueMeta& ValueMeta::operator=(ValueMeta other) noexcept {
  std::swap(dtype_, other.dtype_);
  std::swap(device_, other.device_);
  std::swap(ndim_, other.ndim_);
  std::swap(is_on_heap_, other.is_on_heap_);
  std::swap(takes_any_dtype_, other.takes_any_dtype_);
  std::swap(few, other.few);
  return *this;
}

ValueMeta::~ValueMeta() {
  if (is_on_heap_) delete[] many;
}

bool ValueMeta::fits(const Tensor& gradient) const {
  if (!takes(gradient.dtype()) || gradient.dim() != ndim_) return false;
  if (!is_on_heap_ && !gradient.is_symbolic()) {
    return std::equal(few, few + ndim_, impl(gradient).dl.shape);
  }
  return has_sizes(gradient, sizes());
}

Tensor ValueMeta::zeros() const { return opwright::zeros(sizes(), dtype_, {}, device_); }

}  // namespace opwright
