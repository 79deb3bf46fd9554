// How Python arguments become values: planned once per operator from its schema.
//
// The plan handles the usual objects: exactly the type that the schema names, by position or by
// keyword, in one loop without allocation. Everything else is left to the binder of the schema
// layer (schema/bind.h), which knows every conversion and every error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Python.h>

#include "bindings/object/tensor_object.h"
#include "opwright/dispatch/operator.h"

namespace opwright::python {

// The caller's arguments, in the form of vectorcall.
struct GivenArguments {
  PyObject* const* objects;
  size_t num_positional;
  PyObject* names;  // a tuple, or null

  [[nodiscard]] size_t num_keywords() const {
    return names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  }
};

// Memory for unpacked lists, on the caller's stack.
struct PlanMemory {
  static constexpr size_t kWords = 32;
  size_t used = 0;
  int64_t words[kWords];  // not initialized

  // Null when there is no room: the binder has its own memory.
  int64_t* allocate(size_t count) {
    if (count > kWords - used) return nullptr;
    int64_t* memory = words + used;
    used += count;
    return memory;
  }
};

class BindingPlan {
 public:
  // The plan of an operator, kept permanently.
  static const BindingPlan& of(const Operator& op);

  [[nodiscard]] const Operator& op() const { return op_; }
  [[nodiscard]] uint32_t num_args() const { return num_args_; }
  [[nodiscard]] uint32_t num_results() const { return num_results_; }
  [[nodiscard]] bool is_blocking() const { return is_blocking_; }
  // Whether the only result is a tuple, which has the form of a list.
  [[nodiscard]] bool gives_tuple() const { return gives_tuple_; }
  // Whether the schema accepts a list of ints at `index`: zeros(2, 3).
  [[nodiscard]] bool takes_ints_at(size_t index) const {
    return index < num_args_ && index + 1 == num_positional_ && args_[index].kind == Kind::Ints;
  }

  // Whether the argument at `index` is a list of ints.
  [[nodiscard]] bool is_int_list(size_t index) const {
    return index < num_args_ && args_[index].kind == Kind::Ints;
  }
  // The same for a list of tensors that is the only positional argument: broadcast_tensors(x, y).
  [[nodiscard]] bool takes_only_tensors() const {
    return num_positional_ == 1 && args_[0].kind == Kind::Tensors;
  }
  // Whether the argument at `index` is a tensor, or a number.
  [[nodiscard]] bool takes_tensor_at(size_t index) const {
    return index < num_args_ && args_[index].kind == Kind::Tensor;
  }
  [[nodiscard]] bool takes_scalar_at(size_t index) const {
    return index < num_args_ && args_[index].kind == Kind::Scalar;
  }
  [[nodiscard]] bool takes_number_at(size_t index) const {
    return takes_scalar_at(index) || (index < num_args_ && (args_[index].kind == Kind::Float ||
                                                            args_[index].kind == Kind::Int));
  }
  [[nodiscard]] bool takes_dtype_at(size_t index) const {
    return index < num_args_ && args_[index].kind == Kind::Dtype;
  }
  // The index of the argument of this name; num_args() if there is none.
  [[nodiscard]] uint32_t find_name(PyObject* name) const;

  // Fills `values` (room for num_args). False: use the binder; nothing is raised.
  bool bind(const GivenArguments& given, OpwValue* values, PlanMemory& memory) const {
    // Copies: the compiler cannot know that `values` does not alias them.
    const uint32_t count = num_args_;
    if (!given.names && given.num_positional == count && count == num_positional_) [[likely]] {
      const Planned* args = args_.data();
      PyObject* const* objects = given.objects;
      PyTypeObject* const type = tensor_type;
      for (uint32_t i = 0; i < count; ++i) {
        if (!convert(args[i], objects[i], type, values[i], memory)) [[unlikely]]
          return false;
      }
      return true;
    }
    return bind_some(given, values, memory);
  }

 private:
  enum class Kind : uint8_t {
    Tensor,
    Float,
    Int,
    Bool,
    Scalar,
    String,
    Dtype,
    Device,
    Ints,
    Tensors,
    Other
  };
  struct Planned {
    Kind kind;
    bool is_optional;
    bool has_default;
    uint32_t tag;
    uint32_t fixed_length;   // 0: any
    OpwValue default_value;  // borrowed from the schema
    PyObject* name;          // interned, immortal
  };

  explicit BindingPlan(const Operator& op);

  // The most common kinds first.
  [[gnu::always_inline]] static bool convert(const Planned& arg, PyObject* object,
                                             PyTypeObject* type, OpwValue& value,
                                             PlanMemory& memory) {
    if (arg.kind == Kind::Tensor && Py_TYPE(object) == type) [[likely]] {
      value.tag = kOpwTensor;
      value.length = 0;
      value.as_tensor = tensor_of(object);
      return true;
    }
    if (arg.kind == Kind::Float && PyFloat_CheckExact(object)) [[likely]] {
      value.tag = kOpwFloat;
      value.length = 0;
      value.as_double = PyFloat_AS_DOUBLE(object);
      return true;
    }
    return convert_other(arg, object, value, memory);
  }
  static bool convert_other(const Planned& arg, PyObject* object, OpwValue& value,
                            PlanMemory& memory);
  static bool convert_ints(const Planned& arg, PyObject* object, OpwValue& value,
                           PlanMemory& memory);
  static bool convert_tensors(PyObject* object, OpwValue& value, PlanMemory& memory);
  bool bind_some(const GivenArguments& given, OpwValue* values, PlanMemory& memory) const;

  const Operator& op_;
  uint32_t num_args_;
  uint32_t num_positional_;
  uint32_t num_results_;
  bool is_blocking_;
  bool gives_tuple_;
  std::vector<Planned> args_;
};

}  // namespace opwright::python
