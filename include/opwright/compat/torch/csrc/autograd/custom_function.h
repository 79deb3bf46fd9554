// torch::autograd::Function: a forward that is not recorded, with its own backward.
//
//   struct Square : torch::autograd::Function<Square> {
//     static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x);
//     static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
//                                                    torch::autograd::variable_list grads);
//   };
//   at::Tensor y = Square::apply(x);
//
// The host that runs the code records it: the core and PyTorch do; elsewhere nothing is recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "opwright/compat/ATen/core/ivalue.h"
#include "opwright/compat/c10/core/GradMode.h"
#include "opwright/compat/torch/types.h"
#include "opwright/registration/host_functions.h"
#include "opwright/registration/operator_handle.h"

namespace torch OPWRIGHT_VISIBILITY {
namespace autograd {
using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = variable_list;

// What a function keeps from its forward for its backward.
struct AutogradContext {
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  // Values that are not inputs or outputs; those are saved by save_for_backward. Each run of
  // backward gets a copy of what forward stored.
  std::unordered_map<std::string, at::IValue> saved_data;

  // Called once, in forward. Reading one back after it was written is an error.
  void save_for_backward(variable_list to_save) { saved_ = std::move(to_save); }
  [[nodiscard]] variable_list get_saved_variables() const { return saved_; }
  // Inputs that forward writes; it must return them.
  void mark_dirty(const variable_list& inputs) { dirty_ = inputs; }
  void mark_non_differentiable(const variable_list& outputs) { non_differentiable_ = outputs; }
  // With false, missing gradients of outputs are undefined tensors instead of zeros.
  void set_materialize_grads(bool value) { materializes_ = value; }
  // Whether a tensor argument needs a gradient, counted over tensor arguments.
  [[nodiscard]] bool needs_input_grad(size_t index) const {
    if (index >= needs_.size()) {
      opwright::throw_error("IndexError", "needs_input_grad(", index, "): the function has ",
                            needs_.size(), " tensor arguments");
    }
    return needs_[index];
  }

 private:
  friend class FunctionCall;

  variable_list saved_;
  variable_list dirty_;
  variable_list non_differentiable_;
  std::vector<bool> needs_;
  bool materializes_ = true;
};

// One call of a function, as the host keeps it. Its backward may run on several threads at once.
class FunctionCall : public OpwAutogradFunction {
 public:
  using Forward = variable_list (*)(void* arguments, AutogradContext& context,
                                    variable_list inputs);
  using Backward = variable_list (*)(AutogradContext* context, variable_list gradients);

  // `arguments` is used until end_apply.
  FunctionCall(const std::type_info& type, Forward forward, void* arguments,
               std::vector<bool> input_is_tensor, Backward backward)
      : OpwAutogradFunction{&kObjectTable, &kTable},
        type_(type),
        forward_(forward),
        arguments_(arguments),
        backward_(backward),
        input_is_tensor_(std::move(input_is_tensor)) {}
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;
  [[nodiscard]] OpwObject* object() { return reinterpret_cast<OpwObject*>(this); }
  // The arguments end; the caller gives up its count.
  void end_apply() {
    arguments_ = nullptr;
    release();
  }

 private:
  ~FunctionCall() = default;

  static FunctionCall& of(OpwObject* object) {
    return *static_cast<FunctionCall*>(reinterpret_cast<OpwAutogradFunction*>(object));
  }
  static const FunctionCall& of(const OpwObject* object) {
    return *static_cast<const FunctionCall*>(reinterpret_cast<const OpwAutogradFunction*>(object));
  }
  void release() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  template <class Body>
  int run(const Body& body) noexcept {
    try {
      const opwright::HostScope scope(host_);
      const c10::RecordedFunctionScope recorded;
      body();
      return 0;
    } catch (...) {
      return opwright::give_current_error(host_);
    }
  }

  // ValueError names `what` if the list has another length.
  static variable_list read_list(const OpwValue& list, size_t expected, const char* what) {
    variable_list tensors = opwright::read_tensors<at::Tensor>(list);
    require_length(tensors.size(), expected, what);
    return tensors;
  }
  static void require_length(size_t length, size_t expected, const char* what) {
    if (length == expected) return;
    opwright::throw_error("ValueError", "torch::autograd::Function: expected ", expected, " ", what,
                          ", got ", length);
  }
  [[nodiscard]] std::vector<bool> read_needs(const OpwValue& needs) const {
    opwright::require_tag(needs, kOpwBoolList, "bool[]");
    require_length(needs.length, input_is_tensor_.size(), "needs of inputs");
    std::vector<bool> of_tensors;
    for (uint32_t i = 0; i < needs.length; ++i) {
      if (input_is_tensor_[i]) of_tensors.push_back(needs.as_bytes[i] != 0);
    }
    return of_tensors;
  }
  [[nodiscard]] static bool holds_tensors(const AutogradContext& context) {
    for (const auto& [key, value] : context.saved_data) {
      if (value.isTensor() || value.isTensorList()) return true;
    }
    return false;
  }

  static int run_forward(OpwObject* object, const OpwValue* args, uint32_t num_args,
                         OpwValue* results, uint32_t num_results) {
    FunctionCall& self = of(object);
    return self.run([&] {
      constexpr uint32_t kResults = opwright::kNumForwardResults;
      if (num_args != 2 || num_results != kResults)
        opwright::throw_wrong_count(2, num_args, kResults, num_results);
      if (!self.arguments_) {
        opwright::throw_error("RuntimeError", opwright::text_of(object),
                              ": its forward was called after apply had returned; it runs once, "
                              "inside of apply");
      }
      AutogradContext context;
      context.needs_ = self.read_needs(args[0]);
      variable_list outputs = self.forward_(
          self.arguments_, context, read_list(args[1], self.input_is_tensor_.size(), "inputs"));
      self.num_outputs_ = outputs.size();
      results[0] = opwright::give_tensors(std::move(outputs));
      results[1] = opwright::give_tensors(std::move(context.saved_));
      results[2] = opwright::give_tensors(std::move(context.dirty_));
      results[3] = opwright::give_tensors(std::move(context.non_differentiable_));
      results[4] = opwright::ValueOf<bool>::give(context.materializes_);
      results[5] = opwright::ValueOf<bool>::give(holds_tensors(context));
      self.saved_data_ = std::move(context.saved_data);
    });
  }
  static int run_backward(OpwObject* object, const OpwValue* args, uint32_t num_args,
                          OpwValue* results, uint32_t num_results) {
    FunctionCall& self = of(object);
    return self.run([&] {
      if (num_args != 3 || num_results != 1)
        opwright::throw_wrong_count(3, num_args, 1, num_results);
      AutogradContext context;  // of this run
      context.saved_data = self.saved_data_;
      context.needs_ = self.read_needs(args[0]);
      context.saved_ = opwright::read_tensors<at::Tensor>(args[1]);
      results[0] = opwright::give_tensors(
          self.backward_(&context, read_list(args[2], self.num_outputs_, "gradients of outputs")));
    });
  }

  // Writes at most `capacity` bytes with the final zero; returns the full length.
  static size_t write_name(const OpwObject* object, char* buffer, size_t capacity) {
    const char* mangled = of(object).type_.name();
    int status = 0;
    char* readable = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    const std::string_view name = readable ? readable : mangled;
    const size_t length = name.size();
    if (capacity > 0) buffer[name.copy(buffer, capacity - 1)] = '\0';
    std::free(readable);
    return length;
  }

  static const OpwObjectTable kObjectTable;
  static const OpwAutogradFunctionTable kTable;

  std::atomic<uint32_t> count_{1};
  const OpwHost* host_ = opwright::current_host;
  const std::type_info& type_;
  Forward forward_;
  void* arguments_;  // null: apply has returned
  Backward backward_;
  std::vector<bool> input_is_tensor_;
  // Of the forward; later only read.
  size_t num_outputs_ = 0;
  std::unordered_map<std::string, at::IValue> saved_data_;
};
inline constexpr OpwObjectTable FunctionCall::kObjectTable = {
    .struct_size = sizeof(OpwObjectTable),
    .type_name = opwright::kFunctionTypeName,
    .retain = [](OpwObject* object) { of(object).count_.fetch_add(1, std::memory_order_relaxed); },
    .release = [](OpwObject* object) { of(object).release(); },
    .equal = [](const OpwObject* a, const OpwObject* b) { return a == b ? 1 : 0; },
    .hash = [](const OpwObject* object) { return reinterpret_cast<uint64_t>(object); },
    .text = &write_name};
inline constexpr OpwAutogradFunctionTable FunctionCall::kTable = {
    .struct_size = sizeof(OpwAutogradFunctionTable),
    .forward = &run_forward,
    .backward = &run_backward};

template <class T>
struct Function {
  // Runs T::forward(ctx, args...), which returns a tensor or a variable_list, and has the host
  // record that T::backward computes its gradients. It returns one for each argument of forward
  // after ctx, undefined for those that are not tensors.
  template <class X = T, class... Args>
  static auto apply(Args&&... args) {
    using Result = std::remove_cvref_t<decltype(X::forward(static_cast<AutogradContext*>(nullptr),
                                                           std::forward<Args>(args)...))>;
    constexpr bool kIsOne = std::is_same_v<Result, at::Tensor>;
    static_assert(kIsOne || std::is_same_v<Result, variable_list>,
                  "torch::autograd::Function: forward returns a tensor or a variable_list");
    Arguments<X, Args...> arguments{std::forward_as_tuple(std::forward<Args>(args)...)};
    std::vector<std::optional<at::Tensor>> inputs{input_of(args)...};
    auto* call = new FunctionCall(typeid(X), &Arguments<X, Args...>::run, &arguments,
                                  {is_tensor_argument<Args>()...}, &X::backward);
    const Release end{call};
    OpwValue function{};
    function.tag = kOpwObject;
    function.as_object = call->object();
    using Apply = std::vector<std::optional<at::Tensor>>(
        const std::vector<std::optional<at::Tensor>>&, const opwright::AnyValue&);
    std::vector<std::optional<at::Tensor>> outputs =
        opwright::imported<"opwright::apply_function", Apply>(inputs,
                                                              opwright::AnyValue::lend(function));
    variable_list given;
    for (std::optional<at::Tensor>& each : outputs)
      given.push_back(each ? std::move(*each) : at::Tensor());
    if constexpr (kIsOne) {
      return given.at(0);
    } else {
      return given;
    }
  }

 private:
  struct Release {
    FunctionCall* call;
    ~Release() { call->end_apply(); }
  };

  template <class Arg>
  using Plain = std::remove_cvref_t<Arg>;
  template <class Arg>
  static constexpr bool is_tensor_argument() {
    return std::is_convertible_v<Plain<Arg>, const at::Tensor&> ||
           std::is_same_v<Plain<Arg>, std::optional<at::Tensor>>;
  }
  template <class Arg>
  static std::optional<at::Tensor> input_of(const Arg& arg) {
    if constexpr (std::is_same_v<Arg, std::optional<at::Tensor>>) {
      return arg && arg->defined() ? arg : std::nullopt;
    } else if constexpr (is_tensor_argument<Arg>()) {
      const at::Tensor& tensor = arg;
      return tensor.defined() ? std::optional(tensor) : std::nullopt;
    } else {
      return std::nullopt;
    }
  }

  // The arguments of one call: its tensors are those that the host gives, e.g. inside of a trace.
  template <class X, class... Args>
  struct Arguments {
    std::tuple<Args&&...> all;

    static variable_list run(void* self, AutogradContext& context, variable_list inputs) {
      return run(static_cast<Arguments*>(self)->all, context, inputs,
                 std::index_sequence_for<Args...>{});
    }
    template <size_t... I>
    static variable_list run(std::tuple<Args&&...>& all, AutogradContext& context,
                             [[maybe_unused]] variable_list& inputs, std::index_sequence<I...>) {
      auto result = X::forward(&context, pick<Args>(std::get<I>(all), inputs[I])...);
      if constexpr (std::is_same_v<decltype(result), at::Tensor>) {
        return {std::move(result)};
      } else {
        return result;
      }
    }
    template <class Arg>
    static decltype(auto) pick(std::remove_reference_t<Arg>& arg, at::Tensor& input) {
      if constexpr (std::is_same_v<Plain<Arg>, std::optional<at::Tensor>>) {
        return input.defined() ? std::optional(input) : std::optional<at::Tensor>(std::nullopt);
      } else if constexpr (is_tensor_argument<Arg>()) {
        return (input);
      } else {
        return static_cast<Arg&&>(arg);
      }
    }
  };
};
}  // namespace autograd
}  // namespace torch
