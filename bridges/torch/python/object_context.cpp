#include "bridges/torch/python/object_context.h"

#include <cstddef>
#include <cstdint>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/object_tensor.h"
#include "bridges/torch/python/object_values.h"
#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

ObjectContext& context_of(OpwContext* context) { return *static_cast<ObjectContext*>(context); }

// ---- Attributes: owned values in capsules, so that they keep their tags ----

constexpr char kValueCapsule[] = "opwright.value";

void free_value(PyObject* capsule) {
  auto* value = static_cast<OpwValue*>(PyCapsule_GetPointer(capsule, kValueCapsule));
  release_value(*value);
  delete value;
}

Reference attributes_of(PyObject* ctx) {
  Reference attributes = Reference::take(PyObject_GetAttrString(ctx, "opwright_attributes"));
  if (attributes) return attributes;
  PyErr_Clear();
  attributes = require_new(PyDict_New());
  require_no_error(PyObject_SetAttrString(ctx, "opwright_attributes", attributes.get()));
  return attributes;
}

int set_attribute(OpwContext* context, const char* name, const OpwValue* value) {
  return status_of([&] {
    const LockScope lock;
    const Reference attributes = attributes_of(context_of(context).ctx);
    auto* copy = new OpwValue(copy_value(*value));
    const Reference capsule = require_new(PyCapsule_New(copy, kValueCapsule, free_value));
    require_no_error(PyDict_SetItemString(attributes.get(), name, capsule.get()));
  });
}

const OpwValue* find_attribute(ObjectContext& self, const char* name) {
  const Reference attributes =
      Reference::take(PyObject_GetAttrString(self.ctx, "opwright_attributes"));
  PyErr_Clear();
  PyObject* capsule = attributes ? PyDict_GetItemString(attributes.get(), name) : nullptr;
  if (!capsule) return nullptr;
  return static_cast<const OpwValue*>(PyCapsule_GetPointer(capsule, kValueCapsule));
}

// ---- Arguments ----

Reference item_of(PyObject* ctx, const char* attribute, uint32_t index) {
  const Reference tuple = require_new(PyObject_GetAttrString(ctx, attribute));
  return require_new(PySequence_GetItem(tuple.get(), static_cast<Py_ssize_t>(index)));
}

const OpwValue* read_argument(ObjectContext& self, uint32_t index) {
  if (index >= self.op.arguments.size())
    throw_error("IndexError", self.op.name, " has no argument ", index);
  PyObject* object = self.frame.keep(item_of(self.ctx, "opwright_arguments", index));
  ValueType type = self.op.arguments[index].type;
  type.is_optional = true;  // tensors are not kept
  return &self.values.emplace_back(lend_object(object, type, self.frame));
}

int argument(OpwContext* context, uint32_t index, const OpwValue** value) {
  return status_of([&] {
    const LockScope lock;
    *value = read_argument(context_of(context), index);
  });
}

int attribute(OpwContext* context, const char* name, const OpwValue** value) {
  return status_of([&] {
    const LockScope lock;
    ObjectContext& self = context_of(context);
    *value = find_attribute(self, name);
    if (*value) return;
    for (uint32_t i = 0; i < self.op.arguments.size(); ++i) {
      if (self.op.arguments[i].name == name) {
        *value = read_argument(self, i);
        return;
      }
    }
    throw_error("AttributeError", "the context of ", self.op.name, " has no attribute '", name,
                "'; it keeps the arguments that are not tensors, and what set_attribute kept");
  });
}

int needs_gradient_of(OpwContext* context, uint32_t index, int* result) {
  return status_of([&] {
    const LockScope lock;
    const Reference flag = item_of(context_of(context).ctx, "opwright_needs", index);
    *result = PyObject_IsTrue(flag.get());
    require_no_error(*result);
  });
}

// ---- Tensors ----

Reference tuple_of(OpwTensor* const* tensors, uint32_t count) {
  Reference tuple = require_new(PyTuple_New(count));
  for (uint32_t i = 0; i < count; ++i) {
    PyObject* object = tensors[i] ? object_of_tensor(tensors[i]) : Py_NewRef(Py_None);
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object);
  }
  return tuple;
}

void call_with_tensors(OpwContext* context, const char* method, OpwTensor* const* tensors,
                       uint32_t count) {
  const Reference bound = require_new(PyObject_GetAttrString(context_of(context).ctx, method));
  const Reference arguments = tuple_of(tensors, count);
  (void)require_new(PyObject_CallObject(bound.get(), arguments.get()));
}

int save(OpwContext* context, OpwTensor* const* tensors, uint32_t count) {
  return status_of([&] {
    const LockScope lock;
    call_with_tensors(context, "save_for_backward", tensors, count);
  });
}

int mark_non_differentiable(OpwContext* context, OpwTensor* const* tensors, uint32_t count) {
  return status_of([&] {
    const LockScope lock;
    call_with_tensors(context, "mark_non_differentiable", tensors, count);
  });
}

int saved(OpwContext* context, uint32_t index, OpwTensor** tensor) {
  return status_of([&] {
    const LockScope lock;
    ObjectContext& self = context_of(context);
    if (!self.saved_tensors)
      self.saved_tensors = require_new(PyObject_GetAttrString(self.ctx, "saved_tensors"));
    const Py_ssize_t count = PySequence_Size(self.saved_tensors.get());
    if (static_cast<Py_ssize_t>(index) >= count) {
      throw_error("IndexError", "the backward of ", self.op.name, " requested saved tensor ", index,
                  ", but ", static_cast<int64_t>(count), " were saved");
    }
    Reference object =
        require_new(PySequence_GetItem(self.saved_tensors.get(), static_cast<Py_ssize_t>(index)));
    *tensor = object.get() == Py_None ? nullptr : own_object(std::move(object));
  });
}

int set_materialize(OpwContext* context, int on) {
  return status_of([&] {
    const LockScope lock;
    (void)require_new(PyObject_CallMethod(context_of(context).ctx, "set_materialize_grads", "O",
                                          on ? Py_True : Py_False));
  });
}

constexpr OpwContextTable kContextTable = {
    .struct_size = sizeof(OpwContextTable),
    .save = save,
    .saved = saved,
    .attribute = attribute,
    .set_attribute = set_attribute,
    .needs_gradient = needs_gradient_of,
    .set_materialize = set_materialize,
    .mark_non_differentiable = mark_non_differentiable,
    .argument = argument,
};

constexpr OpwObjectTable kContextObjectTable = {
    .struct_size = sizeof(OpwObjectTable),
    .type_name = "AutogradContext",
    .retain = [](OpwObject* /*object*/) {},
    .release = [](OpwObject* /*object*/) {},
    .equal = [](const OpwObject* a, const OpwObject* b) { return a == b ? 1 : 0; },
    .hash = [](const OpwObject* object) { return reinterpret_cast<uint64_t>(object); },
    .text = [](const OpwObject* /*object*/, char* buffer, size_t capacity) -> size_t {
      if (capacity > 0) buffer[0] = '\0';
      return 0;
    },
};

}  // namespace

ObjectContext::ObjectContext(PyObject* torch_ctx, const OperatorDescription& operator_description)
    : OpwContext{&kContextObjectTable, &kContextTable}, ctx(torch_ctx), op(operator_description) {}

}  // namespace opwright::torch_bridge
