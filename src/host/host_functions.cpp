#include "opwright/host/host_functions.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/autograd/function_node.h"
#include "opwright/base/core_host.h"
#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/signature.h"
#include "opwright/error.h"
#include "opwright/registration/host_functions.h"
#include "opwright/registration/kernel.h"
#include "opwright/schema/parser.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/vmap/vmap.h"

namespace opwright {
namespace {

// A binary's function, for as long as its node may run it.
class FunctionObject {
 public:
  explicit FunctionObject(OpwObject* object) : object_(object) { object_->table->retain(object_); }
  FunctionObject(const FunctionObject&) = delete;
  FunctionObject& operator=(const FunctionObject&) = delete;
  ~FunctionObject() { object_->table->release(object_); }

  [[nodiscard]] std::string name() const {
    std::string text(object_->table->text(object_, nullptr, 0) + 1, '\0');
    text.resize(object_->table->text(object_, text.data(), text.size()));
    return text;
  }
  void run_forward(Arguments args, Results results) const { run(table().forward, args, results); }
  void run_backward(Arguments args, Results results) const { run(table().backward, args, results); }

 private:
  [[nodiscard]] const FunctionTable& table() const {
    return *reinterpret_cast<const FunctionTable*>(object_->table);
  }
  void run(decltype(FunctionTable::forward) function, Arguments args, Results results) const {
    if (function(object_, args.data(), static_cast<uint32_t>(args.size()), results.data(),
                 static_cast<uint32_t>(results.size())) != 0)
      throw_given_error();
  }

  OpwObject* object_;
};

OpwObject* require_function(const OpwValue& value) {
  const bool is_function = value.tag == kOpwObject &&
                           std::strcmp(value.as_object->table->type_name, kFunctionTypeName) == 0 &&
                           value.as_object->table->struct_size >= sizeof(FunctionTable);
  OPWRIGHT_CHECK_TYPE(is_function, "apply_function: expected an AutogradFunction, got ",
                      tag_name(value.tag));
  return value.as_object;
}

// A bool[]: which inputs need a gradient.
Value needs_of(const TapeNode& node) {
  SmallVector<uint8_t, 8> needs;
  for (const Edge& edge : node.edges()) needs.push_back(edge ? 1 : 0);
  return Value::take(give_copy<uint8_t>(kOpwBoolList, {needs.data(), needs.size()}));
}

// The node of one call of a binary's autograd function.
class BinaryFunctionNode final : public FunctionNode {
 public:
  BinaryFunctionNode(OpwObject* function, const std::string& name, std::vector<Tensor> inputs)
      : FunctionNode(name, std::move(inputs)), function_(function) {}

  // As PyTorch has it.
  [[nodiscard]] std::string backward_name() const override {
    return concatenate("torch::autograd::CppNode<", name(), ">");
  }

  [[nodiscard]] std::vector<Tensor> run_forward(std::vector<Tensor> inputs) {
    const Value needs = needs_of(*this);
    const Value given = Value::take(give_tensors(std::move(inputs)));
    const OpwValue args[] = {needs.get(), given.get()};
    OwnedResults results(kNumForwardResults);
    {
      const ForwardScope scope;
      function_.run_forward(args, results.get());
    }
    const auto tensors = [&](size_t index) { return read_tensors<Tensor>(results.get()[index]); };
    std::vector<Tensor> outputs = tensors(0);
    save(Pointers(tensors(1)).get());
    mark_dirty(Pointers(tensors(2)).get());
    mark_non_differentiable(Pointers(tensors(3)).get());
    set_materialize(ValueOf<bool>::read(results.get()[4]));
    return outputs;
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
  class Pointers {
   public:
    explicit Pointers(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
      for (const Tensor& each : tensors_) all_.push_back(each.get());
    }
    [[nodiscard]] std::span<OpwTensor* const> get() const { return {all_.data(), all_.size()}; }

   private:
    std::vector<Tensor> tensors_;
    SmallVector<OpwTensor*, 4> all_;
  };

  void run_backward(std::span<const Tensor> gradients, Results results) {
    std::vector<Tensor> kept;
    for (size_t i = 0; i < num_saved(); ++i) kept.push_back(saved(i));
    std::vector<Tensor> of_outputs;
    size_t place = 0;
    for (const bool is_tensor : output_is_tensor())
      of_outputs.push_back(is_tensor ? gradients[place++] : Tensor());
    const Value needs = needs_of(*this);
    const Value saved_values = Value::take(give_tensors(std::move(kept)));
    const Value of_results = Value::take(give_tensors(std::move(of_outputs)));
    const OpwValue args[] = {needs.get(), saved_values.get(), of_results.get()};
    function_.run_backward(args, results);
  }

  FunctionObject function_;
};

// A batch or a dual number hides the history below from the function's node.
void refuse_transforms(const std::string& name, std::span<const OpwValue> inputs) {
  const Interpreter* level = current_interpreter();
  const bool hides = dynamic_cast<const Vmap*>(level) || dynamic_cast<const Jvp*>(level);
  if (!hides) return;
  for (const OpwValue& each : inputs) {
    if (each.tag != kOpwTensor || !is_wrapper_of(*level, each.as_tensor)) continue;
    throw_error("RuntimeError", name,
                ": cannot use C++ torch::autograd::Function with functorch transforms (vmap, grad, "
                "vjp, etc): it was called inside ",
                level->name(),
                "\n  Call it from a kernel registered for the key Autograd of an operator, or "
                "register the formula of the operator with m.register_autograd.");
  }
}

std::vector<std::optional<Tensor>> apply_function(const std::vector<std::optional<Tensor>>& inputs,
                                                  const AnyValue& function) {
  OpwObject* object = require_function(function.get());
  const std::string name = FunctionObject(object).name();
  SmallVector<OpwValue, 8> values;
  for (const std::optional<Tensor>& each : inputs)
    values.push_back(each ? ValueOf<Tensor>::lend(*each) : OpwValue{});
  Interpreter* level = current_interpreter();
  if (level && level->traits().lifts) level->lift({values.data(), values.size()});
  refuse_transforms(name, {values.data(), values.size()});
  std::vector<Tensor> lifted;
  for (const OpwValue& each : values)
    lifted.push_back(each.tag == kOpwTensor ? Tensor::borrow(each.as_tensor) : Tensor());
  auto* node = new BinaryFunctionNode(object, name, lifted);
  const TapeNodePtr kept = TapeNodePtr::take(node);
  std::vector<Tensor> outputs = node->run_forward(std::move(lifted));
  node->finish(outputs);
  std::vector<std::optional<Tensor>> given;
  for (Tensor& each : outputs)
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
