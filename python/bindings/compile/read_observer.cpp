#include "bindings/compile/read_observer.h"

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

#include "bindings/compile/instruction.h"
#include "bindings/compile/instruction_events.h"
#include "bindings/compile/interpreter_frame.h"
#include "bindings/compile/observed_name.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/pytree/object_guard.h"
#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

thread_local ReadObserver* active_observer = nullptr;

// Since 3.12, a collection that is due runs when Python code begins, even if it is disabled by
// then.
void run_pending_collection() {
  static PyObject* empty = require(Py_CompileString("None", "<opwright>", Py_eval_input));
  const nb::object globals = own(PyDict_New());
  (void)own(PyEval_EvalCode(empty, globals.ptr(), globals.ptr()));
}

}  // namespace

bool holds_tensor(PyObject* object) {
  if (is_tensor(object)) return true;
  for (Py_ssize_t i = 0; PyTuple_Check(object) && i < PyTuple_GET_SIZE(object); ++i) {
    if (holds_tensor(PyTuple_GET_ITEM(object, i))) return true;
  }
  return false;
}

// ---- Life ----

ReadObserver::ReadObserver(ReadGuards& reads, ReadGuards& given, FunctionState& state,
                           EndGraph end_graph)
    : reads_(reads),
      given_(given),
      state_(state),
      end_graph_(std::move(end_graph)),
      instructions_(&ReadObserver::report_instruction) {}

bool ReadObserver::is_possible() noexcept {
  return PyThreadState_Get()->tracing == 0 && InstructionEvents::is_possible();
}

void ReadObserver::add_argument(PyObject* object, const std::string& name) {
  const TypeKind kind = kind_of(Py_TYPE(object));
  give_name(object, name);
  if (!is_container(kind) && kind != TypeKind::Instance) return;
  const bool is_node = kind != TypeKind::Instance || is_tree_node(object);
  if (kind == TypeKind::Set || !is_node || !given_objects_.insert(object).second) return;
  if (kind == TypeKind::Instance) {
    const nb::object dict = nb::steal(PyObject_GenericGetDict(object, nullptr));
    PyErr_Clear();
    if (dict.is_valid()) add_argument(dict.ptr(), name);
    return;
  }
  const nb::object elements = ContentGuard::read(object, content_kind(kind));
  for (Py_ssize_t i = 0; elements.is_valid() && i < PyTuple_GET_SIZE(elements.ptr()); ++i)
    add_argument(PyTuple_GET_ITEM(elements.ptr(), i), concatenate(name, "[", i, "]"));
}

void ReadObserver::start() {
  run_pending_collection();
  collects_garbage_ = PyGC_Disable() != 0;  // its callbacks and finalizers are not the function's
  if (created_) {
    created_->resume();
  } else {
    created_ = std::make_unique<CreatedObjects>();
  }
  PyThreadState* thread = PyThreadState_Get();
  previous_function_ = thread->c_tracefunc;
  previous_object_ = nb::borrow(thread->c_traceobj);
  active_observer = this;
  is_active_ = is_installed_ = true;
  PyEval_SetTrace(&ReadObserver::report, nullptr);
}

void ReadObserver::stop() noexcept {
  is_active_ = false;
  if (created_) created_->stop();
  if (!std::exchange(is_installed_, false)) return;
  active_observer = nullptr;
  if (collects_garbage_) PyGC_Enable();
  instructions_.stop();
  PyEval_SetTrace(previous_function_, previous_object_.ptr());
}

ReadObserver::PauseScope::PauseScope() noexcept
    : paused_(active_observer && active_observer->is_active_ ? active_observer : nullptr) {
  if (paused_) paused_->is_active_ = false;
}
ReadObserver::PauseScope::~PauseScope() {
  if (paused_) paused_->is_active_ = true;
}

int ReadObserver::report(PyObject* /*unused*/, PyFrameObject* frame, int what, PyObject* argument) {
  if (what == PyTrace_OPCODE) return report_instruction(frame);
  ReadObserver* self = active_observer;
  if (!self) return 0;
  if (self->previous_function_) {
    const int status =
        self->previous_function_(self->previous_object_.ptr(), frame, what, argument);
    if (status != 0) return status;
  }
  if (what == PyTrace_RETURN) self->end_frame(frame);
  return what == PyTrace_CALL ? self->run(&ReadObserver::begin_frame, frame) : 0;
}

int ReadObserver::report_instruction(PyFrameObject* frame) {
  return active_observer ? active_observer->run(&ReadObserver::observe, frame) : 0;
}

int ReadObserver::run(void (ReadObserver::*step)(PyFrameObject*), PyFrameObject* frame) noexcept {
  if (!is_active_) return 0;
  try {
    const CreatedObjects::PauseScope pause(*created_);
    (this->*step)(frame);
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

void ReadObserver::end(const std::string& cause) {
  if (!is_active_) return;
  end_graph_(program_line(), cause);
  stop();
}

const ReadObserver::CodeInfo& ReadObserver::look_up(PyFrameObject* frame) {
  const InterpreterFrame inner(frame);
  PyCodeObject* code = inner.code;
  const auto found = codes_.find(code);
  if (found != codes_.end()) return found->second;
  CodeInfo info;
  info.keep = nb::borrow(reinterpret_cast<PyObject*>(code));
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  const std::string_view path = file ? file : "";
  const bool shows_warning =  // of this package, since a call of warn() ends the graph
      path.ends_with("warnings.py") && observed_text(code->co_name) == "_showwarnmsg";
  info.is_apart = path.starts_with("<frozen importlib") || shows_warning || makes_tuple_class(code);
  info.is_observed = !info.is_apart && !is_package_globals(inner.globals);
  if (info.is_observed) info.instructions = decode_instructions(code);
  PyErr_Clear();
  return codes_.emplace(code, std::move(info)).first->second;
}

void ReadObserver::begin_frame(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (code.is_apart && !apart_) apart_ = frame;
  const bool is_observed = code.is_observed && !apart_;
  instructions_.set_frame(frame, is_observed, previous_function_ != nullptr);
  PyObject* function = InterpreterFrame(frame).function;
  if (is_observed && function && is_old(function))
    reads_.add_function(
        function, observed_text(reinterpret_cast<PyFunctionObject*>(function)->func_qualname));
}

void ReadObserver::end_frame(const PyFrameObject* frame) noexcept {
  if (apart_ == frame) apart_ = nullptr;
}

// ---- Names ----

std::string ReadObserver::name_of(PyObject* object) const {
  const auto found = names_.find(object);
  return found != names_.end() ? found->second : concatenate("a ", Py_TYPE(object)->tp_name);
}

void ReadObserver::give_name(PyObject* object, const std::string& name) {
  if (is_compared_by_value(object) || is_tensor(object)) return;
  names_.emplace(object, name);
}

void ReadObserver::note_line(const std::string& name) {
  const SourceSite site = program_line();
  if (site.is_known()) lines_[name] = site;
}

SourceSite ReadObserver::line_of(const std::string& difference) const {
  const SourceSite* best = nullptr;
  size_t longest = 0;
  for (const auto& [name, line] : lines_) {
    if (!difference.starts_with(name) || name.size() < longest) continue;
    longest = name.size();
    best = &line;
  }
  return best ? *best : SourceSite{};
}

// ---- Instructions ----

// An instruction that is about to run.
struct ReadObserver::Step {
  PyFrameObject* frame;
  InterpreterFrame inner;
  const Instruction& instruction;

  // The operand that is `depth` below the top, from 1.
  [[nodiscard]] PyObject* operand(uint32_t depth) const {
    const int index = instruction.num_operands - static_cast<int>(depth);
    return index >= 0 ? *operands_from(depth) : nullptr;
  }
  [[nodiscard]] PyObject** operands_from(uint32_t depth) const {
    return inner.slots + inner.code->co_nlocalsplus + instruction.num_operands - depth;
  }
  [[nodiscard]] PyObject* local(uint32_t index) const { return inner.slots[index]; }
  [[nodiscard]] std::string local_name(uint32_t index) const {
    return observed_text(
        PyTuple_GET_ITEM(inner.code->co_localsplusnames, static_cast<Py_ssize_t>(index)));
  }
};

void ReadObserver::observe(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (!code.is_observed || apart_) return;
  const auto at = static_cast<size_t>(PyFrame_GetLasti(frame)) / 2;  // in units of two bytes
  const Step now{frame, InterpreterFrame(frame), code.instructions.at(at)};
  if (now.instruction.num_operands < 0) return end("it runs code whose operands are not known");
  observe_result(now);
  last_.frame = frame;
  last_.name.clear();
  observe_names(now);
  if (is_active_) observe_operands(now);
}

// What the last instruction pushed.
void ReadObserver::observe_result(const Step& now) {
  if (last_.frame != now.frame) return;
  PyObject* pushed = now.operand(1);
  if (!pushed && now.instruction.num_operands > 1) pushed = now.operand(2);  // below a call's null
  if (!pushed) return;
  if (Py_REFCNT(pushed) == 1 && (PyList_CheckExact(pushed) || PyDict_CheckExact(pushed)))
    created_->add(pushed);  // nobody else has it
  if (!last_.name.empty()) give_name(pushed, last_.name);
}

void ReadObserver::observe_names(const Step& now) {
  const Instruction& instruction = now.instruction;
  const uint32_t slot = instruction.argument;
  PyObject* name = instruction.name;
  switch (instruction.operation) {
    case Operation::LoadLocal:
      for (const uint32_t each : {slot, instruction.second_local})
        if (PyObject* value = now.local(each)) give_name(value, now.local_name(each));
      return;
    case Operation::LoadGlobal:
      last_.name = "global " + observed_text(name);
      return read_global(now.inner.globals, now.inner.builtins, name);
    case Operation::ChangeGlobal:
      note_line("global " + observed_text(name));
      return given_.add_key(now.inner.globals, name, "global " + observed_text(name));
    case Operation::LoadCell:
      last_.name = "closure " + now.local_name(slot);
      return read_cell(now.local(slot), last_.name);
    case Operation::ChangeCell:
      note_line("closure " + now.local_name(slot));
      if (PyObject* cell = now.local(slot); cell && PyCell_Check(cell) && is_old(cell))
        given_.add_cell(cell, "closure " + now.local_name(slot));
      return;
    case Operation::LoadAttribute: {
      PyObject* owner = now.operand(1);
      last_.name = concatenate(observed_path(name_of(owner)), ".", observed_text(name));
      return read_attribute(owner, name, false);
    }
    case Operation::ChangeAttribute:
      return read_attribute(now.operand(1), name, true);
    case Operation::Import:
      return observe_import(name);
    case Operation::LoadSuperAttribute:
      if (now.operand(3) != reinterpret_cast<PyObject*>(&PySuper_Type))
        return end("it calls a function in the place of super()");
      return read_super_attribute(now.operand(2), now.operand(1), name);
    default:
      return;
  }
}

void ReadObserver::observe_operands(const Step& now) {
  const Instruction& instruction = now.instruction;
  switch (instruction.operation) {
    case Operation::LoadSubscript:
      return observe_subscript(now, false);
    case Operation::ChangeSubscript:
      return observe_subscript(now, true);
    case Operation::ReadContents:
      return read_contents(now.operand(instruction.operand));
    case Operation::TestTruth: {
      PyObject* tested = now.operand(1);
      const TypeKind kind = kind_of(Py_TYPE(tested));
      if (is_container(kind) || kind == TypeKind::Instance) read_contents(tested);
      return;
    }
    case Operation::FindMember:
      if (holds_tensor(now.operand(2)) && is_container(kind_of(Py_TYPE(now.operand(1)))) &&
          is_old(now.operand(1)) && !given_objects_.contains(now.operand(1)))
        return end(concatenate("it looks for a tensor in ", name_of(now.operand(1))));
      [[fallthrough]];
    case Operation::Compute:
      read_deep(now.operand(1), 0);
      return read_deep(now.operand(2), 0);
    case Operation::Format:
      return read_deep(now.operand(instruction.operand), 0);
    case Operation::Call:
      return observe_call(now);
    case Operation::CallWithTuple:
      return observe_call_with_tuple(now);
    case Operation::MatchClass:
      return observe_match(now);
    default:
      return;
  }
}

void ReadObserver::observe_subscript(const Step& now, bool is_write) {
  PyObject* container = now.operand(2);
  PyObject* key = now.operand(1);
  const TypeKind kind = kind_of(Py_TYPE(container));
  const TypeKind key_kind = kind_of(Py_TYPE(key));
  if (is_container(key_kind) || key_kind == TypeKind::Buffer) read_deep(key, 0);  // indices
  if (!is_active_ || kind == TypeKind::Package) return;
  const std::string name = concatenate(observed_path(name_of(container)), "[", key_text(key), "]");
  if (!is_write) last_.name = is_compared_by_value(key) ? name : "";
  read_class(container);
  if (!is_old(container)) return;
  if (is_write) note_line(name_of(container));
  if (kind != TypeKind::Dict) return read_contents(container);
  if (std::string_view(native_base(Py_TYPE(container))->tp_name) == "collections.defaultdict")
    read_attribute(container, nb::str("default_factory").ptr(), false);
  if (holds_tensor(key))
    return end(concatenate("it uses a tensor as a key of ", name_of(container)));
  if (!is_plain_value(key) || guards_for(container).has_contents(container))
    return read_contents(container);
  if (is_write) note_line(name);
  guards_for(container).add_key(container, key, name);
}

void ReadObserver::observe_match(const Step& now) {
  PyObject* names = now.operand(1);
  PyObject* subject = now.operand(3);
  note_tested_class(now.operand(2));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
    read_attribute(subject, PyTuple_GET_ITEM(names, i), false);
  read_class(subject);
  if (now.instruction.argument != 0 && kind_of(Py_TYPE(subject)) == TypeKind::Instance)
    read_all_attributes(subject);
}

// import a.b reads sys.modules["a"] and sys.modules["a.b"]; what is not there yet is imported.
void ReadObserver::observe_import(PyObject* name) {
  PyObject* modules = PyImport_GetModuleDict();
  const std::string text = observed_text(name);
  for (size_t dot = 0; dot < text.size() && modules && PyDict_Check(modules);) {
    dot = std::min(text.find('.', dot + 1), text.size());
    const nb::str part(text.substr(0, dot).c_str());
    if (PyDict_Contains(modules, part.ptr()) == 1)
      read_key(modules, part.ptr(), concatenate("sys.modules['", part.c_str(), "']"));
  }
}

// A call has two operands below its arguments: a callable and a null, in the order of the version,
// or a method and the object it is called on.
void ReadObserver::observe_call(const Step& now) {
  const uint32_t num_names = now.instruction.has_names_operand ? 1 : 0;
  const uint32_t count = now.instruction.argument;
  PyObject* lower = now.operand(num_names + count + 2);
  PyObject* upper = now.operand(num_names + count + 1);
  const uint32_t total = count + (lower && upper ? 1 : 0);
  PyObject* names = num_names != 0 ? now.operand(1) : now.instruction.keyword_names;
  PyObject** callable = now.operands_from(num_names + count + (lower ? 2 : 1));
  const Objects args{now.operands_from(num_names + total), total};
  leave_cache_out(callable, args);
  if (is_active_) note_call(*callable, args, names);
}

void ReadObserver::observe_call_with_tuple(const Step& now) {
  const uint32_t num_keywords = now.instruction.argument;
  PyObject* keywords = num_keywords != 0 ? now.operand(1) : nullptr;
  PyObject* positional = now.operand(num_keywords + 1);
  PyObject* upper = now.operand(num_keywords + 2);
  PyObject** callable = now.operands_from(num_keywords + (upper ? 2 : 3));
  read_contents(positional);
  if (!is_active_) return;
  std::vector<PyObject*> args;
  nb::object all = nb::borrow(positional);
  if (!PyTuple_Check(positional) && !PyList_Check(positional)) return;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(positional); ++i)
    args.push_back(PySequence_Fast_GET_ITEM(positional, i));
  nb::object names;
  if (keywords && PyDict_Check(keywords)) {
    read_contents(keywords);
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) args.push_back(value);
    names = nb::steal(PySequence_Tuple(keywords));
  }
  leave_cache_out(callable, args);
  if (is_active_) note_call(*callable, args, names.ptr());
}

}  // namespace opwright::python
