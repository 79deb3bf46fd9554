#include "bindings/compile/compiled_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/interpreter_frame.h"
#include "bindings/compile/module_snapshot.h"
#include "bindings/compile/read_observer.h"
#include "bindings/compile/traced_values.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/base/source_site.h"
#include "opwright/base/warning.h"
#include "opwright/compile/capture/break.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/tensor/tensor_impl.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr uint32_t kMostOwnChanges = 3;
constexpr uint32_t kNoPlainTensor = kOpwFlagFake | kOpwFlagWrapped | kOpwFlagSymbolic;

PyObject* recompile_hook = nullptr;

std::string function_name(PyObject* function) {
  const nb::object name = nb::steal(PyObject_GetAttrString(function, "__qualname__"));
  PyErr_Clear();
  const char* text =
      name.is_valid() && PyUnicode_Check(name.ptr()) ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
  return text ? text : class_name(function);
}

// The names of parameters by position; "arg0" if Python does not know them.
std::vector<std::string> positional_names(PyObject* function, size_t count) {
  std::vector<std::string> names;
  nb::object plain = nb::borrow(function);
  size_t skipped = 0;
  if (!PyFunction_Check(function) && !PyMethod_Check(function)) {
    plain = nb::steal(PyObject_GetAttrString(function, "forward"));
    PyErr_Clear();
  }
  if (plain.is_valid() && PyMethod_Check(plain.ptr())) {
    plain = nb::borrow(PyMethod_GET_FUNCTION(plain.ptr()));
    skipped = 1;
  }
  if (plain.is_valid() && PyFunction_Check(plain.ptr())) {
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(plain.ptr()));
    const nb::object known =
        own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_varnames"));
    for (size_t i = skipped; i < static_cast<size_t>(code->co_argcount) && names.size() < count;
         ++i) {
      const char* text =
          PyUnicode_AsUTF8(PyTuple_GET_ITEM(known.ptr(), static_cast<Py_ssize_t>(i)));
      names.emplace_back(text ? text : "arg");
    }
  }
  while (names.size() < count) names.push_back(concatenate("arg", names.size()));
  return names;
}

// Parameters and buffers by their paths in the graph.
void name_members(Capture& capture, const WatchedModule& module) {
  const nb::object dict = own(PyObject_GetAttrString(module.module.ptr(), "__dict__"));
  for (const char* members : {"_parameters", "_buffers"}) {
    PyObject* held = PyDict_GetItemString(dict.ptr(), members);
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; held && PyDict_Next(held, &at, &name, &value);) {
      if (!is_tensor(value)) continue;
      const char* text = PyUnicode_AsUTF8(name);
      const std::string_view path = module.path;
      constexpr std::string_view kRoot = "the module";
      const std::string own_path(path.starts_with(kRoot) ? path.substr(kRoot.size()) : path);
      capture.name_tensor(handle_of(value), concatenate(own_path, ".", text));
    }
  }
}

// A list or dict in a result that the run did not create; null if there is none.
PyObject* find_outside_container(PyObject* result, const ReadObserver& observer, int depth) {
  constexpr int kMostDepth = 16;
  const TypeKind kind = kind_of(Py_TYPE(result));
  if (!is_container(kind) || depth == kMostDepth) return nullptr;
  if (kind != TypeKind::Tuple && !observer.has_created(result)) return result;
  const nb::object elements = ContentGuard::read(
      result, PyDict_Check(result) ? ContentGuard::Kind::Dict : ContentGuard::Kind::Other);
  for (Py_ssize_t i = 0; elements.is_valid() && i < PyTuple_GET_SIZE(elements.ptr()); ++i) {
    PyObject* found =
        find_outside_container(PyTuple_GET_ITEM(elements.ptr(), i), observer, depth + 1);
    if (found) return found;
  }
  return nullptr;
}

nb::object call_body(PyObject* function, const GivenArguments& given) {
  return own(PyObject_Vectorcall(function, given.objects, given.num_positional, given.names));
}

}  // namespace

void set_recompile_hook(PyObject* hook) {
  PyObject* before = std::exchange(recompile_hook, hook == Py_None ? nullptr : Py_NewRef(hook));
  Py_XDECREF(before);
}

// A call of a Python function.
class CompiledState::Call final : public CapturedCall {
 public:
  Call(CompiledState& state, EntryPtr entry, PyObject* function, const GivenArguments& given)
      : state_(state), entry_(std::move(entry)), function_(function), given_(given) {}

  [[nodiscard]] std::string function_name() const override {
    return opwright::python::function_name(function_);
  }
  [[nodiscard]] std::vector<Given> tensors() const override {
    std::vector<Given> given;
    for (const GuardedTensors::One& one : entry_->tensors().all())
      given.push_back({one.tensor, one.name});
    return given;
  }
  [[nodiscard]] std::optional<std::string> find_difference() const override {
    if (state_.cache_.entries().empty()) return std::nullopt;
    const EntryPtr last = state_.cache_.entries().front();
    std::string reason = last->find_difference(given_);
    if (recompile_hook) {
      const nb::object text = own(PyUnicode_FromString(reason.c_str()));
      (void)own(PyObject_CallOneArg(recompile_hook, text.ptr()));
    }
    return reason;
  }
  [[nodiscard]] std::string find_unfit() const override { return entry_->tensors().unfit(); }
  void prepare(Capture& capture) override {
    for (const WatchedModule& module : entry_->state().modules()) name_members(capture, module);
    snapshot_.emplace(entry_->state().modules());
  }
  void run(Capture& capture, BreakScope& breaks) override {
    const InterpreterScope scope(capture.level());
    breaks_ = &breaks;
    observer_.emplace(
        entry_->reads(), given_reads_, entry_->state(),
        [this](SourceSite site, const std::string& cause) { end_graph(site, cause); });
    ReadObserver& observer = *observer_;
    if (state_.driver_.options().fullgraph) observer.capture_cached_functions();
    name_arguments(observer);
    observer.start();
    observer.add_function(function_);
    returned_ = call_body(function_, given_);
    observer.stop();
    breaks_ = nullptr;
    if (breaks.has_broken()) return;
    breaks.check();
    snapshot_->refuse_traced(*capture.level());
    refuse_traced_in(entry_->reads(), observer, *capture.level());
    refuse_traced_in(given_reads_, observer, *capture.level());
    add_module_members();
    std::string change = given_reads_.find_difference();
    if (change.empty()) change = entry_->find_own_change();
    if (!change.empty() && !is_ignored_read("changes")) {
      own_change_ = change;
      // One graph may have set a value on its first use; then the next call has no effects.
      const bool may_be_last =
          state_.driver_.options().fullgraph && state_.own_changes_ + 1 < kMostOwnChanges;
      if (!may_be_last) {
        (void)breaks.end_trace_at(observer.line_of(change), "it changes what it reads: " + change);
        return;
      }
    }
    const std::string unfit = PythonResults::find_unfit(returned_.ptr());
    if (!unfit.empty() && split_result(observer)) return;
    if (!unfit.empty()) {
      (void)breaks.end_trace(
          {.text = concatenate(function_name(), " returns ", unfit,
                               ", which a graph cannot return (it returns tensors, numbers, "
                               "strings, None, and containers of them)")});
    } else if (PyObject* outside = find_outside_container(returned_.ptr(), observer, 0)) {
      (void)breaks.end_trace(
          {.text = concatenate(function_name(), " returns a ", class_name(outside),
                               " that existed before the call, and a graph returns only new "
                               "containers")});
    }
  }
  [[nodiscard]] std::vector<OpwValue> outputs() override {
    results_ = rebuild_.is_valid() ? PythonResults(returned_.ptr(), rebuild_)
                                   : PythonResults(returned_.ptr());
    returned_.reset();
    memory_.emplace();
    std::vector<OpwValue> outputs;
    for (const nb::object& value : results_.values())
      outputs.push_back(memory_->borrow(value.ptr()));
    observer_->start();  // backward functions in Python run while the graphs are made
    return outputs;
  }
  [[nodiscard]] bool returns_one_tensor() const override { return results_.is_one(); }
  void drop_results() override {
    observer_->stop();
    memory_.reset();
    results_.forget_values();
  }
  void insert_compiled(std::unique_ptr<CompiledEntry> compiled) override {
    const std::string change = own_change_.empty() ? entry_->find_own_change() : "";
    if (!change.empty() && !is_ignored_read("changes")) {
      state_.eager_reason_ = "its backward changes what it reads: " + change;  // from now on
      throw_error("GraphBreakError", "compile: the backward of ", function_name(),
                  " changes what it reads: ", change, "\n  ", ways_out());
    }
    for (const GuardedTensors::One& one : entry_->tensors().all()) held_.push_back(one.tensor);
    for (const Tensor& tensor : held_) values_.push_back(ValueOf<Tensor>::lend(tensor));
    for (const OpwValue& captured : compiled->captured()) values_.push_back(captured);
    entry_->set_compiled(std::move(compiled), std::move(results_));
    state_.own_changes_ = own_change_.empty() ? 0 : state_.own_changes_ + 1;
    if (own_change_.empty()) state_.cache_.insert(entry_);  // otherwise its guards fail already
  }
  [[nodiscard]] bool insert_eager(const std::string& reason,
                                  std::span<const CapturedArgument> arguments) override {
    entry_->set_eager(reason, arguments);
    state_.cache_.insert(entry_);
    if (own_change_.empty()) {
      state_.own_changes_ = 0;
      return true;
    }
    state_.note_own_change(own_change_, function_name());
    return false;
  }
  void run_eagerly() override { returned_ = call_body(function_, given_); }

  // After insert_compiled().
  [[nodiscard]] nb::object run_compiled() const { return own(entry_->run(values_)); }
  [[nodiscard]] nb::object take_result() { return std::move(returned_); }

 private:
  // Ends the graph while the function runs; later, when its backward runs, the capture fails.
  void end_graph(SourceSite site, const std::string& cause) const {
    if (breaks_) {
      (void)breaks_->end_trace_at(site, cause);
      return;
    }
    throw_error("GraphBreakError", "its backward cannot be part of a graph: ", cause,
                site.is_known() ? concatenate(", at ", site) : std::string());
  }
  // Replaces a result that has objects of classes in Python by its leaves; whether that is
  // possible.
  bool split_result(const ReadObserver& observer) {
    const nb::object parts = nb::module_::import_("opwright._compile.returned_objects");
    const nb::object found = parts.attr("split_result")(
        returned_, nb::cpp_function([&](const nb::handle& object) {
          return observer.has_created(object.ptr());
        }),
        nb::cpp_function([](const nb::handle& leaf) { return PythonResults::fits(leaf.ptr()); }),
        nb::cpp_function([](const nb::handle& type) {
          return is_open_class(reinterpret_cast<PyTypeObject*>(type.ptr()));
        }));
    if (found.is_none()) return false;
    returned_ = found[0];
    rebuild_ = found[1];
    return true;
  }
  // What the code of this package reads of modules: their members and the class's forward().
  void add_module_members() {
    const nb::str forward("forward");
    for (const WatchedModule& each : entry_->state().modules()) {
      PyTypeObject* type = Py_TYPE(each.module.ptr());
      entry_->reads().add_class_attribute(type, forward.ptr(),
                                          concatenate(type->tp_name, ".forward"));
      const nb::object dict = dict_of(each.module.ptr());
      for (const char* members : {"_parameters", "_buffers", "_modules"}) {
        PyObject* held = PyDict_GetItemString(dict.ptr(), members);
        if (held && PyDict_Check(held) && PyDict_GET_SIZE(held) != 0)
          entry_->reads().add_contents(held, ContentGuard::Kind::Dict,
                                       concatenate(each.path, ".", members), false);
      }
    }
  }
  void name_arguments(ReadObserver& observer) const {
    const auto names = positional_names(function_, given_.num_positional);
    for (size_t i = 0; i < given_.num_positional; ++i)
      observer.add_argument(given_.objects[i], names[i]);
    for (size_t i = 0; i < given_.num_keywords(); ++i) {
      const char* name =
          PyUnicode_AsUTF8(PyTuple_GET_ITEM(given_.names, static_cast<Py_ssize_t>(i)));
      observer.add_argument(given_.objects[given_.num_positional + i], name ? name : "?");
    }
  }

  CompiledState& state_;
  EntryPtr entry_;
  PyObject* function_;
  const GivenArguments& given_;
  std::optional<ModuleSnapshot> snapshot_;
  ReadGuards given_reads_;
  std::optional<ReadObserver> observer_;
  BreakScope* breaks_ = nullptr;  // while the function runs
  std::string own_change_;        // of the state that the function reads; empty: none
  nb::object returned_;
  nb::object rebuild_;  // makes the result of the leaves in `returned_`; invalid: it is the result
  PythonResults results_;
  std::optional<ValueMemory> memory_;
  std::vector<Tensor> held_;
  PythonEntry::Values values_;
};

nb::object CompiledState::capture(PyObject* function, const GivenArguments& given) {
  if (!kKnowsInterpreter) {
    note_unknown_interpreter();
    return call_body(function, given);
  }
  auto entry = std::make_shared<PythonEntry>(function, given,
                                             positional_names(function, given.num_positional));
  const bool is_plain =
      std::ranges::all_of(entry->tensors().all(), [](const GuardedTensors::One& one) {
        return (one.tensor.get()->flags & kNoPlainTensor) == 0;
      });
  if (!is_plain || !ReadObserver::is_possible()) return call_body(function, given);
  Call call(*this, std::move(entry), function, given);
  return driver_.capture(call) ? call.run_compiled() : call.take_result();
}

// A function that changes what it reads (a counter, a cache) would be captured on every call; one
// that does so once (a value that it computes on first use) is compiled later.
void CompiledState::note_own_change(const std::string& change, const std::string& function_name) {
  if (++own_changes_ < kMostOwnChanges) return;
  eager_reason_ = concatenate("it changes what it reads: ", change);
  warn("UserWarning",
       concatenate("compile: ", function_name, " changes what it reads (", change,
                   "), so it is not compiled and runs eagerly\n  Keep such state in a tensor "
                   "that is written in place, or outside of the function."));
}

void CompiledState::note_unknown_interpreter() {
  static bool has_warned = false;  // under the GIL
  eager_reason_ = concatenate("Python ", PY_VERSION, " cannot be observed");
  if (std::exchange(has_warned, true)) return;
  warn("UserWarning",
       concatenate("compile: functions are not compiled and run eagerly, because what they "
                   "read cannot be observed in Python ",
                   PY_VERSION, "\n  Use CPython 3.11, 3.12 or 3.13, with the GIL."));
}

void CompiledState::reset() {
  cache_.clear();
  driver_.reset();
  eager_reason_.clear();
  own_changes_ = 0;
}

int CompiledState::traverse(visitproc visit, void* arg) const {
  for (const EntryPtr& entry : cache_.entries()) {
    if (const int stop = entry->traverse(visit, arg)) return stop;
  }
  return 0;
}

}  // namespace opwright::python
