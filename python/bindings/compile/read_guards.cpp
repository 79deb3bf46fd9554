#include "bindings/compile/read_guards.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/function_state.h"
#include "bindings/compile/state_version.h"
#include "bindings/compile/type_kind.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/pytree/object_guard.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr Py_ssize_t kMostBufferBytes = Py_ssize_t{1} << 16;

std::vector<std::string>& ignored_kinds() {
  static auto* kinds = new std::vector<std::string>;  // under the GIL
  return *kinds;
}

nb::object keep(PyObject* object) { return object ? nb::borrow(object) : nb::object(); }

// Borrowed; null if the key does not exist. Keys are of built-in classes: no Python code runs.
PyObject* find_key(PyObject* dict, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(dict, key);
  if (!found) PyErr_Clear();
  return found;
}

std::string content_text(PyObject* container, Py_ssize_t size) {
  return concatenate(Py_TYPE(container)->tp_name, " of ", size);
}

// Parts of Python and of this package are guarded, but not listed.
bool is_of_python(PyObject* value) {
  if (PyModule_Check(value)) {
    const char* name = PyModule_GetName(value);
    if (!name) PyErr_Clear();
    return name && std::string_view(name).starts_with("opwright");
  }
  if (PyCFunction_Check(value)) return true;
  if (PyFunction_Check(value)) return is_package_globals(PyFunction_GET_GLOBALS(value));
  PyTypeObject* type = Py_TYPE(value);
  if (!PyType_Check(value))  // an operator
    return type->tp_call && native_base(type) == type && is_package_type(type) && !is_tensor(value);
  type = reinterpret_cast<PyTypeObject*>(value);
  return !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || is_package_type(type);
}

bool read_bytes(PyObject* object, std::string& bytes) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0) {
    PyErr_Clear();
    return false;
  }
  const bool is_small = view.len <= kMostBufferBytes;
  if (is_small) {
    bytes.resize(static_cast<size_t>(view.len));
    if (PyBuffer_ToContiguous(bytes.data(), &view, view.len, 'C') < 0) PyErr_Clear();
    for (int i = 0; i < view.ndim && view.shape; ++i) bytes += concatenate(view.shape[i], ",");
    bytes += view.format ? view.format : "";
  }
  PyBuffer_Release(&view);
  return is_small;
}

}  // namespace

// ---- A value ----

bool ReadValue::holds(PyObject* now) const {
  if (!now || !value.is_valid()) return !now && !value.is_valid();
  return is_same_value(now, value.ptr());
}

std::string ReadValue::difference(PyObject* now) const {
  if (!now) return name + " no longer exists";
  if (!value.is_valid()) return concatenate(name, " is set, it did not exist");
  const bool is_plain = is_compared_by_value(now) && is_compared_by_value(value.ptr());
  if (!is_plain && Py_TYPE(now) == Py_TYPE(value.ptr()))
    return concatenate(name, " is another ", Py_TYPE(now)->tp_name);
  return concatenate(name, " is ", value_text(now), ", it was ", value_text(value.ptr()));
}

std::string ReadValue::text() const {
  if (!value.is_valid()) return "";
  if (is_compared_by_value(value.ptr())) return concatenate(name, " is ", value_text(value.ptr()));
  if (is_of_python(value.ptr())) return "";
  return concatenate(name, " is this ", Py_TYPE(value.ptr())->tp_name);
}

namespace {

void add_line(std::string& text, const std::string& line) {
  if (!line.empty()) text += line + "\n";
}

}  // namespace

// ---- Keys of a dict ----

bool KeyGuard::holds() const {
  const uint64_t now = dict_version(object.ptr());
  if (now != 0 && now == version) [[likely]]
    return true;
  for (const Key& each : keys) {
    if (!each.value.holds(find_key(object.ptr(), each.key.ptr()))) return false;
  }
  version = now;
  return true;
}

std::string KeyGuard::difference() const {
  for (const Key& each : keys) {
    PyObject* now = find_key(object.ptr(), each.key.ptr());
    if (!each.value.holds(now)) return each.value.difference(now);
  }
  return "";
}

void KeyGuard::add_text(std::string& text) const {
  for (const Key& each : keys) add_line(text, each.value.text());
}

// ---- Contents ----

// By the iteration of the class in C, not by one that a subclass overrides.
nb::object ContentGuard::read(PyObject* container, Kind kind) {
  if (kind == Kind::Dict) {
    nb::object all = own(PyTuple_New(2 * PyDict_GET_SIZE(container)));
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t next = 0;
    for (Py_ssize_t at = 0; PyDict_Next(container, &at, &key, &value); next += 2) {
      PyTuple_SET_ITEM(all.ptr(), next, Py_NewRef(key));
      PyTuple_SET_ITEM(all.ptr(), next + 1, Py_NewRef(value));
    }
    return all;
  }
  const getiterfunc iterate = native_base(Py_TYPE(container))->tp_iter;
  if (!iterate) return {};
  const nb::object iterator = nb::steal(iterate(container));
  PyErr_Clear();
  if (!iterator.is_valid()) return {};
  nb::object all = nb::steal(PySequence_Tuple(iterator.ptr()));
  PyErr_Clear();
  if (kind != Kind::OrderedDict || !all.is_valid()) return all;
  const Py_ssize_t size = PyTuple_GET_SIZE(all.ptr());
  nb::object items = own(PyTuple_New(2 * size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* key = PyTuple_GET_ITEM(all.ptr(), i);
    PyObject* value = find_key(container, key);
    PyTuple_SET_ITEM(items.ptr(), 2 * i, Py_NewRef(key));
    PyTuple_SET_ITEM(items.ptr(), 2 * i + 1, Py_NewRef(value ? value : Py_None));
  }
  return items;
}

namespace {

bool are_same_elements(PyObject* now, const std::vector<PyObject*>& held) {
  if (PyTuple_GET_SIZE(now) != static_cast<Py_ssize_t>(held.size())) return false;
  for (size_t i = 0; i < held.size(); ++i) {
    if (!is_same_value(PyTuple_GET_ITEM(now, static_cast<Py_ssize_t>(i)), held[i])) return false;
  }
  return true;
}

bool has_same_items(PyObject* dict, const std::vector<PyObject*>& held) {
  if (2 * PyDict_GET_SIZE(dict) != static_cast<Py_ssize_t>(held.size())) return false;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  size_t next = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value); next += 2) {
    if (!is_same_value(key, held[next]) || !is_same_value(value, held[next + 1])) return false;
  }
  return true;
}

}  // namespace

bool ContentGuard::holds() const {
  const size_t size = elements.size();
  if (kind == Kind::List) {
    if (PyList_GET_SIZE(object.ptr()) != static_cast<Py_ssize_t>(size)) return false;
    PyObject** items = reinterpret_cast<PyListObject*>(object.ptr())->ob_item;
    if (size == 0 || std::memcmp(items, elements.data(), size * sizeof(PyObject*)) == 0)
      return true;
  } else if (kind == Kind::Dict) {
    const uint64_t now = dict_version(object.ptr());
    if (version != 0 && now == version) return true;
    if (!has_same_items(object.ptr(), elements)) return false;
    version = now;
    return true;
  } else if (kind == Kind::Set) {
    if (PySet_GET_SIZE(object.ptr()) != static_cast<Py_ssize_t>(size)) return false;
    const auto* set = reinterpret_cast<PySetObject*>(object.ptr());
    size_t next = 0;
    for (Py_ssize_t i = 0; i <= set->mask && next < size; ++i) {
      const setentry& entry = set->table[i];
      if (!entry.key || entry.hash == -1) continue;  // empty, or deleted
      if (entry.key != elements[next]) break;
      ++next;
    }
    if (next == size) return true;
  }
  const nb::object now = read(object.ptr(), kind);
  return now.is_valid() && are_same_elements(now.ptr(), elements);
}

std::string ContentGuard::difference() const {
  const nb::object now = read(object.ptr(), kind);
  if (!now.is_valid()) return name + " cannot be read";
  if (are_same_elements(now.ptr(), elements)) return "";
  const auto was = static_cast<Py_ssize_t>(elements.size()) / step();
  const Py_ssize_t size = PyTuple_GET_SIZE(now.ptr()) / step();
  if (was != size)
    return concatenate(name, ": ", content_text(object.ptr(), size), ", it was ",
                       content_text(object.ptr(), was));
  for (Py_ssize_t i = 0; i < step() * was; ++i) {
    PyObject* held_now = PyTuple_GET_ITEM(now.ptr(), i);
    PyObject* before = elements[static_cast<size_t>(i)];
    if (is_same_value(held_now, before)) continue;
    const bool is_value = step() == 2 && i % 2 == 1;
    PyObject* key = is_value ? PyTuple_GET_ITEM(now.ptr(), i - 1) : nullptr;
    const std::string which = key ? key_text(key) : concatenate(i / step());
    return ReadValue{concatenate(name, "[", which, "]"), nb::borrow(before)}.difference(held_now);
  }
  return "";
}

void ContentGuard::add_text(std::string& text) const {
  if (!is_listed) return;
  const auto size = static_cast<Py_ssize_t>(elements.size()) / step();
  text += concatenate(name, ": ", content_text(object.ptr(), size), "\n");
}

// ---- Cells, slots, classes, functions ----

bool CellGuard::holds() const { return value.holds(PyCell_GET(object.ptr())); }
std::string CellGuard::difference() const {
  PyObject* now = PyCell_GET(object.ptr());
  return value.holds(now) ? "" : value.difference(now);
}
void CellGuard::add_text(std::string& text) const { add_line(text, value.text()); }

nb::object SlotGuard::read() const {
  PyObject* owner = object.ptr();
  nb::object now = nb::steal(
      Py_TYPE(descriptor.ptr())
          ->tp_descr_get(descriptor.ptr(), owner, reinterpret_cast<PyObject*>(Py_TYPE(owner))));
  PyErr_Clear();
  return now;
}
bool SlotGuard::holds() const { return value.holds(read().ptr()); }
std::string SlotGuard::difference() const {
  const nb::object now = read();
  return value.holds(now.ptr()) ? "" : value.difference(now.ptr());
}
void SlotGuard::add_text(std::string& text) const { add_line(text, value.text()); }

bool IdentityGuard::holds() const {
  if (type.is_valid()) return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type.ptr();
  const auto* function = reinterpret_cast<PyFunctionObject*>(object.ptr());
  return function->func_code == code.ptr() && function->func_defaults == defaults.ptr() &&
         function->func_kwdefaults == keyword_defaults.ptr();
}
std::string IdentityGuard::difference() const {
  if (holds()) return "";
  return name + (type.is_valid() ? " is of another class" : " has other code or defaults");
}
void IdentityGuard::add_text(std::string& /*text*/) const {}  // every function has one: not listed

// ---- Buffers and calls ----

bool BufferGuard::holds() const {
  std::string now;
  return read_bytes(object.ptr(), now) && now == bytes;
}
std::string BufferGuard::difference() const { return holds() ? "" : name + " holds other data"; }
void BufferGuard::add_text(std::string& text) const {
  text += concatenate(name, ": the data of this ", Py_TYPE(object.ptr())->tp_name, "\n");
}

nb::object CallGuard::call() const {
  nb::object result =
      nb::steal(PyObject_Call(object.ptr(), arguments.ptr(), keywords.ptr()));  // may be null
  PyErr_Clear();
  return result;
}
bool CallGuard::holds() const {
  const nb::object now = call();
  return now.is_valid() && value.holds(now.ptr());
}
std::string CallGuard::difference() const {
  const nb::object now = call();
  return now.is_valid() && value.holds(now.ptr()) ? "" : value.difference(now.ptr());
}
void CallGuard::add_text(std::string& text) const { add_line(text, value.text()); }

// ---- Collecting ----

bool ReadGuards::is_new(PyObject* object, PyObject* part) {
  return seen_.insert({object, part}).second;
}

void ReadGuards::add_key(PyObject* dict, PyObject* key, const std::string& name) {
  if (!is_new(dict, key)) return;
  auto& guards = all<KeyGuard>();
  const auto [found, is_first] = dicts_.try_emplace(dict, guards.size());
  if (is_first)
    guards.push_back({.object = nb::borrow(dict), .version = dict_version(dict), .keys = {}});
  KeyGuard& guard = guards[found->second];
  if (guard.version != dict_version(dict)) guard.version = 0;
  guard.keys.push_back({nb::borrow(key), {name, keep(find_key(dict, key))}});
}

void ReadGuards::add_contents(PyObject* container, ContentGuard::Kind kind, const std::string& name,
                              bool is_listed) {
  if (!is_new(container, nullptr)) return;
  ContentGuard guard;
  guard.kind = kind;
  guard.object = nb::borrow(container);
  guard.name = name;
  guard.is_listed = is_listed;
  if (kind == ContentGuard::Kind::Dict) guard.version = dict_version(container);
  guard.held = ContentGuard::read(container, kind);
  if (!guard.held.is_valid()) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(guard.held.ptr()); ++i)
    guard.elements.push_back(PyTuple_GET_ITEM(guard.held.ptr(), i));
  all<ContentGuard>().push_back(std::move(guard));
}

void ReadGuards::add_cell(PyObject* cell, const std::string& name) {
  if (!is_new(cell, nullptr)) return;
  all<CellGuard>().push_back({nb::borrow(cell), {name, keep(PyCell_GET(cell))}});
}

bool ReadGuards::add_slot(PyObject* object, PyObject* descriptor, const std::string& name) {
  if (!is_new(object, descriptor)) return true;
  SlotGuard guard{nb::borrow(object), nb::borrow(descriptor), {name, {}}};
  guard.value.value = guard.read();
  const bool is_kept = guard.holds();
  if (is_kept) all<SlotGuard>().push_back(std::move(guard));
  return is_kept;
}

void ReadGuards::add_class_of(PyObject* object, const std::string& name) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (!is_new(object, type)) return;
  IdentityGuard guard{.object = nb::borrow(object),
                      .name = name,
                      .type = nb::borrow(type),
                      .code = {},
                      .defaults = {},
                      .keyword_defaults = {}};
  all<IdentityGuard>().push_back(std::move(guard));
}

void ReadGuards::add_function(PyObject* object, const std::string& name) {
  if (!is_new(object, nullptr)) return;
  const auto* function = reinterpret_cast<PyFunctionObject*>(object);
  IdentityGuard guard{.object = nb::borrow(object),
                      .name = name,
                      .type = {},
                      .code = keep(function->func_code),
                      .defaults = keep(function->func_defaults),
                      .keyword_defaults = keep(function->func_kwdefaults)};
  all<IdentityGuard>().push_back(std::move(guard));
  if (function->func_kwdefaults)
    add_contents(function->func_kwdefaults, ContentGuard::Kind::Dict, "the defaults of " + name);
}

bool ReadGuards::add_buffer(PyObject* object, const std::string& name) {
  if (!is_new(object, nullptr)) return true;
  BufferGuard guard{nb::borrow(object), name, {}};
  if (!read_bytes(object, guard.bytes)) return false;
  all<BufferGuard>().push_back(std::move(guard));
  return true;
}

void ReadGuards::add_call(PyObject* callable, PyObject* arguments, PyObject* keywords,
                          PyObject* result, const std::string& name) {
  all<CallGuard>().push_back(
      {nb::borrow(callable), nb::borrow(arguments), keep(keywords), {name, nb::borrow(result)}});
}

void set_ignored_reads(std::vector<std::string> kinds) { ignored_kinds() = std::move(kinds); }

bool is_ignored_read(const std::string& kind) {
  return std::ranges::find(ignored_kinds(), kind) != ignored_kinds().end();
}

void ReadGuards::finish_collecting() {
  if (!ignored_kinds().empty()) [[unlikely]] {
    const auto drop = []<class Guard>(std::vector<Guard>& guards) {
      if (is_ignored_read(Guard::kKind)) guards.clear();
    };
    std::apply([&](auto&... guards) { (drop(guards), ...); }, guards_);
  }
  dicts_.clear();
  classes_.clear();
  seen_.clear();
}

void ReadGuards::clear() {
  guards_ = {};
  finish_collecting();
}

// ---- Checking ----

bool ReadGuards::check() const {
  return all_of([](const auto& guard) { return guard.holds(); });
}

std::string ReadGuards::find_difference() const {
  std::string found;
  (void)all_of([&](const auto& guard) {
    if (!guard.holds()) found = guard.difference();
    return found.empty();
  });
  return found;
}

std::string ReadGuards::text() const {
  std::string text;
  (void)all_of([&](const auto& guard) {
    guard.add_text(text);
    return true;
  });
  return text;
}

namespace {

template <class Function>
int visit_held(const KeyGuard& guard, const Function& visit) {
  for (const KeyGuard::Key& each : guard.keys) {
    visit(each.key);
    visit(each.value.value);
  }
  return 0;
}

}  // namespace

int ReadGuards::traverse(visitproc visit, void* arg) const {
  int stopped = 0;
  const auto add = [&](const nb::object& held) {
    if (held.is_valid() && stopped == 0) stopped = visit(held.ptr(), arg);
  };
  (void)all_of([&](const auto& guard) {
    add(guard.object);
    return stopped == 0;
  });
  for (const auto& guard : all<KeyGuard>()) (void)visit_held(guard, add);
  for (const auto& guard : all<ContentGuard>()) add(guard.held);
  for (const auto& guard : all<CellGuard>()) add(guard.value.value);
  for (const auto& guard : all<SlotGuard>()) {
    add(guard.descriptor);
    add(guard.value.value);
  }
  for (const auto& guard : all<ClassGuard>()) {
    add(guard.bases);
    for (const ClassGuard::Attribute& each : guard.attributes) add(each.value.value);
    for (const nb::object& each : guard.special_methods) add(each);
  }
  for (const auto& guard : all<IdentityGuard>()) {
    for (const nb::object& held : {guard.type, guard.code, guard.defaults, guard.keyword_defaults})
      add(held);
  }
  for (const auto& guard : all<CallGuard>()) {
    add(guard.arguments);
    add(guard.keywords);
    add(guard.value.value);
  }
  return stopped;
}

// ---- The end of a run ----

bool ReadGuards::visit_values(const Visit& visit) const {
  for (const auto& guard : all<KeyGuard>()) {
    for (const KeyGuard::Key& each : guard.keys) {
      PyObject* now = find_key(guard.object.ptr(), each.key.ptr());
      if (now && visit(each.value.name, now)) return true;
    }
  }
  for (const auto& guard : all<ContentGuard>()) {
    const nb::object now = ContentGuard::read(guard.object.ptr(), guard.kind);
    for (Py_ssize_t i = 0; now.is_valid() && i < PyTuple_GET_SIZE(now.ptr()); ++i) {
      const bool is_value = guard.step() == 2 && i % 2 == 1;
      const std::string which =
          is_value ? value_text(PyTuple_GET_ITEM(now.ptr(), i - 1)) : concatenate(i);
      if (visit(concatenate(guard.name, "[", which, "]"), PyTuple_GET_ITEM(now.ptr(), i)))
        return true;
    }
  }
  for (const auto& guard : all<CellGuard>()) {
    PyObject* now = PyCell_GET(guard.object.ptr());
    if (now && visit(guard.value.name, now)) return true;
  }
  for (const auto& guard : all<SlotGuard>()) {
    const nb::object now = guard.read();
    if (now.is_valid() && visit(guard.value.name, now.ptr())) return true;
  }
  for (const auto& guard : all<ClassGuard>()) {
    for (const ClassGuard::Attribute& each : guard.attributes) {
      PyObject* now = ClassGuard::find(guard.object.ptr(), each.name.ptr());
      if (now && visit(each.value.name, now)) return true;
    }
  }
  return false;
}

void ReadGuards::restore() const {
  for (const auto& guard : all<KeyGuard>()) {
    for (const KeyGuard::Key& each : guard.keys) {
      PyObject* now = find_key(guard.object.ptr(), each.key.ptr());
      if (now == each.value.value.ptr()) continue;
      const int status =
          each.value.value.is_valid()
              ? PyDict_SetItem(guard.object.ptr(), each.key.ptr(), each.value.value.ptr())
              : PyDict_DelItem(guard.object.ptr(), each.key.ptr());
      require_no_error(status);
    }
  }
  for (const auto& guard : all<ContentGuard>()) {
    if (guard.holds()) continue;
    if (guard.kind == ContentGuard::Kind::List) {
      require_no_error(PyList_SetSlice(guard.object.ptr(), 0, PyList_GET_SIZE(guard.object.ptr()),
                                       guard.held.ptr()));
    } else if (guard.kind == ContentGuard::Kind::Dict) {
      PyDict_Clear(guard.object.ptr());
      for (size_t i = 0; i < guard.elements.size(); i += 2)
        require_no_error(
            PyDict_SetItem(guard.object.ptr(), guard.elements[i], guard.elements[i + 1]));
    }
  }
  for (const auto& guard : all<CellGuard>())
    require_no_error(PyCell_Set(guard.object.ptr(), guard.value.value.ptr()));
}

}  // namespace opwright::python
