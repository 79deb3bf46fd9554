// Wraps results of the level below, for transforms whose wrappers have the sizes of what they wrap
// (grad, jvp).
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/value.h"

namespace opwright {

[[nodiscard]] inline OpwTensor* inner_of(const OpwTensor* own) noexcept {
  return static_cast<const WrapperImpl&>(impl(const_cast<OpwTensor*>(own))).inner.get();
}

// RuntimeError if a foreign tensor is written while another argument belongs to the level.
void check_foreign_writes(const Level& level, const Operator& op, Arguments args);

// Updates the wrappers' sizes, which a write may have changed (out=, resize_).
void refresh_written(const Level& level, const Operator& op, Arguments args);

// Takes ownership of `raw` and wraps it for the level: new results become `wrap(result, element,
// OpwTensor*) -> Tensor`; a view of a foreign tensor stays foreign, and a returned argument is that
// argument.
template <class Wrap>
void give_own_results(const Level& level, const Operator& op, Arguments args, Results raw,
                      Results results, const Wrap& wrap) {
  const auto as_own = [&](uint32_t index, uint32_t element, OpwTensor* made) {
    Tensor given;
    op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* argument) {
      const bool is_own = is_wrapper_of(level, argument);
      if ((is_own ? inner_of(argument) : argument) == made) given = Tensor::borrow(argument);
    });
    if (given.is_defined()) return given;
    if (op.gives_views()) {
      const std::optional<uint32_t> viewed = find_viewed_argument(op, index);
      const bool is_foreign = viewed && args[*viewed].tag == kOpwTensor &&
                              !is_wrapper_of(level, args[*viewed].as_tensor);
      if (is_foreign) return Tensor::borrow(made);
    }
    return wrap(index, element, made);
  };
  for (uint32_t i = 0; i < raw.size(); ++i) {
    if (op.gives_argument(i)) continue;
    OpwValue& value = raw[i];
    if (value.tag == kOpwTensor) {
      const Tensor made = Tensor::take(std::exchange(value.as_tensor, nullptr));
      value.as_tensor = as_own(i, 0, made.get()).give();
    } else if (value.tag == kOpwTensorList) {
      auto** tensors = const_cast<OpwTensor**>(value.as_tensors);
      for (uint32_t k = 0; k < value.length; ++k) {
        const Tensor made = Tensor::take(std::exchange(tensors[k], nullptr));
        tensors[k] = as_own(i, k, made.get()).give();
      }
    }
  }
  for (uint32_t i = 0; i < raw.size(); ++i) results[i] = std::exchange(raw[i], OpwValue{});
  if (!op.writes_arguments()) return;
  give_arguments_back(op, args, results);
  refresh_written(level, op, args);
}

}  // namespace opwright
