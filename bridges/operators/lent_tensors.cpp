#include "bridges/operators/lent_tensors.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {
namespace {

// Null, or the memory that is still shown. What is held stays for ever.
const void* end_one(ViewTensor* tensor) noexcept {
  const void* memory = tensor->dl.data;
  const bool is_shown = !tensor->end();
  if (tensor->is_held()) {
    tensor->forbid_reading();
    return memory;
  }
  delete tensor;
  return is_shown ? memory : nullptr;
}

}  // namespace

OpwTensor* LentTensors::lend(void* data, DType dtype, std::span<const int64_t> sizes,
                             ViewTensor::Use use) {
  if (size_ >= kUsual) more_.reserve(more_.size() + 1);
  ViewTensor* made = std::make_unique<ViewTensor>(data, dtype, sizes, use).release();
  if (size_ < kUsual) {
    usual_[size_] = made;
  } else {
    more_.push_back(made);
  }
  ++size_;
  return made;
}

const void* LentTensors::end() noexcept {
  const void* shown = nullptr;
  for (size_t i = 0; i < size_; ++i) {
    const void* memory = end_one(i < kUsual ? usual_[i] : more_[i - kUsual]);
    if (memory) shown = memory;
  }
  size_ = 0;
  more_.clear();
  return shown;
}

}  // namespace opwright::bridges
