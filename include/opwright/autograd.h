// What a backward formula in C++ uses: the context of the recorded call, and the gradients that it
// returns.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "opwright/registration/kernel.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A handle to the context of one recorded call, borrowed while a rule runs.
class AutogradContext {
 public:
  explicit AutogradContext(OpwContext* context) : context_(context) {}

  // Saves tensors for the formula; reading one back raises an error if it was written meanwhile.
  void save(std::initializer_list<Tensor> tensors) {
    require_ok(table().save(context_, reinterpret_cast<OpwTensor* const*>(tensors.begin()),
                            static_cast<uint32_t>(tensors.size())));
  }
  [[nodiscard]] Tensor saved(uint32_t index) const {
    OpwTensor* tensor = nullptr;
    require_ok(table().saved(context_, index, &tensor));
    return Tensor::take(tensor);
  }
  // An argument of the call that is not a tensor, or a value stored by set_attribute:
  // context.attribute<double>("limit").
  template <class T = double>
  [[nodiscard]] T attribute(const char* name) const {
    const OpwValue* value = nullptr;
    require_ok(table().attribute(context_, name, &value));
    return ValueOf<T>::read(*value);
  }
  // The same, by its position among all arguments.
  template <class T>
  [[nodiscard]] T argument(uint32_t index) const {
    const OpwValue* value = nullptr;
    require_ok(table().argument(context_, index, &value));
    return ValueOf<T>::read(*value);
  }
  template <class T>
  void set_attribute(const char* name, const T& value) {
    const OpwValue lent = ValueOf<T>::lend(value);
    require_ok(table().set_attribute(context_, name, &lent));
  }
  // Whether tensor argument `index`, counted over tensor arguments, needs a gradient.
  [[nodiscard]] bool needs_gradient(uint32_t index) const {
    int result = 0;
    require_ok(table().needs_gradient(context_, index, &result));
    return result != 0;
  }
  // With false, missing gradients of results arrive as undefined tensors instead of zeros.
  void set_materialize_gradients(bool on) {
    require_ok(table().set_materialize(context_, on ? 1 : 0));
  }
  // Marks results that carry no gradient; call it from `save`.
  void mark_non_differentiable(std::initializer_list<Tensor> results) {
    require_ok(table().mark_non_differentiable(context_,
                                               reinterpret_cast<OpwTensor* const*>(results.begin()),
                                               static_cast<uint32_t>(results.size())));
  }

 private:
  [[nodiscard]] const OpwContextTable& table() const { return *context_->context; }

  OpwContext* context_;
};

template <>
struct ValueOf<AutogradContext> {
  struct Read {
    AutogradContext context;
    operator AutogradContext&() {
      return context;
    }  // NOLINT(google-explicit-constructor): converts like the argument
  };
  static Read read(const OpwValue& value) {
    require_tag(value, kOpwObject, "AutogradContext");
    if (std::string_view(value.as_object->table->type_name) != "AutogradContext") {
      throw_error("TypeError", "expected AutogradContext, got ", value.as_object->table->type_name);
    }
    return {AutogradContext(reinterpret_cast<OpwContext*>(value.as_object))};
  }
  static constexpr void write_type(TextWriter& out) { out.put("AutogradContext"); }
};

// One gradient for each tensor argument, in schema order; an undefined tensor means none. A list of
// tensors has a list of gradients, where an undefined one also means none.
class Gradients {
 public:
  Gradients(std::initializer_list<Tensor> gradients) {
    all_.reserve(gradients.size());
    for (const Tensor& gradient : gradients) add(gradient);
  }
  explicit Gradients(std::vector<Tensor> gradients) {
    all_.reserve(gradients.size());
    for (Tensor& gradient : gradients) add(std::move(gradient));
  }
  Gradients() = default;

  Gradients& add(Tensor gradient) {
    const bool is_there = gradient.is_defined();
    all_.push_back(is_there ? Value::take(ValueOf<Tensor>::give(std::move(gradient))) : Value());
    return *this;
  }
  Gradients& add(const std::vector<Tensor>& gradients) {
    std::vector<std::optional<Tensor>> elements(gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_defined()) elements[i] = gradients[i];
    }
    all_.push_back(Value::take(ValueOf<std::vector<std::optional<Tensor>>>::give(elements)));
    return *this;
  }
  [[nodiscard]] std::vector<Value>& all() { return all_; }

 private:
  std::vector<Value> all_;
};

// Wraps a backward formula `Gradients f(const AutogradContext&, const Tensor& gradient, ...)` as an
// OpwFunction.
template <class Signature>
struct BackwardAdapter;
template <class... Args>
struct BackwardAdapter<Gradients(Args...)> {
  static int call_function(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results) noexcept {
    try {
      const HostScope scope(record->host);
      if (num_args != sizeof...(Args)) [[unlikely]] {
        throw_error("TypeError", "the backward formula takes ", sizeof...(Args) - 1,
                    " gradients, but the operator has ", num_args - 1, " results");
      }
      Gradients gradients = unpack(record, args, std::index_sequence_for<Args...>{});
      if (gradients.all().size() != num_results) [[unlikely]] {
        throw_error("RuntimeError", "the backward formula returned ", gradients.all().size(),
                    " gradients, but the operator has ", num_results, " tensor arguments");
      }
      for (uint32_t i = 0; i < num_results; ++i) results[i] = gradients.all()[i].give();
      return 0;
    } catch (...) {
      return give_current_error(record->host);
    }
  }

 private:
  template <size_t... I>
  static Gradients unpack(const OpwRecord* record, const OpwValue* args,
                          std::index_sequence<I...>) {
    const auto function = reinterpret_cast<Gradients (*)(Args...)>(record->self);
    return function(ValueOfParameter<Args>::read(args[I])...);
  }
};
}  // namespace opwright
