// Functions of tensors that return a tensor or a list of them, called with a list.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {
[[nodiscard]] inline std::vector<Tensor> as_tensor_list(Tensor result) {
  return {std::move(result)};
}
[[nodiscard]] inline std::vector<Tensor> as_tensor_list(std::vector<Tensor> results) {
  return results;
}

template <class F, size_t... I>
[[nodiscard]] std::vector<Tensor> call_with_list(F& function, std::span<const Tensor> given,
                                                 std::index_sequence<I...> /*places*/) {
  return as_tensor_list(function(given[I]...));
}
}  // namespace opwright
