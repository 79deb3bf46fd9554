#include "opwright/transforms/trace/own_results.h"

#include <bit>
#include <cstddef>
#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/value.h"

namespace opwright {

void check_foreign_writes(const Level& level, const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(left));
    visit_tensors(args[index], [&](OpwTensor* written) {
      if (is_wrapper_of(level, written)) [[likely]]
        return;
      throw_error(
          "RuntimeError", op.name(), ": '", op.schema().arguments[index].name,
          "' is a tensor from outside of ", level.name(), " (", BorrowedTensor(written),
          ") and cannot be written with a value from inside, which would mutate a captured "
          "Tensor\n  Make it an argument of the function, write to a clone of it, or return "
          "the value.");
    });
  }
}

void refresh_written(const Level& level, const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))], [&](OpwTensor* tensor) {
      if (!is_wrapper_of(level, tensor)) return;
      auto& mine = static_cast<WrapperImpl&>(impl(tensor));
      const SymGeometry geometry = sym_geometry_of(mine.inner);
      if (has_sizes(BorrowedTensor(tensor), geometry.sizes)) [[likely]]
        return;
      set_symbolic_shape(mine, geometry.sizes, geometry.strides, geometry.offset);
    });
  }
}

}  // namespace opwright
