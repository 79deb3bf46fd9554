#include "opwright/check/checks/given_gradients.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/c_api.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Position of the list's tensor `position` among all its elements.
uint32_t element_index(const OpwValue& list, uint32_t position) {
  uint32_t index = 0;
  for (uint32_t seen = 0; index < list.length; ++index) {
    if (list_element(list, index).tag == kOpwTensor && seen++ == position) break;
  }
  return index;
}

size_t precision_bytes(DType dtype) { return item_size(dtype) / (is_complex(dtype) ? 2 : 1); }

// A complex argument with a real result has a complex gradient, in the result's precision.
bool is_dtype_of_call(const RecordedCall& call, DType dtype) {
  std::vector<Tensor> tensors = call.outcome().after.tensors();
  tensors.insert(tensors.end(), call.outputs().begin(), call.outputs().end());
  const auto is_as_fine = [&](const Tensor& each) {
    return has_gradients(each.dtype()) && precision_bytes(each.dtype()) == precision_bytes(dtype);
  };
  const auto is_of_its_kind = [&](const Tensor& each) {
    return !is_complex(dtype) || is_complex(each.dtype());
  };
  return std::ranges::any_of(tensors, is_as_fine) && std::ranges::any_of(tensors, is_of_its_kind);
}

// The engine reduces gradients for pointwise operators and converts between dtypes.
std::optional<Fault> check_fit(const RecordedCall& call, size_t which, const Tensor& gradient) {
  const Example& example = call.outcome().after;
  const Operator& op = example.op();
  const Tensor argument = example.tensors()[which];
  const ValueMeta meta(argument);
  const bool is_fit =
      has_sizes(gradient, meta.sizes()) ||
      (op.tags().has(Tag::Pointwise) && undo_broadcast(gradient, meta.sizes()).is_defined());
  if (!is_fit) {
    return formula_fault(op, "gradient-shape", " gives a gradient of sizes ",
                         to_text(gradient.sizes()), " for '", example.tensor_name(which),
                         "', which has sizes ", to_text(argument.sizes()),
                         "; a gradient has the sizes of its argument");
  }
  const DType dtype = gradient.dtype();
  const bool is_wider_than_half = item_size(argument.dtype()) < 4 && dtype == DType::Float32;
  if (dtype == argument.dtype() || is_wider_than_half) return std::nullopt;
  if (has_gradients(dtype) && is_dtype_of_call(call, dtype)) return std::nullopt;
  return formula_fault(op, "gradient-dtype", " gives for '", example.tensor_name(which), "' of ",
                       argument.dtype(), " a gradient of ", dtype,
                       ", a dtype not used in the call; compute it in that of its argument");
}

}  // namespace

std::optional<Fault> take_gradients(const RecordedCall& call, std::span<const OpwValue> results,
                                    std::vector<Tensor>& given) {
  const Example& example = call.outcome().after;
  const Operator& op = example.op();
  const auto places = example.tensor_places();
  given.assign(places.size(), Tensor());
  for (size_t i = 0; i < places.size(); ++i) {
    if (!call.subset()[i]) continue;
    const uint32_t argument = places[i].argument;
    const uint64_t before = op.all_tensor_args() & ((uint64_t{1} << argument) - 1);
    OpwValue gradient = results[static_cast<size_t>(std::popcount(before))];
    if (gradient.tag == kOpwNone) continue;
    const OpwValue& value = example.values()[argument].get();
    const bool is_list = is_list_tag(value.tag);
    const uint32_t wanted = is_list ? value.length : 1;
    const uint32_t count = is_list_tag(gradient.tag) ? gradient.length : 1;
    if (count != wanted) {
      return formula_fault(op, "gradient-count", " gives ", count,
                           count == 1 ? " gradient" : " gradients", " for '",
                           op.schema().arguments[argument].name, "', which has ", wanted,
                           wanted == 1 ? " tensor" : " tensors", "; return one for each, or None");
    }
    const uint32_t index = is_list ? element_index(value, places[i].position) : 0;
    if (is_list_tag(gradient.tag)) gradient = list_element(gradient, index);
    if (gradient.tag != kOpwTensor || !gradient.as_tensor) continue;
    given[i] = Tensor::borrow(gradient.as_tensor);
    if (std::optional<Fault> found = check_fit(call, i, given[i])) return found;
  }
  return std::nullopt;
}

}  // namespace opwright
