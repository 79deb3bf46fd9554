// What a backward formula in C++ works with: the context of the recorded call, and the gradients
// that it gives.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "opwright/kernel.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A handle on the context of one recorded call, borrowed for the length of a rule.
class AutogradContext {
 public:
  explicit AutogradContext(OpwContext* context) : context_(context) {}

  // Keeps tensors for the formula; a later write to one of them is found when it is read back.
  void save(std::initializer_list<Tensor> tensors) {
    require_ok(table().save(context_, reinterpret_cast<OpwTensor* const*>(tensors.begin()),
                            static_cast<uint32_t>(tensors.size())));
  }
  [[nodiscard]] Tensor saved(uint32_t index) const {
    OpwTensor* tensor = nullptr;
    require_ok(table().saved(context_, index, &tensor));
    return Tensor::take(tensor);
  }
  // An argument of the call that is not a tensor, or what set_attribute kept:
  // context.attribute<double>("limit").
  template <class T = double>
  [[nodiscard]] T attribute(const char* name) const {
    const OpwValue* value = nullptr;
    require_ok(table().attribute(context_, name, &value));
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
    }  // NOLINT(google-explicit-constructor): stands in for the argument
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

// One gradient for each tensor argument, in the order of the schema; an undefined tensor: none.
class Gradients {
 public:
  Gradients(std::initializer_list<Tensor> gradients) : all_(gradients) {}
  explicit Gradients(std::vector<Tensor> gradients) : all_(std::move(gradients)) {}
  [[nodiscard]] std::vector<Tensor>& all() { return all_; }

 private:
  std::vector<Tensor> all_;
};

// A backward formula `Gradients f(const AutogradContext&, const Tensor& gradient, ...)` as an
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
        throw_error("RuntimeError", "the backward formula gave ", gradients.all().size(),
                    " gradients, but the operator has ", num_results, " tensor arguments");
      }
      for (uint32_t i = 0; i < num_results; ++i) {
        Tensor& gradient = gradients.all()[i];
        if (gradient.is_defined()) results[i] = ValueOf<Tensor>::give(std::move(gradient));
      }
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
