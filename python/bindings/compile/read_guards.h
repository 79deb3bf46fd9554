// ReadGuards: the Python state that a captured function read, and whether it is still the same.
//
// Each guard keeps one object and what was read from it: a key of a dict (globals, attributes of
// instances and modules), all elements of a list, dict, set or deque, a cell, a slot, an attribute
// of a class, a function's code and defaults, the bytes of a buffer, the result of a cached call.
// Elements are compared by identity, numbers and strings by value. Versions of dicts and classes,
// which Python counts, make the usual check one comparison for each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

namespace opwright::python {

// An element: its name in messages, and its value; an invalid object means that it does not exist.
struct ReadValue {
  std::string name;
  nanobind::object value;
  [[nodiscard]] bool holds(PyObject* now) const;  // null: it does not exist now
  [[nodiscard]] std::string difference(PyObject* now) const;
  [[nodiscard]] std::string text() const;  // empty for a part of Python itself
};

// Keys of a dict.
struct KeyGuard {
  static constexpr const char* kKind = "keys";
  nanobind::object object;
  mutable uint64_t version = 0;  // of the dict when all keys last matched
  struct Key {
    nanobind::object key;
    ReadValue value;
  };
  std::vector<Key> keys;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// All elements of a container.
struct ContentGuard {
  static constexpr const char* kKind = "contents";
  enum class Kind : uint8_t { List, Dict, OrderedDict, Set, Other };
  Kind kind = Kind::Other;
  nanobind::object object;
  std::string name;
  mutable uint64_t version = 0;     // of a dict
  std::vector<PyObject*> elements;  // borrowed from `held`; of a dict: key, value, key, value
  nanobind::object held;            // a tuple
  bool is_listed = true;            // in text()
  // Elements per item: a key and a value, or one.
  [[nodiscard]] Py_ssize_t step() const noexcept {
    return kind == Kind::Dict || kind == Kind::OrderedDict ? 2 : 1;
  }
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
  // The elements now; a new tuple, null with no exception if it cannot be read.
  [[nodiscard]] static nanobind::object read(PyObject* container, Kind kind);
};

struct CellGuard {
  static constexpr const char* kKind = "cells";
  nanobind::object object;
  ReadValue value;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// A value in a slot of an instance, read by its descriptor in C: a member, or a property.
struct SlotGuard {
  static constexpr const char* kKind = "slots";
  nanobind::object object;
  nanobind::object descriptor;
  ReadValue value;
  [[nodiscard]] nanobind::object read() const;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// Attributes that a class or one of its bases defines, and, if they were noted, its bases and all
// special methods (__len__, __eq__, __getattr__), whether they exist or not.
struct ClassGuard {
  static constexpr const char* kKind = "classes";
  nanobind::object object;
  mutable unsigned int version = 0;
  struct Attribute {
    nanobind::object name;
    ReadValue value;
  };
  std::vector<Attribute> attributes;
  nanobind::object bases;                         // the method resolution order; null: not noted
  std::vector<nanobind::object> special_methods;  // in the order of their names; null: none
  // What a class or one of its bases defines, borrowed; null: nothing.
  [[nodiscard]] static PyObject* find(PyObject* type, PyObject* name);
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// The class of an instance, and the code and defaults of a function.
struct IdentityGuard {
  static constexpr const char* kKind = "functions";
  nanobind::object object;
  std::string name;
  nanobind::object type;  // null for a function
  nanobind::object code;
  nanobind::object defaults;
  nanobind::object keyword_defaults;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

struct BufferGuard {
  static constexpr const char* kKind = "buffers";
  nanobind::object object;
  std::string name;
  std::string bytes;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// The result of a call that a cache answers.
struct CallGuard {
  static constexpr const char* kKind = "calls";
  nanobind::object object;
  nanobind::object arguments;  // a tuple
  nanobind::object keywords;   // a dict, or null
  ReadValue value;
  [[nodiscard]] nanobind::object call() const;
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::string difference() const;
  void add_text(std::string& text) const;
};

// For tests that check that a missing guard is found: guards of these kinds are not kept, by the
// names above; "changes" stands for what a function changes itself.
void set_ignored_reads(std::vector<std::string> kinds);
[[nodiscard]] bool is_ignored_read(const std::string& kind);

class ReadGuards {
 public:
  // ---- Collecting. What was noted before is not noted again. ----

  // `name` is the name of the element, as in messages: 'self.cfg["a"]'.
  void add_key(PyObject* dict, PyObject* key, const std::string& name);
  // A list, dict, set or anything that can be iterated without a change of it.
  void add_contents(PyObject* container, ContentGuard::Kind kind, const std::string& name,
                    bool is_listed = true);
  void add_cell(PyObject* cell, const std::string& name);
  // False if the descriptor gives a new object each time.
  [[nodiscard]] bool add_slot(PyObject* object, PyObject* descriptor, const std::string& name);
  void add_class_attribute(PyTypeObject* type, PyObject* attribute, const std::string& name);
  // False if one of them is not observed: a cache of results.
  [[nodiscard]] bool add_special_methods(PyTypeObject* type);
  void add_class_of(PyObject* object, const std::string& name);
  void add_function(PyObject* function, const std::string& name);
  [[nodiscard]] bool has_contents(PyObject* container) const {
    return seen_.contains({container, nullptr});
  }
  // False if the buffer is too large to keep.
  [[nodiscard]] bool add_buffer(PyObject* object, const std::string& name);
  void add_call(PyObject* callable, PyObject* arguments, PyObject* keywords, PyObject* result,
                const std::string& name);

  // The end of the capture: later checks need less.
  void finish_collecting();
  // Drops all guards.
  void clear();

  // ---- Checking ----

  [[nodiscard]] bool check() const;
  // "closure history: list of 3, it was list of 2"; empty if all hold.
  [[nodiscard]] std::string find_difference() const;
  // One line per guard.
  [[nodiscard]] std::string text() const;
  int traverse(visitproc visit, void* arg) const;

  // ---- The end of a run ----

  // Calls `visit(name, value)` for the current value of everything that was read, until it
  // returns true.
  using Visit = std::function<bool(const std::string& name, PyObject* value)>;
  bool visit_values(const Visit& visit) const;
  // Sets the read elements of dicts, lists and cells to what they were.
  void restore() const;

 private:
  [[nodiscard]] bool is_new(PyObject* object, PyObject* part);
  [[nodiscard]] ClassGuard& guard_of_class(PyObject* type);

  template <class Function>
  bool all_of(const Function& function) const {
    return std::apply([&](const auto&... guards) { return (... && each_of(guards, function)); },
                      guards_);
  }
  template <class Guards, class Function>
  static bool each_of(const Guards& guards, const Function& function) {
    for (const auto& guard : guards) {
      if (!function(guard)) return false;
    }
    return true;
  }
  template <class Guard>
  [[nodiscard]] std::vector<Guard>& all() {
    return std::get<std::vector<Guard>>(guards_);
  }
  template <class Guard>
  [[nodiscard]] const std::vector<Guard>& all() const {
    return std::get<std::vector<Guard>>(guards_);
  }

  std::tuple<std::vector<KeyGuard>, std::vector<ContentGuard>, std::vector<CellGuard>,
             std::vector<ClassGuard>, std::vector<IdentityGuard>, std::vector<SlotGuard>,
             std::vector<BufferGuard>, std::vector<CallGuard>>
      guards_;
  std::unordered_map<PyObject*, size_t> dicts_;    // positions of KeyGuards
  std::unordered_map<PyObject*, size_t> classes_;  // positions of ClassGuards
  struct PairHash {
    size_t operator()(const std::pair<PyObject*, PyObject*>& pair) const noexcept {
      return std::hash<PyObject*>()(pair.first) * 31 + std::hash<PyObject*>()(pair.second);
    }
  };
  std::unordered_set<std::pair<PyObject*, PyObject*>, PairHash> seen_;
};

}  // namespace opwright::python
