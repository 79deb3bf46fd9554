#include "bridges/operators/lent_tensors.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>  // IWYU pragma: keep
#include <span>

#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {

OpwTensor* LentTensors::lend(void* data, DType dtype, std::span<const int64_t> sizes,
                             ViewTensor::Use use) {
  if (size_ == kUsual) [[unlikely]]
    return &more_.emplace_back(data, dtype, sizes, use);
  auto* made = new (&memory_[size_ * sizeof(ViewTensor)]) ViewTensor(data, dtype, sizes, use);
  ++size_;
  return made;
}

const void* LentTensors::end() noexcept {
  const void* shown = nullptr;
  const auto end_one = [&](ViewTensor& tensor) {
    if (!tensor.end()) shown = tensor.dl.data;
    if (!tensor.is_held()) return;
    shown = tensor.dl.data;
    is_held_ = true;
    tensor.forbid_reading();
  };
  for (size_t i = 0; i < size_; ++i) end_one(*place(i));
  for (ViewTensor& each : more_) end_one(each);
  if (is_held_) return shown;
  for (size_t i = 0; i < size_; ++i) std::destroy_at(place(i));
  size_ = 0;
  more_.clear();
  return shown;
}

}  // namespace opwright::bridges
