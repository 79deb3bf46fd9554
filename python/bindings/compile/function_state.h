// FunctionState: the state that a function reads besides its arguments, as far as compiled
// functions find it before they run the function.
//
// Closure cells, defaults and globals that its code names; the same for functions that these hold,
// and for the forward passes of modules that they hold. Tensors among them become inputs of the
// graph. A module and its descendants are watched by their attribute epochs. ReadObserver finds the
// rest while the function runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/pytree/object_guard.h"
#include "opwright/value.h"

namespace opwright::python {

// Raised by every change of any module; returns the new number.
uint64_t raise_module_clock() noexcept;
uint64_t module_clock() noexcept;

[[nodiscard]] bool is_nn_module(PyObject* object);
// Whether globals are of a file of this package, which reads nothing that a program changes.
[[nodiscard]] bool is_package_globals(PyObject* globals);

// A module in the tree of a watched one.
struct WatchedModule {
  nanobind::object module;
  nanobind::object epoch;  // an int
  std::string path;        // "model.layers.0"
};

class FunctionState {
 public:
  // Everything that `function` reaches, as it is now. Tensors become inputs of the graph.
  void add_function(PyObject* function, GuardedTensors& tensors);
  // An argument or another object that the function can reach.
  void add_object(PyObject* object, const std::string& name, GuardedTensors& tensors);

  // A module that the function uses, found while it runs.
  void watch_module(PyObject* module, const std::string& path);
  // Whether a cell (`key` is null) or a key of a dict is guarded.
  [[nodiscard]] bool reads(PyObject* holder, PyObject* key) const;

  // Puts tensors into `values` at their positions.
  [[nodiscard]] bool check(OpwValue* values) const;
  // The guard that fails, with values; empty if all hold.
  [[nodiscard]] std::string find_difference(OpwValue* values) const;
  [[nodiscard]] std::string text() const;

  [[nodiscard]] const std::vector<WatchedModule>& modules() const noexcept { return modules_; }
  int traverse(visitproc visit, void* arg) const;

 private:
  // Where an object is read.
  struct Place {
    enum class Kind : uint8_t { Cell, Item, Defaults } kind;
    nanobind::object holder;  // a cell, a dict or a function
    nanobind::object key;     // of a dict
    ObjectGuard guard;
  };
  [[nodiscard]] static PyObject* read(const Place& place);  // borrowed; null if there is nothing
  void add_place(Place::Kind kind, PyObject* holder, PyObject* key, PyObject* value,
                 const std::string& name, GuardedTensors& tensors);
  void add_code(PyObject* code, PyObject* globals, GuardedTensors& tensors);
  void add_plain_function(PyObject* function, GuardedTensors& tensors);
  void add_module(PyObject* module, const std::string& path, GuardedTensors& tensors);
  void follow(PyObject* object, const std::string& name, GuardedTensors& tensors);
  [[nodiscard]] bool are_modules_unchanged() const;

  std::vector<Place> places_;
  std::vector<WatchedModule> modules_;
  std::unordered_set<PyObject*> followed_;
  mutable uint64_t checked_clock_ = 0;  // module_clock() when all epochs last matched
};

}  // namespace opwright::python
