#include "bindings/autograd/function_node.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/method.h"
#include "bindings/object/tape_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool contains(std::span<const Tensor> tensors, const Tensor& wanted) {
  return std::ranges::any_of(tensors,
                             [&](const Tensor& each) { return each.get() == wanted.get(); });
}

std::vector<Tensor> to_tensors(std::span<OpwTensor* const> tensors) {
  std::vector<Tensor> handles;
  for (OpwTensor* tensor : tensors) handles.push_back(tensor ? Tensor::borrow(tensor) : Tensor());
  return handles;
}

// A view of the entire tensor.
Tensor view_as_itself(const Tensor& tensor) {
  const InterpreterScope level(static_cast<Interpreter*>(impl(tensor).level));
  const AttentionScope grad_off(kAttentionGradOff, true);
  return opwright::alias(tensor);
}

bool is_recording() {
  const Interpreter* level = current_interpreter();
  return thread_state().grad_is_enabled() && (!level || level->records());
}

// The forward is not recorded at its level; the levels below record. In eager mode it may turn on
// recording for its own calls.
class ForwardScope {
 public:
  ForwardScope()
      : level_(current_interpreter()),
        grad_off_(kAttentionGradOff, !level_ || !thread_state().grad_is_enabled()) {
    if (level_) recorded_ = level_->records();
    if (level_) level_->set_records(false);
  }
  ~ForwardScope() {
    if (level_) level_->set_records(recorded_);
  }
  ForwardScope(const ForwardScope&) = delete;
  ForwardScope& operator=(const ForwardScope&) = delete;

 private:
  Interpreter* level_;
  AttentionScope grad_off_;
  bool recorded_ = true;
};

}  // namespace

PythonFunctionNode::PythonFunctionNode(std::string name, std::vector<Tensor> inputs)
    : FormulaNode(find_edges(inputs)), name_(std::move(name)), call_(std::make_unique<Call>()) {
  for (const Tensor& input : inputs) {
    input_is_tensor_.push_back(input.is_defined());
    call_->versions.push_back(input.is_defined() ? version_of(input) : 0);
  }
  is_recorded_ =
      std::ranges::any_of(edges(), [](const Edge& edge) { return static_cast<bool>(edge); });
  call_->inputs = std::move(inputs);
  if (anomaly_mode()) line_ = current_user_line();
}

// Before the node itself: an edge may create the node that it leads to, which must be older.
TapeEdges PythonFunctionNode::find_edges(std::span<const Tensor> inputs) {
  const bool is_recorded_here = is_recording();
  TapeEdges edges;
  for (const Tensor& input : inputs) {
    const bool is_of_level = input.is_defined() && impl(input).level == current_interpreter();
    edges.push_back(is_of_level && is_recorded_here ? edge_of(input) : Edge());
  }
  return edges;
}

std::string PythonFunctionNode::line_text() const {
  return line_.is_known() ? concatenate(", called at ", line_.text()) : std::string();
}

// ---- Saving ----

void PythonFunctionNode::save(std::span<OpwTensor* const> tensors) {
  OPWRIGHT_CHECK(call_, name_,
                 ": save_for_backward belongs in forward or setup_context, not in backward");
  call_->saved = to_tensors(tensors);
}

void PythonFunctionNode::mark_non_differentiable(std::span<OpwTensor* const> results) {
  OPWRIGHT_CHECK(call_, name_,
                 ": mark_non_differentiable belongs in forward or setup_context, not in backward");
  call_->non_differentiable = to_tensors(results);
}

void PythonFunctionNode::mark_dirty(std::span<OpwTensor* const> inputs) {
  OPWRIGHT_CHECK(call_, name_, ": mark_dirty belongs in forward, not in backward");
  call_->dirty = to_tensors(inputs);
}

void PythonFunctionNode::check_not_released() const {
  OPWRIGHT_CHECK(!is_released_, "the values that ", name_,
                 " saved for its backward were freed by an earlier backward. Specify "
                 "retain_graph=True in the first one to run it again");
}

size_t PythonFunctionNode::num_saved() const {
  check_not_released();
  return call_ ? call_->saved.size() : saved_.size();
}

Tensor PythonFunctionNode::saved(size_t index) {
  check_not_released();
  if (call_) return call_->saved[index];
  SavedTensor kept = saved_[index];
  if (packed_[index]) return std::move(kept).unpack(*this, packed_[index].get());
  if (!kept.tensor.is_defined()) return {};
  const uint64_t version = version_of(kept.tensor);
  OPWRIGHT_CHECK(version == kept.version, name_, ": saved tensor ", index,
                 " was modified by an in-place operation: it is at version ", version,
                 ", expected ", kept.version,
                 "\n  Clone it before it is written, or write to a copy.");
  return std::move(kept).unpack(*this, nullptr);
}

void PythonFunctionNode::release_saved() noexcept {
  if (saved_.empty()) return;
  const SmallVector<SavedTensor, 2> gone = std::move(saved_);
  const std::vector<PackedTensorPtr> gone_packed = std::move(packed_);
  saved_ = {};
  packed_ = {};
  is_released_ = true;
}

void PythonFunctionNode::visit_owned(OwnedTensorVisitor& visitor) const {
  for (const SavedTensor& saved : saved_) visitor.visit(saved.tensor);
}

SavedTensor PythonFunctionNode::make_saved(const Tensor& tensor,
                                           std::span<const Tensor> outputs) const {
  SavedTensor saved;
  if (!tensor.is_defined()) return saved;
  OPWRIGHT_CHECK((impl(tensor).flags & kOpwFlagInference) == 0, name_,
                 ": a tensor made in inference mode cannot be saved for backward; clone it outside "
                 "of inference mode first");
  saved.tensor = tensor;
  saved.version = version_of(tensor);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].get() == tensor.get()) saved.result_place = static_cast<uint32_t>(i);
  }
  for (size_t i = 0; i < call_->inputs.size(); ++i) {
    const bool is_read = call_->inputs[i].get() == tensor.get() && !contains(call_->dirty, tensor);
    if (!is_read) continue;
    saved.version = call_->versions[i];
    saved.result_place = SavedTensor::kNotAResult;
  }
  if (saved.result_place != SavedTensor::kNotAResult) saved.tensor = alias_of(tensor);
  return saved;
}

// ---- After the forward ----

// A tensor that existed before keeps its own history: the caller gets another object over it.
Tensor PythonFunctionNode::attach(Tensor output, uint32_t place) {
  if (contains(call_->dirty, output)) {
    rebase(output, TapeNodePtr::share(this), place);
    return output;
  }
  if (contains(call_->inputs, output)) {
    output = view_as_itself(output);
  } else if (requires_grad(output)) {
    output = alias_of(output);
  }
  History& history = history_of(output);
  if (history.view) {
    history.view->is_of_function = true;
    history.view->is_under_no_grad = false;
    history.seen = rebases_of(history.root);
  }
  set_history(output, TapeNodePtr::share(this), place);
  return output;
}

void PythonFunctionNode::finish(std::span<Tensor> outputs) {
  SmallVector<Tensor, 2> places;
  for (const Tensor& output : outputs) {
    output_is_tensor_.push_back(output.is_defined());
    if (output.is_defined()) places.push_back(output);
  }
  for (const Tensor& input : call_->dirty) {
    OPWRIGHT_CHECK(contains(call_->inputs, input), name_, ": mark_dirty takes inputs of forward");
    OPWRIGHT_CHECK(!is_recorded_ || contains({places.data(), places.size()}, input), name_,
                   ": an input that forward wrote to must be returned by it");
    if (is_recorded_) check_function_write(name_, input);
  }
  if (is_recorded_) {
    for (const Tensor& place : places) add_place(ValueMeta(place));
    for (const Tensor& tensor : call_->saved) {
      saved_.push_back(make_saved(tensor, {places.data(), places.size()}));
      packed_.push_back(saved_.back().pack());
    }
    uint32_t place = 0;
    for (Tensor& output : outputs) {
      if (!output.is_defined()) continue;
      const bool has_gradient =
          has_gradients(output.dtype()) && !contains(call_->non_differentiable, output);
      if (has_gradient) output = attach(std::move(output), place);
      ++place;
    }
  }
  call_ = nullptr;
}

// ---- The formula ----

nb::object PythonFunctionNode::call_formula(PyObject* context, std::span<Tensor> gradients) {
  const nb::object function = nb::borrow(as_tape_object(context).function);
  OPWRIGHT_CHECK(function.is_valid(), name_, ": its history was collected");
  const nb::object backward = function.attr("backward");
  SmallVector<PyObject*, 4> args{context};
  SmallVector<Tensor, 2> held;
  std::vector<nb::object> owned;
  size_t place = 0;
  for (const bool is_tensor : output_is_tensor_) {
    const Tensor gradient = is_tensor ? gradients[place++] : Tensor();
    owned.push_back(gradient.is_defined() ? own(wrap(gradient)) : nb::none());
    args.push_back(owned.back().ptr());
  }
  return own(PyObject_Vectorcall(backward.ptr(), args.data(), args.size(), nullptr));
}

void PythonFunctionNode::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  const LockScope lock;
  const nb::object context = own(wrap_borrowed_node(this));
  if (materializes_) {
    for (uint32_t place = 0; place < gradients.size(); ++place) {
      if (!gradients[place].is_defined() && has_gradients(meta(place).dtype())) {
        gradients[place] = meta(place).zeros();
      }
    }
  }
  const GradientVersions versions(gradients);
  nb::object returned;
  try {
    returned = call_formula(context.ptr(), gradients);
  } catch (Error& error) {
    error.add_note("operator", concatenate("in the backward of ", name_, line_text()));
    throw;
  }
  versions.check(gradients, *this);
  if (!PyTuple_Check(returned.ptr()) && !PyList_Check(returned.ptr())) {
    returned = own(PyTuple_Pack(1, returned.ptr()));
  }
  const auto size = static_cast<size_t>(PySequence_Fast_GET_SIZE(returned.ptr()));
  PyObject** items = PySequence_Fast_ITEMS(returned.ptr());
  const bool is_enough =
      size >= given.size() && std::all_of(items + given.size(), items + size,
                                          [](PyObject* item) { return item == Py_None; });
  OPWRIGHT_CHECK(is_enough, name_, ": backward returned ", size, " gradients, but forward took ",
                 given.size(), " arguments");
  for (size_t i = 0; i < given.size(); ++i) {
    if (items[i] == Py_None) continue;
    OPWRIGHT_CHECK(is_tensor(items[i]), name_, ": backward returned ", class_name(items[i]),
                   " as gradient ", i, "; a gradient is a tensor or None");
    OPWRIGHT_CHECK(input_is_tensor_[i], name_, ": backward returned a gradient for argument ", i,
                   ", which is not a tensor; return None there");
    const Edge& to = edges()[i];
    const Tensor gradient = handle_of(items[i]);
    if (!to) {
      given[i] = gradient;  // hooks see it; it goes nowhere
      continue;
    }
    const ValueMeta& wanted = to.node->meta(to.place);
    const Tensor fitting =
        has_sizes(gradient, wanted.sizes()) ? gradient : undo_broadcast(gradient, wanted.sizes());
    OPWRIGHT_CHECK(fitting.is_defined(), name_, ": backward returned a gradient of sizes ",
                   to_text(ValueMeta(gradient).sizes()), " for argument ", i, ", which has sizes ",
                   to_text(wanted.sizes()));
    given[i] = fit_dtype(fitting, wanted.dtype());
  }
}

// ---- Calling ----

namespace {

// Foreign tensors as the level accepts them.
void lift(std::vector<OpwValue>& values) {
  Interpreter* level = current_interpreter();
  if (level && level->traits().lifts) level->lift(values);
}

nb::object apply_function(const nb::object& function, bool has_setup_context,
                          const nb::tuple& args) {
  std::vector<OpwValue> values(nb::len(args));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_tensor(args[i].ptr())) continue;
    values[i].tag = kOpwTensor;
    values[i].as_tensor = tensor_of(args[i].ptr());
  }
  lift(values);
  std::vector<Tensor> inputs;
  nb::object passed = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_tensor_here = values[i].tag == kOpwTensor;
    inputs.push_back(is_tensor_here ? Tensor::borrow(values[i].as_tensor) : Tensor());
    PyTuple_SET_ITEM(
        passed.ptr(), static_cast<Py_ssize_t>(i),
        is_tensor_here ? require(wrap(inputs.back())) : Py_NewRef(nb::handle(args[i]).ptr()));
  }
  auto* made =
      new PythonFunctionNode(nb::cast<std::string>(function.attr("__name__")), std::move(inputs));
  const nb::object context = own(wrap_node(TapeNodePtr::take(made)));
  as_tape_object(context.ptr()).function = Py_NewRef(function.ptr());
  nb::object output;
  {
    const ForwardScope scope;
    if (has_setup_context) {
      output =
          own(PyObject_Call(nb::object(function.attr("forward")).ptr(), passed.ptr(), nullptr));
      function.attr("setup_context")(context, passed, output);
    } else {
      const nb::object with_context = nb::make_tuple(context) + passed;
      output = own(
          PyObject_Call(nb::object(function.attr("forward")).ptr(), with_context.ptr(), nullptr));
    }
  }
  const bool is_tuple = PyTuple_Check(output.ptr());
  const nb::object outputs = is_tuple ? output : own(PyTuple_Pack(1, output.ptr()));
  const Py_ssize_t count = PyTuple_GET_SIZE(outputs.ptr());
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(outputs.ptr(), i);
    tensors.push_back(is_tensor(item) ? handle_of(item) : Tensor());
  }
  made->finish(tensors);
  nb::object given = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    Tensor& tensor = tensors[static_cast<size_t>(i)];
    PyTuple_SET_ITEM(given.ptr(), i,
                     tensor.is_defined() ? require(wrap(std::move(tensor)))
                                         : Py_NewRef(PyTuple_GET_ITEM(outputs.ptr(), i)));
  }
  return is_tuple ? given : nb::object(given[0]);
}

}  // namespace

void bind_function_node(nb::module_& m) {
  m.def("apply_function", &apply_function, nb::arg("function"), nb::arg("has_setup_context"),
        nb::arg("args"), "Run and record an autograd.Function.");
}

}  // namespace opwright::python
