// Building blocks of the rules that the generator writes from `gradients:` in functions.yaml.
//
// A rule knows the schema of its operator, so it reads values without checks, and saves only what
// the requested gradients use.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "opwright/functions.h"
#include "opwright/registration/kernel.h"
#include "opwright/tensor.h"

namespace opwright {

// The tensor of an argument, null for None.
inline OpwTensor* tensor_of(const OpwValue& value) {
  return value.tag == kOpwTensor ? value.as_tensor : nullptr;
}
// The same without its own reference count; lives as long as `value`.
inline const Tensor& gradient_of(const OpwValue& value) {
  static_assert(sizeof(Tensor) == sizeof value.as_tensor);
  return reinterpret_cast<const Tensor&>(value.as_tensor);
}
// The gradients of a list of results; missing ones are undefined.
std::vector<Tensor> gradients_of(const OpwValue& value);

// The conjugate; real tensors are returned as they are, without a call or a count. Lives as long as
// `tensor` and until the end of the full expression.
inline const Tensor& conjugate(const Tensor& tensor, Tensor&& made = Tensor()) {
  if (!is_complex(tensor.dtype())) return tensor;
  made = tensor.conj_physical();
  return made;
}

// Replaces zeros with ones, so that no derivative divides by zero.
inline Tensor replace_zeros(const Tensor& tensor) { return where(tensor.eq(0), Scalar(1), tensor); }

// The context of a recorded call, borrowed while a rule runs.
class RuleContext {
 public:
  explicit RuleContext(const OpwValue& object)
      : context_(reinterpret_cast<OpwContext*>(object.as_object)) {}

  // Whether tensor argument `index`, counted over tensor arguments, needs a gradient.
  [[nodiscard]] bool needs(uint32_t index) const {
    int result = 0;
    require_ok(context_->context->needs_gradient(context_, index, &result));
    return result != 0;
  }
  // A null tensor leaves a slot empty.
  void save(std::initializer_list<OpwTensor*> tensors) const {
    require_ok(
        context_->context->save(context_, tensors.begin(), static_cast<uint32_t>(tensors.size())));
  }
  // The same, followed by a list of tensors; its length is stored as `length_name`.
  void save(std::initializer_list<OpwTensor*> tensors, const OpwValue& list,
            const char* length_name) const;

  [[nodiscard]] Tensor saved(uint32_t index) const {
    OpwTensor* tensor = nullptr;
    require_ok(context_->context->saved(context_, index, &tensor));
    return Tensor::take(tensor);
  }
  [[nodiscard]] std::optional<Tensor> saved_optional(uint32_t index) const {
    Tensor tensor = saved(index);
    return tensor.is_defined() ? std::optional<Tensor>(std::move(tensor)) : std::nullopt;
  }
  // An argument that is not a tensor, counted over all arguments.
  template <class T>
  [[nodiscard]] auto argument(uint32_t index) const {
    const OpwValue* value = nullptr;
    require_ok(context_->context->argument(context_, index, &value));
    return ValueOf<T>::read(*value);
  }
  // A value stored by the functions below.
  template <class T>
  [[nodiscard]] auto attribute(const char* name) const {
    const OpwValue* value = nullptr;
    require_ok(context_->context->attribute(context_, name, &value));
    return ValueOf<T>::read(*value);
  }
  // The list that was saved after `first` tensors: of Tensor or std::optional<Tensor>.
  template <class Element>
  [[nodiscard]] std::vector<Element> saved_list(uint32_t first, const char* length_name) const {
    std::vector<Element> list(static_cast<size_t>(attribute<int64_t>(length_name)));
    for (Element& element : list) {
      Tensor tensor = saved(first++);
      if (tensor.is_defined()) element = std::move(tensor);
    }
    return list;
  }

  // For a tensor, or for each tensor of a list.
  void keep_sizes(const char* name, const OpwValue& value) const;
  void keep_dtype(const char* name, const OpwValue& value) const;
  void keep_device(const char* name, const OpwValue& value) const;
  // Stores the sizes, the strides and the offset, in this order.
  void keep_geometry(const char* name, const OpwValue& value) const;
  // Stores whether the tensor is a matrix with dense columns instead of rows.
  void keep_is_transposed(const char* name, const OpwValue& value) const;

  // Missing gradients of results are passed as undefined.
  void leave_out_zeros() const { require_ok(context_->context->set_materialize(context_, 0)); }
  // Marks results without gradients.
  void mark_non_differentiable(std::initializer_list<OpwTensor*> results) const {
    require_ok(context_->context->mark_non_differentiable(context_, results.begin(),
                                                          static_cast<uint32_t>(results.size())));
  }

 private:
  template <class Property>
  void keep_each(const char* name, const OpwValue& value, const Property& property) const;
  void keep(const char* name, const OpwValue& value) const {
    require_ok(context_->context->set_attribute(context_, name, &value));
  }

  OpwContext* context_;
};

// Runs the body of a rule; an exception becomes the rule's error.
template <class Body>
int run_rule(const OpwRecord* record, const OpwValue* args, const Body& body) noexcept {
  try {
    body(RuleContext(args[0]));
    return 0;
  } catch (...) {
    return give_current_error(record->host);
  }
}

// Returns a gradient as the result of a rule; undefined becomes None.
inline void give_gradient(OpwValue& result, Tensor gradient) {
  if (gradient.is_defined()) result = ValueOf<Tensor>::give(std::move(gradient));
}
void give_gradient(OpwValue& result, const std::vector<Tensor>& gradients);
// Copies the value of an argument before it is written.
OpwValue copy_old_value(const OpwValue& value);

using RuleFunction = int(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                         OpwValue* results, uint32_t num_results) noexcept;
// The rules of one operator.
struct GradientRules {
  const char* name;  // "aten::mul.Tensor"
  OpwFunction save;  // or null
  OpwFunction differentiate;
  OpwFunction keep_old;  // or null
  uint32_t line;         // in `file`
};
// Registered when the registry is first used. Returns true.
bool register_gradients(const char* file, std::initializer_list<GradientRules> rules);

}  // namespace opwright
