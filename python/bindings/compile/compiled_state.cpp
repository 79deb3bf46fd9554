#include "bindings/compile/compiled_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/module_snapshot.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/base/warning.h"
#include "opwright/compile/capture/break.h"
#include "opwright/compile/compile_log.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/tensor/tensor_impl.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr size_t kMostReasons = 256;
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

// "x[0].bias": x_0_bias
std::string value_name(const std::string& path) {
  std::string name;
  for (const char character : path) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(character)) != 0;
    if (is_letter || character == '_') {
      name += character;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "argument" : name;
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
      capture.name_tensor(handle_of(value), value_name(concatenate(own_path, ".", text)));
    }
  }
}

std::vector<Value> captured_values(const std::vector<CapturedArgument>& arguments) {
  std::vector<Value> values;
  for (const CapturedArgument& each : arguments) values.emplace_back(each.tensor);
  return values;
}

[[noreturn]] void throw_break(const std::string& cause) {
  throw_error("GraphBreakError",
              "compile: with fullgraph=True the function must be one graph, but ", cause, "\n  ",
              ways_out());
}

nb::object call_body(PyObject* function, const GivenArguments& given) {
  return own(PyObject_Vectorcall(function, given.objects, given.num_positional, given.names));
}

}  // namespace

void set_recompile_hook(PyObject* hook) {
  PyObject* before = std::exchange(recompile_hook, hook == Py_None ? nullptr : Py_NewRef(hook));
  Py_XDECREF(before);
}

void CompiledState::note_reason(PyObject* function, const GivenArguments& given) {
  if (cache_.entries().empty()) return;
  const EntryPtr last = cache_.entries().front();
  std::string reason = last->find_difference(given);
  log(LogTopic::Guards, function_name(function), " is compiled again: ", reason);
  if (reasons_.size() == kMostReasons) reasons_.erase(reasons_.begin());
  reasons_.push_back(std::move(reason));
  if (!recompile_hook) return;
  const nb::object text = own(PyUnicode_FromString(reasons_.back().c_str()));
  (void)own(PyObject_CallOneArg(recompile_hook, text.ptr()));
}

nb::object CompiledState::capture(PyObject* function, const GivenArguments& given) {
  const auto entry = std::make_shared<PythonEntry>(
      function, given, positional_names(function, given.num_positional));
  const auto& tensors = entry->tensors().all();
  const bool is_plain = std::ranges::all_of(tensors, [](const GuardedTensors::One& one) {
    return (one.tensor.get()->flags & kNoPlainTensor) == 0;
  });
  if (!is_plain) return call_body(function, given);
  note_reason(function, given);
  std::vector<CapturedArgument> arguments;
  for (const GuardedTensors::One& one : tensors)
    arguments.push_back({one.tensor, one.name, sizes_.note(one.name, one.tensor)});
  if (const std::string unfit = entry->tensors().unfit(); !unfit.empty()) {
    if (options_.fullgraph) throw_break(unfit);
    note_break(entry, arguments, unfit, function);
    return call_body(function, given);
  }
  Capture capture;
  for (const CapturedArgument& each : arguments)
    capture.add_tensor(each.tensor, value_name(each.name), each.dynamic);
  for (const WatchedModule& module : entry->state().modules()) name_members(capture, module);
  const ModuleSnapshot snapshot(entry->state().modules());
  nb::object returned;
  {
    BreakScope breaks(capture.session(), captured_values(arguments),
                      {.fullgraph = options_.fullgraph});
    {
      const InterpreterScope scope(capture.level());
      returned = call_body(function, given);
      const std::string unfit =
          breaks.has_broken() ? "" : PythonResults::find_unfit(returned.ptr());
      if (!unfit.empty()) {
        (void)breaks.end_trace(
            {.text = concatenate(function_name(function), " returns ", unfit,
                                 ", which a graph cannot return (it returns tensors, numbers, "
                                 "strings, None, and containers of them)")});
      }
    }
    breaks.check();
    if (breaks.has_broken()) {
      note_break(entry, arguments, to_text(*breaks.reason()), function);
      return returned;
    }
  }
  snapshot.refuse_traced(*capture.level());
  PythonResults results(returned.ptr());
  returned.reset();
  try {
    return finish(entry, capture, arguments, std::move(results), function);
  } catch (const Error& error) {
    if (options_.fullgraph || std::string_view(error.kind()) != "GraphBreakError") throw;
    const std::string text = error.text();
    note_break(entry, arguments, text.substr(0, text.find('\n')), function);
  }
  // The failed attempt consumed the trace's tape, so f runs again: its effects on Python state
  // happen twice, this once.
  return call_body(function, given);
}

// This call has run eagerly from the break on; later calls of this guard set run eagerly from the
// start.
void CompiledState::note_break(const EntryPtr& entry, std::span<const CapturedArgument> arguments,
                               std::string reason, PyObject* function) {
  entry->set_eager(reason, arguments);
  cache_.insert(entry);
  log(LogTopic::Breaks, function_name(function), " runs eagerly: ", reason);
  if (std::ranges::find(breaks_, reason) != breaks_.end()) return;  // already reported
  if (breaks_.size() == kMostReasons) breaks_.erase(breaks_.begin());
  breaks_.push_back(reason);
  warn("PerformanceWarning",
       concatenate("compile: ", function_name(function),
                   " runs eagerly for such arguments: ", reason,
                   "\n  Put that code into an operator of its own with a fake kernel "
                   "(opwright.library.custom_op, register_fake); fullgraph=True makes this an "
                   "error."));
}

nb::object CompiledState::finish(const EntryPtr& entry, Capture& capture,
                                 const std::vector<CapturedArgument>& arguments,
                                 PythonResults results, PyObject* function) {
  std::unique_ptr<CompiledEntry> compiled;
  {
    ValueMemory memory;
    std::vector<OpwValue> outputs;
    for (const nb::object& value : results.values()) outputs.push_back(memory.borrow(value.ptr()));
    compiled = std::make_unique<CompiledEntry>(capture, arguments, outputs, options_.backend);
  }
  results.forget_values();
  PythonEntry::Values values;
  for (const CapturedArgument& each : arguments)
    values.push_back(ValueOf<Tensor>::lend(each.tensor));
  for (const OpwValue& captured : compiled->captured()) values.push_back(captured);
  entry->set_compiled(std::move(compiled), std::move(results));
  cache_.insert(entry);
  ++num_compiles_;
  note_own_changes(*entry, values, function);
  return own(entry->run(values));
}

// A function that changes what it reads (a counter, a cache) would be captured on every call.
void CompiledState::note_own_changes(const PythonEntry& entry, PythonEntry::Values values,
                                     PyObject* function) {
  const std::string difference = entry.state().find_difference(values.data());
  if (difference.empty()) {
    own_changes_ = 0;
    return;
  }
  if (++own_changes_ < kMostOwnChanges) return;
  eager_reason_ = concatenate("it changes what it reads: ", difference);
  warn("UserWarning",
       concatenate("compile: ", function_name(function), " changes what it reads (", difference,
                   "), so it is not compiled and runs as it is\n  Keep such state in a tensor "
                   "that is written in place, or outside of the function."));
}

void CompiledState::reset() {
  cache_.clear();
  reasons_.clear();
  breaks_.clear();
  eager_reason_.clear();
  num_compiles_ = 0;
  own_changes_ = 0;
  sizes_ = SizeHistory(options_.dynamic);
}

int CompiledState::traverse(visitproc visit, void* arg) const {
  for (const EntryPtr& entry : cache_.entries()) {
    if (const int stop = entry->traverse(visit, arg)) return stop;
  }
  return 0;
}

}  // namespace opwright::python
