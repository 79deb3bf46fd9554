#include "bridges/operators/core_arguments.h"

#include <cstdint>
#include <span>
#include <vector>

#include "bridges/operators/host_binary.h"
#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::bridges {
namespace {

OpwTensor* core_tensor(OpwTensor* tensor) {
  ViewTensor* view = ViewTensor::from(tensor);
  return view ? view->in_core().get() : tensor;
}

}  // namespace

CoreArguments::CoreArguments(std::span<const OpwValue> values) {
  values_.reserve(values.size());
  for (const OpwValue& each : values) values_.push_back(convert(each));
}

OpwValue CoreArguments::convert(const OpwValue& value) {
  OpwValue converted = value;
  if (value.tag == kOpwTensor) {
    converted.as_tensor = core_tensor(value.as_tensor);
  } else if (value.tag == kOpwTensorList) {
    std::vector<OpwTensor*>& list = tensor_lists_.emplace_back();
    for (uint32_t i = 0; i < value.length; ++i) list.push_back(core_tensor(value.as_tensors[i]));
    converted.as_tensors = list.data();
  } else if (value.tag == kOpwList) {
    std::vector<OpwValue>& list = lists_.emplace_back();
    for (uint32_t i = 0; i < value.length; ++i)
      list.push_back(convert(static_cast<const OpwValue*>(value.as_values)[i]));
    converted.as_values = list.data();
  }
  return converted;
}

int call_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                OpwValue* results, uint32_t num_results) {
  try {
    auto* binary = static_cast<HostBinary*>(host->instance);
    const CoreArguments converted({args, num_args});
    binary->import_at(index).call(converted.data(), num_args, results, num_results);
    return 0;
  } catch (...) {
    host->give_error(host, current_error().share());
    return 1;
  }
}

}  // namespace opwright::bridges
