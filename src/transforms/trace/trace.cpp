#include "opwright/transforms/trace/trace.h"

#include <utility>

#include "opwright/base/user_line.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/declined.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright {
namespace {

constexpr InterpreterTraits kLifts{.lifts = true, .adopts_histories = true};

// The metadata that a graph keeps of a value: nothing that holds memory.
Tensor meta_of(const Tensor& inner) { return inner.is_fake() ? inner : fake_of(inner); }

// For an input, the graph keeps its initial metadata: a call may change its sizes (out=, resize_).
Tensor meta_of_input(const Tensor& inner) {
  if (!inner.is_fake()) return fake_of(inner);
  const TensorImpl& shown = impl(inner);
  Tensor meta = Tensor::take(new_impl(StoragePtr::share(shown.storage), shown.dtype(),
                                      shown.device(), shown.flags & kOpwFlagRequiresGrad, 0));
  replace_contents(impl(meta), shown);
  return meta;
}

Value meta_of(const OpwValue& result) {
  if (result.tag == kOpwTensor && result.as_tensor) {
    return Value(meta_of(Tensor::borrow(result.as_tensor)));
  }
  if (result.tag != kOpwTensorList) return Value::copy_of(result);
  std::vector<Tensor> metas;
  for (uint32_t i = 0; i < result.length; ++i) {
    metas.push_back(meta_of(Tensor::borrow(result.as_tensors[i])));
  }
  return Value(metas);
}

bool holds_foreign(const OpwValue& list, const Trace& trace) {
  bool found = false;
  visit_tensors(list, [&](OpwTensor* tensor) { found |= tensor && !trace.owns(tensor); });
  return found;
}

}  // namespace

Trace::Trace(IntrusivePtr<FakeMode> fake, Interpreter* outside, GraphPtr graph,
             TraceOptions options)
    : Interpreter(fake.get(), kLifts),
      fake_(std::move(fake)),
      outside_(outside),
      graph_(std::move(graph)),
      options_(std::move(options)) {
  if (options_.may_end_early) ask_for_wrappers();
}

Trace::Trace(Interpreter* outside, GraphPtr graph, TraceOptions options)
    : Interpreter(outside, kLifts),
      outside_(outside),
      graph_(std::move(graph)),
      options_(std::move(options)) {}

// ---- Values ----

bool Trace::owns(const OpwTensor* tensor) const noexcept { return is_wrapper_of(*this, tensor); }

GraphValue& Trace::value_of(const OpwTensor* own) const {
  OPWRIGHT_ASSERT(owns(own));
  const auto& mine = static_cast<const WrapperImpl&>(impl(const_cast<OpwTensor*>(own)));
  return *static_cast<GraphValue*>(mine.payload.data);
}

Tensor Trace::wrap(Tensor inner, GraphValue& value) {
  WrapperPayload payload;
  payload.data = &value;
  return make_wrapper(this, std::move(inner), payload);
}

Tensor Trace::add_input(const std::string& name, Tensor inner, InputRole role, Tensor bound) {
  GraphValue& value = graph_->add_input(name, Value(meta_of_input(inner)), role, std::move(bound),
                                        current_user_line());
  Tensor own = wrap(std::move(inner), value);
  return own;
}

Tensor Trace::add_argument(const Tensor& given, const std::string& name, bool dynamic) {
  Tensor inner = given;
  if (fake_) {
    const auto sizes = dynamic ? FakeMode::Sizes::Dynamic : FakeMode::Sizes::Static;
    inner = impl(given).is_wrapper() ? fake_of(given) : fake_->from_tensor(given, sizes, name);
  }
  Tensor own = add_input(name, std::move(inner), InputRole::Argument, {});
  adopt(given, own);
  twins_.try_emplace(given.get(), Twin{given, own});  // the first wins for duplicates
  return own;
}

Tensor Trace::add_argument(const Tensor& given, const std::string& name,
                           std::span<const SymInt> sizes) {
  OPWRIGHT_ASSERT(fake_);
  Tensor own = add_input(name, FakeMode::make_apart(given, sizes), InputRole::Argument, {});
  adopt(given, own);
  return own;
}

void Trace::adopt(const Tensor& foreign, const Tensor& own) {
  if (options_.is_functional) return;
  IntrusivePtr<Boundary> boundary = adopt_history(foreign, own);
  if (boundary && options_.may_end_early) boundaries_.push_back(std::move(boundary));
}

SymInt Trace::add_int_argument(int64_t given, const std::string& name) {
  OPWRIGHT_ASSERT(fake_);
  SymInt symbol = fake_->shape_env().make_backed(given, {}, name);
  graph_->add_input(name, Value(symbol), InputRole::Argument, {}, current_user_line());
  return symbol;
}

// ---- Lifting ----

Tensor Trace::capture(const Tensor& foreign, InputRole role) {
  const auto named = names_.find(foreign.get());
  const std::string name = named != names_.end() ? named->second.name : "captured";
  Tensor inner = foreign;
  if (fake_) {
    inner = impl(foreign).is_wrapper() ? fake_of(foreign) : fake_->from_tensor(foreign);
  }
  Tensor own = add_input(name, std::move(inner), role, foreign);
  adopt(foreign, own);
  return own;
}

OpwTensor* Trace::lift_tensor(OpwTensor* tensor) {
  if (owns(tensor)) return tensor;
  if (const auto found = twins_.find(tensor); found != twins_.end()) return found->second.own.get();
  const bool is_wrapper = (tensor->flags & kOpwFlagWrapped) != 0;
  if (is_wrapper && !is_in_chain(impl(tensor).level, outside_))
    return tensor;  // rejected by `call`
  const Tensor foreign = Tensor::borrow(tensor);
  Tensor own = options_.is_functional ? Tensor() : lift_as_view(foreign, *this);
  if (!own.is_defined()) own = capture(foreign, InputRole::Captured);
  OpwTensor* result = own.get();
  twins_.emplace(foreign.get(), Twin{foreign, std::move(own)});
  return result;
}

OpwTensor* Trace::find_twin(const OpwTensor* foreign) const {
  const auto found = twins_.find(const_cast<OpwTensor*>(foreign));
  return found == twins_.end() ? nullptr : found->second.own.get();
}

void Trace::lift(std::span<OpwValue> args) {
  for (OpwValue& value : args) {
    if (value.tag == kOpwTensor && value.as_tensor) {
      value.as_tensor = lift_tensor(value.as_tensor);
    } else if ((value.tag == kOpwTensorList || value.tag == kOpwList) &&
               holds_foreign(value, *this)) {
      lifted_lists_.push_back(map_tensors(
          value, [&](OpwTensor* tensor) { return Tensor::borrow(lift_tensor(tensor)); }));
      value = lifted_lists_.back().get();
    }
  }
}

Tensor Trace::own(const Tensor& tensor) { return Tensor::borrow(lift_tensor(tensor.get())); }

// ---- Calls ----

bool Trace::decomposes(const Operator& op) const {
  return !options_.decompose.empty() && options_.decompose.contains(&op);
}

bool Trace::keeps_whole(const Operator& op) const {
  if (has_ended()) return true;  // process passes it on
  // The body of a composite operator gives way to a decomposition that was given for it.
  if (decomposes(op)) return op.record(Slot::Decompose) != nullptr;
  return options_.keeps_composites || !is_builtin(op) || options_.whole.contains(&op);
}

// A number read from data would become a constant of the graph. Ints may become symbols.
void Trace::refuse_reading_data(const Operator& op, Arguments args) {
  if (!op.tags().has(Tag::DataDependentOutput)) [[likely]]
    return;
  const BorrowedTensor read(args.front().tag == kOpwTensor ? args.front().as_tensor : nullptr);
  const Tensor& tensor = read;
  const bool becomes_symbol =
      fake_ && tensor.is_defined() && is_integral(tensor.dtype()) && op.num_results() == 1;
  if (becomes_symbol) return;
  const std::string name = data_reader_name(op);
  end_for({.text = concatenate(name, "() reads the data of a tensor (", tensor, ")")});
  throw_no_data(name, tensor);
}

NodeArgument Trace::argument_of(const OpwValue& value) const {
  if (value.tag == kOpwTensor && value.as_tensor) {
    return NodeArgument::of(value_of(value.as_tensor));
  }
  const bool may_hold_tensors = value.tag == kOpwTensorList || value.tag == kOpwList;
  bool holds_tensors = false;
  if (may_hold_tensors)
    visit_tensors(value, [&](OpwTensor* tensor) { holds_tensors |= tensor != nullptr; });
  if (!holds_tensors) return NodeArgument::constant(Value::copy_of(value));
  std::vector<NodeArgument> elements;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (value.tag == kOpwTensorList) {
      elements.push_back(NodeArgument::of(value_of(value.as_tensors[i])));
    } else {
      elements.push_back(argument_of(static_cast<const OpwValue*>(value.as_values)[i]));
    }
  }
  return NodeArgument::list(std::move(elements));
}

void Trace::process(const Operator& op, Arguments args, Results results) {
  if (has_ended()) [[unlikely]] {
    const ParentScope scope(*this);
    return call(op, args, results);
  }
  if (decomposes(op)) [[unlikely]] {
    const OpwRecord* rule = op.record(Slot::Decompose);
    if (rule && run_decomposition(op, *rule, args, results)) return;
  }
  const bool is_constant = is_constant_call(op, args);
  if (is_constant && op.tags().has(Tag::DataDependentOutput)) [[unlikely]] {
    std::vector<Value> read = run_on_constants(op, args, take_constants(op, args));
    for (size_t i = 0; i < results.size(); ++i) results[i] = read[i].give();
    return;
  }
  refuse_reading_data(op, args);
  std::vector<Tensor> constants;
  if (is_constant && fake_) [[unlikely]]
    constants = take_constants(op, args);
  const ReplacedArguments inner(args, [&](OpwTensor* tensor) {
    return owns(tensor) ? static_cast<WrapperImpl&>(impl(tensor)).inner.get() : tensor;
  });
  try {
    const ParentScope scope(*this);
    call(op, inner.get(), results);
  } catch (Error& error) {
    end_for(op, error);
    if (const SourceSite line = current_user_line(); line.is_known()) {
      error.add_note("line", concatenate("traced at ", line));
    }
    throw;
  }
  if (current_interpreter() != this) [[unlikely]] {  // it ended inside the fake kernel
    for (OpwValue& result : results) release_value(result);
    throw LevelEnded{};
  }
  std::vector<Value> computed;
  const bool is_noted = is_constant && may_note(results);
  if (is_noted && fake_) [[unlikely]]
    computed = run_on_constants(op, args, constants);
  record(op, args, results);
  if (is_noted) [[unlikely]]
    note_constants(results, computed);
}

bool Trace::run_decomposition(const Operator& op, const OpwRecord& rule, Arguments args,
                              Results results) {
  try {
    run_record(op, rule, args, results);
    return true;
  } catch (const Error& error) {
    if (!is_declined(error)) throw;
    return false;
  }
}

void Trace::record(const Operator& op, Arguments args, Results results) {
  static const Operator& lift_fresh_copy = Registry::get().require("aten::lift_fresh_copy");
  const bool is_literal = &op == &lift_fresh_copy;
  if (is_literal) graph_->make_constant(value_of(args[0].as_tensor));
  CallDescription description;
  description.op = &op;
  description.args.reserve(args.size());
  for (const OpwValue& value : args) description.args.push_back(argument_of(value));
  description.results.reserve(results.size());
  for (const OpwValue& result : results) description.results.push_back(meta_of(result));
  description.site = current_user_line();
  description.module_path = current_module_path();
  description.grad_mode = thread_state().grad_is_enabled();
  Node& node = graph_->insert_call(std::move(description));
  wrap_results(op, args, results, node);
  if (is_literal) note_literal(args[0], results[0]);
  if (op.writes_arguments()) refresh_written(op, args);
}

void Trace::wrap_results(const Operator& op, Arguments args, Results results, Node& node) {
  for (uint32_t i = 0; i < results.size(); ++i) {
    OpwValue& result = results[i];
    GraphValue* value =
        node.values().data() + node.results()[i].first;  // of a list: the first, if any
    if (op.gives_argument(i)) {
      const OpwValue& written = args[op.argument_of_result(i)];
      release_value(result);
      result = copy_value(written);
      // Later uses of the argument refer to this node.
      static_cast<WrapperImpl&>(impl(written.as_tensor)).payload.data = value;
    } else if (result.tag == kOpwTensor && result.as_tensor) {
      result.as_tensor = wrap(Tensor::take(result.as_tensor), *value).give();
    } else if (result.tag == kOpwTensorList) {
      auto** tensors = const_cast<OpwTensor**>(result.as_tensors);
      for (uint32_t k = 0; k < result.length; ++k) {
        tensors[k] = wrap(Tensor::take(tensors[k]), value[k]).give();
      }
    }
  }
}

// A write may change the sizes of its argument (resize_).
void Trace::refresh_written(const Operator& op, Arguments args) {
  for (uint64_t left = op.written_args(); left != 0; left &= left - 1) {
    visit_tensors(args[static_cast<size_t>(std::countr_zero(left))], [&](OpwTensor* tensor) {
      auto& mine = static_cast<WrapperImpl&>(impl(tensor));
      const SymGeometry geometry = sym_geometry_of(mine.inner);
      set_symbolic_shape(mine, geometry.sizes, geometry.strides, geometry.offset);
    });
  }
}

void Trace::name_tensor(const Tensor& tensor, std::string name) {
  names_.try_emplace(tensor.get(), Name{tensor, std::move(name)});
}

// ---- Random numbers ----

Tensor Trace::read_state(RandomState& generator) {
  OPWRIGHT_CHECK(&generator == &default_generator(kCpu),
                 "make_fx: random numbers from a non-default generator cannot become part of a "
                 "graph without writes; draw them from the default generator");
  if (!options_.is_functional) {
    const InterpreterScope scope(this);
    return call_random_state();
  }
  if (!random_state_.is_defined()) {
    const Tensor state = generator.state();
    random_state_ =
        add_input("random_state", fake_ ? fake_of(state) : state, InputRole::RandomState, {});
  }
  return random_state_;
}

void Trace::write_state(RandomState& /*generator*/, const Tensor& state) {
  if (options_.is_functional) {
    random_state_ = state;
    return;
  }
  const InterpreterScope scope(this);
  call_set_random_state(state);
}

void Trace::finish() noexcept {
  boundaries_.clear();
  random_state_ = Tensor();
  twins_.clear();
  names_.clear();
  lifted_lists_.clear();
  constants_.clear();
}

Trace* current_trace() noexcept {
  for (Interpreter* level = current_interpreter(); level; level = level->parent()) {
    if (auto* trace = dynamic_cast<Trace*>(level)) return trace;
  }
  return nullptr;
}

}  // namespace opwright
