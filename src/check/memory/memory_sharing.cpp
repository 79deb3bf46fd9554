#include "opwright/check/memory/memory_sharing.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "opwright/tensor/extent.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

std::pair<const std::byte*, const std::byte*> address_range(const Tensor& tensor) {
  const Extent extent = *find_extent(tensor.sizes(), tensor.strides());
  const auto* first = static_cast<const std::byte*>(tensor.data());
  const auto bytes = static_cast<int64_t>(item_size(tensor.dtype()));
  return {first + extent.lowest * bytes, first + (extent.lowest + extent.length()) * bytes};
}

}  // namespace

bool share_memory(const Tensor& a, const Tensor& b) {
  if (impl(a).storage == impl(b).storage) return overlap(a, b) != Overlap::None;
  const auto [a_begin, a_end] = address_range(a);
  const auto [b_begin, b_end] = address_range(b);
  return a_begin < b_end && b_begin < a_end;
}

}  // namespace opwright
