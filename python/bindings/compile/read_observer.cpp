#include "bindings/compile/read_observer.h"

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

ContentGuard::Kind content_kind(TypeKind kind) {
  switch (kind) {
    case TypeKind::List:
      return ContentGuard::Kind::List;
    case TypeKind::Dict:
      return ContentGuard::Kind::Dict;
    case TypeKind::OrderedDict:
      return ContentGuard::Kind::OrderedDict;
    case TypeKind::Set:
      return ContentGuard::Kind::Set;
    default:
      return ContentGuard::Kind::Other;
  }
}

std::string text_of(PyObject* name) {
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

// Since 3.12, a collection that is due runs when Python code begins, even if it is disabled by
// then.
void run_pending_collection() {
  static PyObject* empty = require(Py_CompileString("None", "<opwright>", Py_eval_input));
  const nb::object globals = own(PyDict_New());
  (void)own(PyEval_EvalCode(empty, globals.ptr(), globals.ptr()));
}

// "cfg" as an argument, "self.cfg" as an attribute: without "closure " and "global ".
std::string path_of(const std::string& name) {
  for (const std::string_view prefix : {"closure ", "global "}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
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
  created_ = std::make_unique<CreatedObjects>();
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
  info.is_import = file && std::string_view(file).starts_with("<frozen importlib");
  info.is_observed = !info.is_import && !is_package_globals(inner.globals);
  if (info.is_observed) info.instructions = decode_instructions(code);
  PyErr_Clear();
  return codes_.emplace(code, std::move(info)).first->second;
}

void ReadObserver::begin_frame(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (code.is_import && !import_) import_ = frame;
  const bool is_observed = code.is_observed && !import_;
  instructions_.set_frame(frame, is_observed, previous_function_ != nullptr);
  PyObject* function = InterpreterFrame(frame).function;
  if (is_observed && function && is_old(function))
    reads_.add_function(function,
                        text_of(reinterpret_cast<PyFunctionObject*>(function)->func_qualname));
}

void ReadObserver::end_frame(const PyFrameObject* frame) noexcept {
  if (import_ == frame) import_ = nullptr;
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

// ---- Reads ----

void ReadObserver::read_key(PyObject* dict, PyObject* key, const std::string& name) {
  if (!PyDict_Check(dict) || state_.reads(dict, key)) return;
  guards_for(dict).add_key(dict, key, name);
}

void ReadObserver::read_global(PyObject* globals, PyObject* builtins, PyObject* name) {
  if (!PyDict_CheckExact(globals)) return;
  const std::string text = "global " + text_of(name);
  read_key(globals, name, text);
  if (PyDict_Contains(globals, name) != 1 && PyDict_CheckExact(builtins))
    read_key(builtins, name, text);
}

void ReadObserver::read_cell(PyObject* cell, const std::string& name) {
  if (!cell || !PyCell_Check(cell) || !is_old(cell) || state_.reads(cell, nullptr)) return;
  reads_.add_cell(cell, name);
}

void ReadObserver::read_class_attribute(PyTypeObject* type, PyObject* name) {
  if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || is_package_type(type)) return;
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!is_old(object)) return;
  reads_.add_class_attribute(type, name, concatenate(type->tp_name, ".", text_of(name)));
}

void ReadObserver::read_instance_attribute(PyObject* owner, PyObject* name) {
  PyTypeObject* type = Py_TYPE(owner);
  PyObject* on_class = _PyType_Lookup(type, name);
  read_class_attribute(type, name);
  reads_.add_class_of(owner, name_of(owner));
  const std::string full = concatenate(path_of(name_of(owner)), ".", text_of(name));
  if (on_class && Py_TYPE(on_class) == &PyMemberDescr_Type) {
    reads_.add_slot(owner, on_class, full);
    return;
  }
  if (on_class && Py_TYPE(on_class)->tp_descr_set) return;  // a property: its code is observed
  const nb::object dict = nb::steal(PyObject_GenericGetDict(owner, nullptr));
  if (!dict.is_valid()) {
    PyErr_Clear();
    return;
  }
  (given_objects_.contains(owner) ? given_ : reads_).add_key(dict.ptr(), name, full);
}

void ReadObserver::read_attribute(PyObject* owner, PyObject* name, bool is_write) {
  if (is_tensor(owner)) {
    PyObject** dict = _PyObject_GetDictPtr(owner);
    const bool is_own = dict && *dict && PyDict_Contains(*dict, name) == 1;
    if (is_own || (is_write && !_PyType_Lookup(Py_TYPE(owner), name)))
      end(concatenate("it ", is_write ? "sets" : "reads", " the attribute '", text_of(name),
                      "' of a tensor, which a graph does not keep"));
    return;
  }
  if (Py_TYPE(owner) == &PySuper_Type) {
    const nb::object type = own(PyObject_GetAttrString(owner, "__thisclass__"));
    const nb::object self = own(PyObject_GetAttrString(owner, "__self__"));
    return read_super_attribute(type.ptr(), self.ptr(), name);
  }
  if (!is_old(owner)) return;
  const std::string full = concatenate(path_of(name_of(owner)), ".", text_of(name));
  if (is_write) note_line(full);
  switch (kind_of(Py_TYPE(owner))) {
    case TypeKind::Module: {
      const char* module = PyModule_GetName(owner);
      if (!module) PyErr_Clear();
      const std::string_view text = module ? module : "";
      if (text == "opwright" || text.starts_with("opwright.")) return;
      return read_key(PyModule_GetDict(owner), name, full);
    }
    case TypeKind::Class:
      return read_class_attribute(reinterpret_cast<PyTypeObject*>(owner), name);
    case TypeKind::Package:
      return;
    case TypeKind::Instance:
      if (is_nn_module(owner)) state_.watch_module(owner, name_of(owner));
      return read_instance_attribute(owner, name);
    case TypeKind::Constant:
      if (!PyType_HasFeature(Py_TYPE(owner), Py_TPFLAGS_HEAPTYPE)) return;
      return read_instance_attribute(owner, name);
    case TypeKind::Unknown: {
      PyObject* on_class = _PyType_Lookup(Py_TYPE(owner), name);
      if (on_class &&
          (Py_TYPE(on_class) == &PyGetSetDescr_Type || Py_TYPE(on_class) == &PyMemberDescr_Type))
        return end(concatenate("it reads ", full, " (", Py_TYPE(owner)->tp_name,
                               "), whose state cannot be guarded"));
      return read_instance_attribute(owner, name);
    }
    default:
      return read_instance_attribute(owner, name);
  }
}

// Of super(type, self): each class after `type` decides what it finds.
void ReadObserver::read_super_attribute(PyObject* type, PyObject* self, PyObject* name) {
  PyTypeObject* of_self = Py_TYPE(self);
  if (PyType_Check(self) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(self),
                                             reinterpret_cast<PyTypeObject*>(type)))
    of_self = reinterpret_cast<PyTypeObject*>(self);
  PyObject* classes = of_self->tp_mro;
  bool is_after = false;
  for (Py_ssize_t i = 0; classes && i < PyTuple_GET_SIZE(classes); ++i) {
    PyObject* each = PyTuple_GET_ITEM(classes, i);
    if (is_after) read_class_attribute(reinterpret_cast<PyTypeObject*>(each), name);
    is_after = is_after || each == type;
  }
}

void ReadObserver::read_all_attributes(PyObject* owner) {
  if (!is_old(owner)) return;
  const nb::object dict = nb::steal(PyObject_GenericGetDict(owner, nullptr));
  PyErr_Clear();
  if (dict.is_valid())
    guards_for(owner).add_contents(dict.ptr(), ContentGuard::Kind::Dict,
                                   name_of(owner) + ".__dict__");
}

void ReadObserver::read_contents(PyObject* object) {
  const TypeKind kind = kind_of(Py_TYPE(object));
  if (kind == TypeKind::Instance && is_nn_module(object) && is_old(object))
    return state_.watch_module(object, name_of(object));
  if (kind == TypeKind::Constant || kind == TypeKind::Package || !is_old(object)) return;
  switch (kind) {
    case TypeKind::List:
    case TypeKind::Dict:
    case TypeKind::Set:
    case TypeKind::OrderedDict:
    case TypeKind::Sequence:
      note_line(name_of(object));
      guards_for(object).add_contents(object, content_kind(kind), name_of(object));
      return;
    case TypeKind::Buffer:
      if (reads_.add_buffer(object, name_of(object))) return;
      return end(concatenate("it reads ", name_of(object), " (a large ", Py_TYPE(object)->tp_name,
                             "), whose data a graph can neither take nor watch"));
    case TypeKind::Iterator:
      return end(concatenate("it reads from ", name_of(object), " (", Py_TYPE(object)->tp_name,
                             "), an iterator that lives outside of the function"));
    case TypeKind::Unknown:
      return end(concatenate("it reads ", name_of(object), " (", Py_TYPE(object)->tp_name,
                             "), whose state cannot be guarded"));
    default:
      return;
  }
}

void ReadObserver::read_deep(PyObject* object, int depth) {
  constexpr int kMostDepth = 16;
  constexpr size_t kMostContainers = 100'000;
  const TypeKind kind = kind_of(Py_TYPE(object));
  if (is_container(kind)) {
    read_contents(object);
    if (!is_active_) return;
    if (depth == kMostDepth || ++num_deep_ > kMostContainers)
      return end(concatenate("it passes on ", name_of(object), ", which holds too much to guard"));
    const nb::object elements = PyDict_Check(object)
                                    ? ContentGuard::read(object, ContentGuard::Kind::Dict)
                                    : ContentGuard::read(object, content_kind(kind));
    const Py_ssize_t step = PyDict_Check(object) ? 2 : 1;
    for (Py_ssize_t i = 0; elements.is_valid() && i < PyTuple_GET_SIZE(elements.ptr()); ++i) {
      PyObject* element = PyTuple_GET_ITEM(elements.ptr(), i);
      const TypeKind inner = kind_of(Py_TYPE(element));
      if (!is_container(inner) && inner != TypeKind::Buffer) continue;
      PyObject* key = step == 2 && i % 2 == 1 ? PyTuple_GET_ITEM(elements.ptr(), i - 1) : nullptr;
      const std::string which = key ? value_text(key) : concatenate(i / step);
      give_name(element, concatenate(path_of(name_of(object)), "[", which, "]"));
      read_deep(element, depth + 1);
      if (!is_active_) return;
    }
    return;
  }
  read_contents(object);
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
    return text_of(
        PyTuple_GET_ITEM(inner.code->co_localsplusnames, static_cast<Py_ssize_t>(index)));
  }
};

void ReadObserver::observe(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (!code.is_observed || import_) return;
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
      last_.name = "global " + text_of(name);
      return read_global(now.inner.globals, now.inner.builtins, name);
    case Operation::ChangeGlobal:
      note_line("global " + text_of(name));
      return given_.add_key(now.inner.globals, name, "global " + text_of(name));
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
      last_.name = concatenate(path_of(name_of(owner)), ".", text_of(name));
      return read_attribute(owner, name, false);
    }
    case Operation::ChangeAttribute:
      return read_attribute(now.operand(1), name, true);
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
      if (is_container(kind_of(Py_TYPE(tested)))) read_contents(tested);
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
  if (kind == TypeKind::Package) return;
  const std::string name = concatenate(path_of(name_of(container)), "[", value_text(key), "]");
  if (!is_write) last_.name = is_compared_by_value(key) ? name : "";
  if (!is_old(container)) return;
  if (is_write) note_line(name_of(container));
  if (kind != TypeKind::Dict) return read_contents(container);
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
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
    read_attribute(subject, PyTuple_GET_ITEM(names, i), false);
  if (now.instruction.argument != 0 && kind_of(Py_TYPE(subject)) == TypeKind::Instance)
    read_all_attributes(subject);
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
  note_call(lower ? lower : upper, {now.operands_from(num_names + total), total}, names);
}

void ReadObserver::observe_call_with_tuple(const Step& now) {
  const uint32_t num_keywords = now.instruction.argument;
  PyObject* keywords = num_keywords != 0 ? now.operand(1) : nullptr;
  PyObject* positional = now.operand(num_keywords + 1);
  PyObject* upper = now.operand(num_keywords + 2);
  PyObject* callable = upper ? upper : now.operand(num_keywords + 3);
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
  if (is_active_) note_call(callable, args, names.ptr());
}

}  // namespace opwright::python
