#include "opwright/ops/rule/gradient_rule.h"

#include <memory>
#include <span>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

std::vector<OpwTensor*> tensors_of(const OpwValue& list) {
  std::vector<OpwTensor*> tensors(list.length);
  for (uint32_t i = 0; i < list.length; ++i) {
    tensors[i] = list.tag == kOpwTensorList
                     ? list.as_tensors[i]
                     : tensor_of(static_cast<const OpwValue*>(list.as_values)[i]);
  }
  return tensors;
}

std::vector<SymInt> symbolic_sizes_of(const Tensor& tensor) {
  std::vector<SymInt> sizes;
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

struct GradientTable {
  const char* file;
  std::vector<GradientRules> rules;
};

void register_gradient_table(const GradientTable& table) {
  Registry& registry = Registry::get();
  for (const GradientRules& each : table.rules) {
    const SourceSite site{table.file, each.line};
    const auto implement = [&](Slot slot, OpwFunction function) {
      registry.implement(each.name, slot, {function, nullptr, nullptr, nullptr}, site).keep();
    };
    if (each.save) implement(Slot::SetupContext, each.save);
    implement(Slot::Autograd, each.differentiate);
    if (each.keep_old) implement(Slot::KeepOld, each.keep_old);
  }
}

}  // namespace

std::vector<Tensor> gradients_of(const OpwValue& value) {
  std::vector<Tensor> gradients;
  for (OpwTensor* each : tensors_of(value)) gradients.push_back(Tensor::borrow(each));
  return gradients;
}

// The `property` of a tensor, or a list with that of each tensor in a list.
template <class Property>
void RuleContext::keep_each(const char* name, const OpwValue& value,
                            const Property& property) const {
  if (value.tag == kOpwTensor) return keep(name, Value(property(gradient_of(value))).get());
  std::vector<decltype(property(Tensor()))> all;
  for (OpwTensor* each : tensors_of(value)) all.push_back(property(Tensor::borrow(each)));
  keep(name, Value(all).get());
}

void RuleContext::save(std::initializer_list<OpwTensor*> tensors, const OpwValue& list,
                       const char* length_name) const {
  std::vector<OpwTensor*> all(tensors);
  const std::vector<OpwTensor*> elements = tensors_of(list);
  all.insert(all.end(), elements.begin(), elements.end());
  require_ok(context_->context->save(context_, all.data(), static_cast<uint32_t>(all.size())));
  keep(length_name, ValueOf<int64_t>::lend(static_cast<int64_t>(elements.size())));
}

void RuleContext::keep_sizes(const char* name, const OpwValue& value) const {
  if (value.tag == kOpwTensor && !gradient_of(value).is_symbolic())
    return keep(name, ValueOf<std::span<const int64_t>>::lend(gradient_of(value).sizes()));
  keep_each(name, value, [](const Tensor& tensor) { return symbolic_sizes_of(tensor); });
}
void RuleContext::keep_dtype(const char* name, const OpwValue& value) const {
  keep_each(name, value, [](const Tensor& tensor) { return tensor.dtype(); });
}
void RuleContext::keep_device(const char* name, const OpwValue& value) const {
  keep_each(name, value, [](const Tensor& tensor) { return tensor.device(); });
}
void RuleContext::keep_geometry(const char* name, const OpwValue& value) const {
  keep_each(name, value, [](const Tensor& tensor) {
    const SymGeometry geometry = sym_geometry_of(tensor);
    std::vector<SymInt> all(geometry.sizes.begin(), geometry.sizes.end());
    all.insert(all.end(), geometry.strides.begin(), geometry.strides.end());
    all.push_back(geometry.offset);
    return all;
  });
}

void RuleContext::keep_is_transposed(const char* name, const OpwValue& value) const {
  const Tensor& tensor = gradient_of(value);
  const bool is_transposed = tensor.dim() == 2 && guard_or_false(tensor.sym_stride(0) == 1) &&
                             !guard_or_false(tensor.sym_stride(1) == 1);
  keep(name, ValueOf<bool>::lend(is_transposed));
}

void give_gradient(OpwValue& result, const std::vector<Tensor>& gradients) {
  std::vector<std::optional<Tensor>> elements(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].is_defined()) elements[i] = gradients[i];
  }
  result = ValueOf<std::vector<std::optional<Tensor>>>::give(elements);
}

OpwValue copy_old_value(const OpwValue& value) {
  return value.tag == kOpwTensor ? ValueOf<Tensor>::give(clone(gradient_of(value))) : OpwValue{};
}

bool register_gradients(const char* file, std::initializer_list<GradientRules> rules) {
  const auto step = [](void* context) {
    const std::unique_ptr<GradientTable> table(static_cast<GradientTable*>(context));
    register_gradient_table(*table);
  };
  at_first_use(step, new GradientTable{file, rules});
  return true;
}

}  // namespace opwright
