#include "opwright/ops/engine/move/aligned_tensors.h"

#include <algorithm>
#include <utility>

#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

void check_part(const char* who, const Tensor& parameter, const Tensor& part, const char* name,
                size_t place) {
  const bool fits = part.dtype() == parameter.dtype() &&
                    std::ranges::equal(impl(part).shape(), impl(parameter).shape());
  OPWRIGHT_CHECK_VALUE(fits, who, ": ", name, "[", place, "] must match its parameter (", parameter,
                       "), got ", part);
}

}  // namespace

AlignedTensors::AlignedTensors(const char* who, std::span<const TensorList> lists,
                               std::span<const char* const> names, size_t place)
    : numel_(lists[0][place].numel()) {
  const TensorImpl& parameter = impl(lists[0][place]);
  const bool is_dense = is_non_overlapping_and_dense(parameter.shape(), parameter.strides());
  const Sizes strides =
      is_dense ? Sizes(parameter.strides()) : contiguous_strides(parameter.shape());
  for (size_t part = 0; part < lists.size(); ++part) {
    const Tensor& tensor = lists[part][place];
    check_part(who, lists[0][place], tensor, names[part], place);
    tensors_.push_back(&tensor);
    if (std::ranges::equal(impl(tensor).strides(), strides)) [[likely]] {
      data_[part] = tensor.mutable_data();
      continue;
    }
    Tensor dense = make_empty_strided(parameter.shape(), strides, tensor.dtype());
    copy_elements(dense, tensor);
    data_[part] = dense.mutable_data();
    copies_.push_back({part, std::move(dense)});
  }
}

void AlignedTensors::write_back() const {
  for (const Copy& copy : copies_) copy_elements(*tensors_[copy.part], copy.dense);
}

void check_lengths(const char* who, std::span<const TensorList> lists,
                   std::span<const char* const> names) {
  for (size_t i = 1; i < lists.size(); ++i) {
    OPWRIGHT_CHECK_VALUE(lists[i].size() == lists[0].size(), who, ": ", names[i], " must have ",
                         lists[0].size(), " tensors, one for each parameter, got ",
                         lists[i].size());
  }
}

}  // namespace opwright
