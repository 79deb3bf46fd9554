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
    : reads_(reads), given_(given), state_(state), end_graph_(std::move(end_graph)) {}

bool ReadObserver::is_possible() noexcept { return PyThreadState_Get()->tracing == 0; }

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
  created_ = std::make_unique<CreatedObjects>();
  PyThreadState* thread = PyThreadState_Get();
  previous_function_ = thread->c_tracefunc;
  previous_object_ = nb::borrow(thread->c_traceobj);
  active_observer = this;
  is_active_ = is_installed_ = true;
  collects_garbage_ = PyGC_Disable() != 0;  // its callbacks and finalizers are not the function's
  PyEval_SetTrace(&ReadObserver::report, nullptr);
}

void ReadObserver::stop() noexcept {
  is_active_ = false;
  if (created_) created_->stop();
  if (!std::exchange(is_installed_, false)) return;
  active_observer = nullptr;
  if (collects_garbage_) PyGC_Enable();
  PyEval_SetTrace(previous_function_, previous_object_.ptr());
}

int ReadObserver::report(PyObject* /*unused*/, PyFrameObject* frame, int what, PyObject* argument) {
  ReadObserver* self = active_observer;
  if (!self) return 0;
  if (self->previous_function_ && what != PyTrace_OPCODE) {
    const int status =
        self->previous_function_(self->previous_object_.ptr(), frame, what, argument);
    if (status != 0) return status;
  }
  if (what == PyTrace_RETURN) self->end_frame(frame);
  if (!self->is_active_ || (what != PyTrace_CALL && what != PyTrace_OPCODE)) return 0;
  try {
    const CreatedObjects::PauseScope pause(*self->created_);
    if (what == PyTrace_CALL) {
      self->begin_frame(frame);
    } else {
      self->observe(frame);
    }
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
  PyCodeObject* code = interpreter_frame(frame)->f_code;
  const auto found = codes_.find(code);
  if (found != codes_.end()) return found->second;
  CodeInfo info;
  info.keep = nb::borrow(reinterpret_cast<PyObject*>(code));
  info.bytes = own(PyCode_GetCode(code));
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  info.is_import = file && std::string_view(file).starts_with("<frozen importlib");
  info.is_observed = !info.is_import && !is_package_globals(interpreter_frame(frame)->f_globals);
  PyErr_Clear();
  return codes_.emplace(code, std::move(info)).first->second;
}

void ReadObserver::begin_frame(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (code.is_import && !import_) import_ = frame;
  const bool is_observed = code.is_observed && !import_;
  set_frame_events(frame, is_observed, previous_function_ != nullptr);
  auto* function = reinterpret_cast<PyObject*>(interpreter_frame(frame)->f_func);
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
struct ReadObserver::Instruction {
  PyFrameObject* frame;
  InterpreterFrame* inner;
  const uint8_t* units;
  size_t at;  // offset in bytes
  int opcode;
  uint32_t argument;

  // The operand that is `depth` below the top, from 1.
  [[nodiscard]] PyObject* operand(uint32_t depth) const {
    const int index = inner->stacktop - static_cast<int>(depth);
    return index >= inner->f_code->co_nlocalsplus ? inner->localsplus[index] : nullptr;
  }
  [[nodiscard]] PyObject* name(uint32_t index) const {
    return PyTuple_GET_ITEM(inner->f_code->co_names, static_cast<Py_ssize_t>(index));
  }
  [[nodiscard]] PyObject* local(uint32_t index) const { return inner->localsplus[index]; }
  [[nodiscard]] std::string local_name(uint32_t index) const {
    return text_of(
        PyTuple_GET_ITEM(inner->f_code->co_localsplusnames, static_cast<Py_ssize_t>(index)));
  }
};

void ReadObserver::observe(PyFrameObject* frame) {
  const CodeInfo& code = look_up(frame);
  if (!code.is_observed) return;
  Instruction now{};
  now.frame = frame;
  now.inner = interpreter_frame(frame);
  now.units = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(code.bytes.ptr()));
  const auto size = static_cast<size_t>(PyBytes_GET_SIZE(code.bytes.ptr()));
  now.at = static_cast<size_t>(PyFrame_GetLasti(frame));
  now.argument = now.units[now.at + 1];
  while (now.units[now.at] == EXTENDED_ARG && now.at + 3 < size) {
    now.at += 2;
    now.argument = now.argument << 8 | now.units[now.at + 1];
  }
  now.opcode = now.units[now.at];
  observe_result(now);
  last_.frame = frame;
  last_.name.clear();
  observe_names(now);
  if (is_active_) observe_operands(now);
}

// What the last instruction pushed.
void ReadObserver::observe_result(const Instruction& now) {
  if (last_.frame != now.frame) return;
  PyObject* pushed = now.operand(1);
  if (!pushed) return;
  if (Py_REFCNT(pushed) == 1 && (PyList_CheckExact(pushed) || PyDict_CheckExact(pushed)))
    created_->add(pushed);  // nobody else has it
  if (!last_.name.empty()) give_name(pushed, last_.name);
}

void ReadObserver::observe_names(const Instruction& now) {
  const uint32_t argument = now.argument;
  InterpreterFrame* inner = now.inner;
  switch (now.opcode) {
    case LOAD_FAST:
      if (PyObject* value = now.local(argument)) give_name(value, now.local_name(argument));
      return;
    case LOAD_GLOBAL:
      last_.name = "global " + text_of(now.name(argument >> 1));
      return read_global(inner->f_globals, inner->f_builtins, now.name(argument >> 1));
    case LOAD_NAME:
      return read_global(inner->f_globals, inner->f_builtins, now.name(argument));
    case STORE_GLOBAL:
    case DELETE_GLOBAL:
      note_line("global " + text_of(now.name(argument)));
      return given_.add_key(inner->f_globals, now.name(argument),
                            "global " + text_of(now.name(argument)));
    case LOAD_DEREF:
    case LOAD_CLASSDEREF:
      last_.name = "closure " + now.local_name(argument);
      return read_cell(now.local(argument), last_.name);
    case STORE_DEREF:
    case DELETE_DEREF:
      note_line("closure " + now.local_name(argument));
      if (PyObject* cell = now.local(argument); cell && PyCell_Check(cell) && is_old(cell))
        given_.add_cell(cell, "closure " + now.local_name(argument));
      return;
    case LOAD_ATTR:
    case LOAD_METHOD:
    case IMPORT_FROM: {
      PyObject* owner = now.operand(1);
      last_.name = concatenate(path_of(name_of(owner)), ".", text_of(now.name(argument)));
      return read_attribute(owner, now.name(argument), false);
    }
    case STORE_ATTR:
    case DELETE_ATTR:
      return read_attribute(now.operand(1), now.name(argument), true);
    default:
      return;
  }
}

void ReadObserver::observe_operands(const Instruction& now) {
  switch (now.opcode) {
    case BINARY_SUBSCR:
      return observe_subscript(now, false);
    case STORE_SUBSCR:
    case DELETE_SUBSCR:
      return observe_subscript(now, true);
    case GET_ITER:
    case GET_YIELD_FROM_ITER:
    case FOR_ITER:
    case UNPACK_SEQUENCE:
    case UNPACK_EX:
    case GET_LEN:
    case LIST_EXTEND:
    case SET_UPDATE:
    case DICT_UPDATE:
    case DICT_MERGE:
    case BEFORE_WITH:
      return read_contents(now.operand(1));
    case MATCH_KEYS:
    case SEND:
      return read_contents(now.operand(2));
    case UNARY_NOT:
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP: {
      PyObject* tested = now.operand(1);
      if (is_container(kind_of(Py_TYPE(tested)))) read_contents(tested);
      return;
    }
    case CONTAINS_OP:
      if (holds_tensor(now.operand(2)) && is_container(kind_of(Py_TYPE(now.operand(1)))) &&
          is_old(now.operand(1)) && !given_objects_.contains(now.operand(1)))
        return end(concatenate("it looks for a tensor in ", name_of(now.operand(1))));
      [[fallthrough]];
    case COMPARE_OP:
    case BINARY_OP:
      read_deep(now.operand(1), 0);
      return read_deep(now.operand(2), 0);
    case FORMAT_VALUE:
      return read_deep(now.operand((now.argument & 4) != 0 ? 2 : 1), 0);
    case PRECALL:
      return observe_call(now);
    case CALL_FUNCTION_EX:
      return observe_call_with_tuple(now);
    case MATCH_CLASS:
      return observe_match(now);
    default:
      return;
  }
}

void ReadObserver::observe_subscript(const Instruction& now, bool is_write) {
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

void ReadObserver::observe_match(const Instruction& now) {
  PyObject* names = now.operand(1);
  PyObject* subject = now.operand(3);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
    read_attribute(subject, PyTuple_GET_ITEM(names, i), false);
  if (now.argument != 0 && kind_of(Py_TYPE(subject)) == TypeKind::Instance)
    read_all_attributes(subject);
}

void ReadObserver::observe_call(const Instruction& now) {
  const uint32_t count = now.argument;
  const bool is_method = now.operand(count + 2) != nullptr;
  PyObject* callable = now.operand(count + (is_method ? 2 : 1));
  const uint32_t total = count + (is_method ? 1 : 0);
  PyObject** first = now.inner->localsplus + now.inner->stacktop - total;
  PyObject* keyword_names = nullptr;
  if (now.at >= 2 && now.units[now.at - 2] == KW_NAMES)
    keyword_names = PyTuple_GET_ITEM(now.inner->f_code->co_consts, now.units[now.at - 1]);
  note_call(callable, {first, total}, keyword_names);
}

void ReadObserver::observe_call_with_tuple(const Instruction& now) {
  const bool has_keywords = (now.argument & 1) != 0;
  PyObject* keywords = has_keywords ? now.operand(1) : nullptr;
  PyObject* positional = now.operand(has_keywords ? 2 : 1);
  PyObject* callable = now.operand(has_keywords ? 3 : 2);
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
