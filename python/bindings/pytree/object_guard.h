// ObjectGuard: what a Python object must be for a captured graph to be valid for a call.
//
// Tensors are inputs of the graph, which has its own guards for them; numbers, strings, None,
// dtypes and devices are compared by value; anything else must be the same object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/tensor_object.h"
#include "bindings/pytree/tree_spec.h"
#include "opwright/value.h"

namespace opwright::python {

// Whether an object is immutable and fully described by its value: a number, a string, None, a
// dtype, a device.
[[nodiscard]] bool is_compared_by_value(PyObject* object);
// Whether `now` is `held` itself, or of the same class and of equal value: floats by their bits,
// tuples by their elements. Runs no Python code of a user.
[[nodiscard]] bool is_same_value(PyObject* now, PyObject* held);
// Whether an object is compared by value, or a tuple of such objects: a key that runs no code of a
// user when a dict is searched for it.
[[nodiscard]] bool is_plain_value(PyObject* object);
// Whether an object is a container of a pytree: a list, a dict, an instance of a registered class.
[[nodiscard]] bool is_tree_node(PyObject* object);
// The repr of an object, shortened.
[[nodiscard]] std::string value_text(PyObject* object);
// The text of a key of a container: its value, or its class. Runs no code of a user.
[[nodiscard]] std::string key_text(PyObject* key);

// The tensors of a call at the start of a capture, each once.
class GuardedTensors {
 public:
  struct One {
    Tensor tensor;
    std::string name;
  };
  // The position of a tensor; a new one is appended.
  uint32_t place_of(PyObject* tensor, const std::string& name, bool& is_new);

  [[nodiscard]] const std::vector<One>& all() const noexcept { return all_; }
  // An object whose data a graph can neither take nor watch: "the argument a is a numpy.ndarray".
  void note_unfit(std::string text) { unfit_ = std::move(text); }
  [[nodiscard]] const std::string& unfit() const noexcept { return unfit_; }

 private:
  std::vector<One> all_;
  std::string unfit_;
};

class ObjectGuard {
 public:
  // Which containers are traversed; others must be the same object.
  enum class Look : uint8_t { All, Tuples };
  // The object as it is now. New tensors get the next positions. `name` is its name in messages.
  ObjectGuard(PyObject* object, const std::string& name, GuardedTensors& tensors,
              Look look = Look::All);

  // Puts tensors into `values` at their positions. May run Python if the object is a container or
  // has its own comparison; no exception is left.
  [[nodiscard]] bool check(PyObject* object, OpwValue* values) const {
    if (kind_ == Kind::Tensor) [[likely]] {
      if (Py_TYPE(object) != type_) return false;
      values[place_].tag = kOpwTensor;
      values[place_].length = 0;
      values[place_].as_tensor = tensor_of(object);
      return true;
    }
    if (object == object_ && kind_ != Kind::Tree) return true;
    return kind_ != Kind::Same && check_slow(object, values);
  }
  // "factor is 3, it was 2"; `values` has the results of earlier checks.
  [[nodiscard]] std::string describe_difference(PyObject* object) const;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // "factor == 2"; empty for a tensor, which has its own guards.
  [[nodiscard]] std::string text() const;
  int traverse(visitproc visit, void* arg) const;

 private:
  enum class Kind : uint8_t {
    Tensor,  // of exactly this class, at its own position
    Repeat,  // the tensor of an earlier position
    Same,    // this object
    Equal,   // of exactly this class, and equal
    Class,   // of exactly this class: calls run eagerly
    Tree,    // a container with this structure
  };
  [[nodiscard]] bool check_slow(PyObject* object, OpwValue* values) const;
  [[nodiscard]] bool check_tree(PyObject* object, OpwValue* values) const;

  Kind kind_ = Kind::Same;
  uint32_t place_ = 0;
  PyTypeObject* type_ = nullptr;  // kept alive by object_ or, for a tensor, by keep_
  PyObject* object_ = nullptr;    // kept alive by keep_
  nanobind::object keep_;
  struct Tree {
    TreeSpec spec;
    std::vector<ObjectGuard> leaves;
  };
  std::unique_ptr<Tree> tree_;
  std::string name_;
};

}  // namespace opwright::python
