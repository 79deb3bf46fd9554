#include "opwright/host/host_functions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/function_node.h"
#include "opwright/base/core_host.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/mode.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/signature.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/host/function_level.h"
#include "opwright/registration/host_functions.h"
#include "opwright/registration/kernel.h"
#include "opwright/schema/parser.h"
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/grad.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/vmap/vmap.h"

namespace opwright {
namespace {

// A binary's function, for as long as its node may run it.
class FunctionObject {
 public:
  explicit FunctionObject(OpwObject* object) : object_(object) { object_->table->retain(object_); }
  FunctionObject(const FunctionObject& other) : FunctionObject(other.object_) {}
  FunctionObject& operator=(const FunctionObject&) = delete;
  ~FunctionObject() { object_->table->release(object_); }

  [[nodiscard]] std::string name() const { return text_of(object_); }
  void run_forward(Arguments args, Results results) const { run(table().forward, args, results); }
  void run_backward(Arguments args, Results results) const { run(table().backward, args, results); }

 private:
  [[nodiscard]] const OpwAutogradFunctionTable& table() const {
    return *reinterpret_cast<const OpwAutogradFunction*>(object_)->function;
  }
  void run(decltype(OpwAutogradFunctionTable::forward) function, Arguments args,
           Results results) const {
    if (function(object_, args.data(), static_cast<uint32_t>(args.size()), results.data(),
                 static_cast<uint32_t>(results.size())) != 0)
      throw_given_error();
  }

  OpwObject* object_;
};

OpwObject* require_function(const OpwValue& value) {
  const bool is_function = value.tag == kOpwObject && find_autograd_function(value.as_object);
  OPWRIGHT_CHECK_TYPE(is_function, "apply_function: expected an AutogradFunction, got ",
                      tag_name(value.tag));
  return value.as_object;
}

// Which inputs need a gradient.
using Needs = SmallVector<uint8_t, 8>;

void add_needs(Needs& needs, const TapeNode& node) {
  for (size_t i = 0; i < needs.size(); ++i) {
    if (node.edges()[i]) needs[i] = 1;
  }
}

Value value_of(const Needs& needs) {
  return Value::take(give_copy<uint8_t>(kOpwBoolList, {needs.data(), needs.size()}));
}

// What a forward returned, as values of one level; undefined for None.
struct ForwardValues {
  std::vector<Tensor> outputs;
  std::vector<Tensor> new_outputs;  // as the forward returned them, before they had a history
  std::vector<Tensor> saved;
  std::vector<Tensor> written;
  std::vector<Tensor> without_gradient;
  bool materializes = true;
  bool keeps_tensors = false;
  bool was_raised = false;  // a level above that of the forward records it too
};

// The node of one call of a binary's autograd function.
class BinaryFunctionNode final : public FunctionNode {
 public:
  BinaryFunctionNode(const FunctionObject& function, const std::string& name,
                     std::vector<Tensor> inputs)
      : FunctionNode(name, std::move(inputs)), function_(function) {}

  // As PyTorch has it.
  [[nodiscard]] std::string backward_name() const override {
    return concatenate("torch::autograd::CppNode<", name(), ">");
  }

  void finish_with(ForwardValues& values) {
    save(pointers_to(values.saved));
    mark_dirty(pointers_to(values.written));
    mark_non_differentiable(pointers_to(values.without_gradient));
    set_materialize(values.materializes);
    values.new_outputs = values.outputs;
    finish(values.outputs);
  }

  void apply(std::span<Tensor> gradients, std::span<Tensor> given) override {
    fill_missing(gradients);
    const GradientVersions versions(gradients);
    OwnedResults results(1);
    try {
      run_backward(gradients, results.get());
    } catch (Error& error) {
      add_backward_note(error);
      throw;
    }
    versions.check(gradients, *this);
    const std::vector<Tensor> returned = read_tensors<Tensor>(results.get()[0]);
    const bool is_enough =
        returned.size() >= given.size() &&
        std::none_of(returned.begin() + static_cast<ptrdiff_t>(given.size()), returned.end(),
                     [](const Tensor& each) { return each.is_defined(); });
    OPWRIGHT_CHECK(is_enough, "function ", name(),
                   " returned an incorrect number of gradients (expected ", given.size(), ", got ",
                   returned.size(), ")");
    for (size_t i = 0; i < given.size(); ++i) {
      if (returned[i].is_defined()) given[i] = fit_gradient(i, returned[i]);
    }
  }

 private:
  static std::vector<OpwTensor*> pointers_to(std::span<const Tensor> tensors) {
    std::vector<OpwTensor*> all;
    for (const Tensor& each : tensors) all.push_back(each.get());
    return all;
  }

  void run_backward(std::span<const Tensor> gradients, Results results) {
    std::vector<Tensor> kept;
    for (size_t i = 0; i < num_saved(); ++i) kept.push_back(saved(i));
    std::vector<Tensor> of_outputs;
    size_t place = 0;
    for (const bool is_tensor : output_is_tensor())
      of_outputs.push_back(is_tensor ? gradients[place++] : Tensor());
    Needs own_needs(edges().size());
    add_needs(own_needs, *this);
    const Value needs = value_of(own_needs);
    const Value saved_values = Value::take(give_tensors(std::move(kept)));
    const Value of_results = Value::take(give_tensors(std::move(of_outputs)));
    const OpwValue args[] = {needs.get(), saved_values.get(), of_results.get()};
    function_.run_backward(args, results);
  }

  FunctionObject function_;
};

[[noreturn]] void throw_hidden_history(const std::string& name, const Interpreter& level) {
  throw_error("RuntimeError", name,
              ": cannot use C++ torch::autograd::Function with functorch transforms (vmap, grad, "
              "vjp, etc): it was called inside ",
              level.name(),
              "\n  Call it from a kernel registered for the key Autograd of an operator, or "
              "register the formula of the operator with m.register_autograd.");
}

// While a forward runs whose Function could not be applied at the levels below: refuses calls that
// these would record with the operators' own formulas. An operator with an autograd kernel applies
// the Function there itself.
class ForwardCalls final : public Mode {
 public:
  ForwardCalls(const std::string& name, const Interpreter& level) : name_(name), level_(level) {}

  bool process(const Operator& op, Arguments args, Results /*results*/) override {
    if (current_interpreter() != &level_ || op.record(Slot::AutogradKernel) ||
        op.tags().has(Tag::Nondifferentiable) ||
        (op.seen_through_body() && !level_.keeps_whole(op)))
      return false;
    op.visit_tensor_arguments(args, [&](uint32_t /*index*/, OpwTensor* tensor) {
      if (tensor && is_recorded_below(level_, BorrowedTensor(tensor)))
        throw_hidden_history(name_, level_);
    });
    return false;
  }

 private:
  const std::string& name_;
  const Interpreter& level_;
};

// One call of apply_function. The forward runs once, at the lowest level that it can be applied at;
// every level above records it with its own backward.
class FunctionApplication {
 public:
  explicit FunctionApplication(OpwObject* object) : function_(object), name_(function_.name()) {}

  // At the current level; `values` are those of this level. `needs` are those of the levels above.
  void apply(std::vector<Tensor> inputs, Needs needs, ForwardValues& values) const {
    Interpreter* level = current_interpreter();
    lift(level, inputs);
    if (is_mapped_or_pushed(level) && !hides_history(inputs)) {
      const ParentScope scope(*level);  // the level has no part in it
      return apply(std::move(inputs), std::move(needs), values);
    }
    Interpreter* home = home_of(level, inputs);
    const InterpreterScope at_home(home);
    if (is_mapped_or_pushed(home) && hides_history(inputs)) throw_hidden_history(name_, *home);
    check_backward_is_kept(name_, inputs);
    auto* node = new BinaryFunctionNode(function_, name_, inputs);
    const TapeNodePtr kept = TapeNodePtr::take(node);
    add_needs(needs, *node);
    if (auto* grad = dynamic_cast<Grad*>(level)) {
      apply_below(*grad, inputs, needs, *node, values);
    } else {
      run_forward(level, home, inputs, needs, home != level, values);
    }
    node->finish_with(values);
  }

 private:
  static bool is_mapped_or_pushed(const Interpreter* level) {
    return dynamic_cast<const Vmap*>(level) || dynamic_cast<const Jvp*>(level);
  }

  static void lift(Interpreter* level, std::vector<Tensor>& inputs) {
    if (!level || !level->traits().lifts) return;
    SmallVector<OpwValue, 8> values;
    for (const Tensor& each : inputs)
      values.push_back(each.is_defined() ? ValueOf<Tensor>::lend(each) : OpwValue{});
    level->lift({values.data(), values.size()});
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].is_defined()) inputs[i] = Tensor::borrow(values[i].as_tensor);
  }

  // The level that records: one without values of its own (a dispatch mode) leaves it to the one
  // outside.
  static Interpreter* home_of(Interpreter* level, std::span<const Tensor> inputs) {
    if (!level || level->traits().lifts || dynamic_cast<Grad*>(level)) return level;
    const bool has_own = std::ranges::any_of(inputs, [&](const Tensor& input) {
      return input.is_defined() && is_wrapper_of(*level, input.get());
    });
    return has_own ? level : level->parent();
  }

  // Runs the forward at `level`, not recorded by `home`.
  void run_forward(Interpreter* level, Interpreter* home, const std::vector<Tensor>& inputs,
                   const Needs& needs, bool checks_calls, ForwardValues& values) const {
    const Value needs_value = value_of(needs);
    const Value given = Value::take(give_tensors(inputs));
    const OpwValue args[] = {needs_value.get(), given.get()};
    OwnedResults results(kNumForwardResults);
    {
      const FunctionNode::ForwardScope scope(home);
      const InterpreterScope at_level(level);
      std::optional<ForwardCalls> calls;
      std::optional<ModeScope> checked;
      if (checks_calls && home) checked.emplace(calls.emplace(name_, *level));
      function_.run_forward(args, results.get());
    }
    std::vector<Tensor>* const lists[] = {&values.outputs, &values.saved, &values.written,
                                          &values.without_gradient};
    for (size_t i = 0; i < std::size(lists); ++i)
      *lists[i] = read_tensors<Tensor>(results.get()[i]);
    values.materializes = ValueOf<bool>::read(results.get()[4]);
    values.keeps_tensors = ValueOf<bool>::read(results.get()[5]);
  }

  // Applies it at the level below grad, and gives the values of this level.
  void apply_below(Grad& level, const std::vector<Tensor>& inputs, const Needs& needs,
                   const BinaryFunctionNode& node, ForwardValues& values) const {
    const CallBelow call(level, inputs);
    bool is_hidden = false;
    {
      const ParentScope scope(level);
      is_hidden = hides_history(call.inputs());
      if (!is_hidden) apply(call.inputs(), needs, values);
    }
    if (is_hidden) return run_forward(&level, &level, inputs, needs, true, values);
    raise(values, call, inputs);
    OPWRIGHT_CHECK(!values.keeps_tensors || !values.was_raised || !node.is_recorded(), name_,
                   ": ctx->saved_data holds a tensor, which has no history inside of nested "
                   "transforms of grad\n  Save inputs and outputs with ctx->save_for_backward.");
    values.was_raised |= node.is_recorded();
  }

  // Replaces values of the level below by those of this level; others than inputs and outputs are
  // constants here.
  static void raise(ForwardValues& values, const CallBelow& call, std::span<const Tensor> inputs) {
    const std::vector<Tensor> below = std::exchange(values.outputs, {});
    for (const Tensor& each : below) {
      const Tensor* same = counterpart(each, below, values.outputs);  // returned twice
      values.outputs.push_back(same ? Tensor(*same) : call.raise(each));
    }
    for (std::vector<Tensor>* tensors :
         {&values.saved, &values.written, &values.without_gradient}) {
      for (Tensor& each : *tensors) {
        if (const Tensor* input = counterpart(each, call.inputs(), inputs)) {
          each = *input;
        } else if (const Tensor* output = counterpart(each, values.new_outputs, values.outputs)) {
          each = *output;
        }
      }
    }
  }
  // The tensor of `own` in the place that `tensor` has in `below`; null: it is not there.
  static const Tensor* counterpart(const Tensor& tensor, std::span<const Tensor> below,
                                   std::span<const Tensor> own) {
    const auto found = std::ranges::find(below, tensor.get(), &Tensor::get) - below.begin();
    const auto place = static_cast<size_t>(found);
    return place < own.size() ? &own[place] : nullptr;
  }

  FunctionObject function_;
  std::string name_;
};

std::vector<std::optional<Tensor>> apply_function(const std::vector<std::optional<Tensor>>& inputs,
                                                  const AnyValue& function) {
  std::vector<Tensor> tensors;
  for (const std::optional<Tensor>& each : inputs) tensors.push_back(each.value_or(Tensor()));
  const FunctionApplication application(require_function(function.get()));
  ForwardValues values;
  application.apply(std::move(tensors), Needs(inputs.size()), values);
  std::vector<std::optional<Tensor>> given;
  for (Tensor& each : values.outputs)
    given.push_back(each.is_defined() ? std::optional(std::move(each)) : std::nullopt);
  return given;
}

AnyValue call_operator(const std::string& name, const AnyValue& args) {
  const Operator& op = Registry::get().require(name);
  require_tag(args.get(), kOpwList, "a list of arguments");
  const auto* values = static_cast<const OpwValue*>(args.get().as_values);
  OwnedResults results(op.num_results());
  call(op, {values, args.get().length}, results.get());
  auto* elements = allocate_list<OpwValue>(op.num_results());
  OpwValue list{};
  list.tag = kOpwList;
  list.length = op.num_results();
  list.as_values = elements;
  for (uint32_t i = 0; i < list.length; ++i)
    elements[i] = std::exchange(results.get()[i], OpwValue{});
  return AnyValue::take(list);
}

bool set_grad_enabled(std::optional<bool> enabled) {
  ThreadState& state = thread_state();
  return enabled ? state.set_grad_enabled(*enabled) : state.grad_is_enabled();
}

// At a level, only its own recording: the levels below record for themselves.
bool set_below_autograd(bool below) {
  if (Interpreter* level = current_interpreter()) {
    const bool previous = !level->records();
    level->set_records(!below);
    return previous;
  }
  uint32_t& attention = thread_state().attention;
  const bool previous = (attention & kAttentionBelowRecording) != 0;
  attention = (attention & ~uint32_t{kAttentionBelowRecording}) |
              (below ? uint32_t{kAttentionBelowRecording} : 0);
  return previous;
}

template <class R, class... Args>
HostFunction host_function(std::string_view name, const char* schema, R (*function)(Args...)) {
  return {.name = name,
          .schema = schema,
          .record = {.struct_size = sizeof(OpwRecord),
                     .function = &KernelAdapter<R(Args...)>::call_function,
                     .self = reinterpret_cast<void*>(function),
                     .drop = nullptr,
                     .op = nullptr,
                     .host = &core_host()}};
}

}  // namespace

const HostFunction* find_host_function(std::string_view name) {
  if (!name.starts_with("opwright::")) return nullptr;
  static const HostFunction all[] = {
      host_function("opwright::apply_function",
                    "opwright::apply_function(Tensor?[] inputs, Any function) -> Tensor?[]",
                    &apply_function),
      host_function("opwright::call_operator", "opwright::call_operator(str name, Any args) -> Any",
                    &call_operator),
      host_function("opwright::set_grad_enabled",
                    "opwright::set_grad_enabled(bool? enabled) -> bool", &set_grad_enabled),
      host_function("opwright::set_below_autograd",
                    "opwright::set_below_autograd(bool below) -> bool", &set_below_autograd)};
  const auto* found = std::ranges::find(all, name, &HostFunction::name);
  return found == std::end(all) ? nullptr : found;
}

void HostFunction::check_caller(const char* caller_signature) const {
  const auto difference = find_difference(parse_schema(schema), caller_signature);
  OPWRIGHT_CHECK_TYPE(!difference, name,
                      ": the caller's C++ type does not match the schema: ", *difference,
                      "\n  schema: ", schema, "\n  caller: ", caller_signature);
}

void HostFunction::run(const OpwValue* args, uint32_t num_args, OpwValue* results,
                       uint32_t num_results) const {
  if (record.function(&record, args, num_args, results, num_results) != 0) throw_given_error();
}

}  // namespace opwright
