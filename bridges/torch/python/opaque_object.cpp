#include "bridges/torch/python/opaque_object.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bridges/torch/python/handle_objects.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/reference.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

struct OpaqueObject : OpwObject {
  uint32_t count;  // atomic
  PyObject* object;
};

PyObject* inside(const OpwObject* object) {
  return static_cast<const OpaqueObject*>(object)->object;
}

void retain_opaque(OpwObject* object) {
  __atomic_fetch_add(&static_cast<OpaqueObject*>(object)->count, 1, __ATOMIC_RELAXED);
}

void release_opaque(OpwObject* object) {
  auto* self = static_cast<OpaqueObject*>(object);
  if (__atomic_fetch_sub(&self->count, 1, __ATOMIC_ACQ_REL) != 1) return;
  drop_reference(self->object);
  delete self;
}

int equal(const OpwObject* a, const OpwObject* b) {
  return a->table == b->table && inside(a) == inside(b) ? 1 : 0;
}

uint64_t hash(const OpwObject* object) { return reinterpret_cast<uintptr_t>(inside(object)) >> 4; }

size_t opaque_text(const OpwObject* object, char* buffer, size_t capacity) {
  const LockScope lock;
  const Reference string = Reference::take(PyObject_Repr(inside(object)));
  const char* characters = string ? PyUnicode_AsUTF8(string.get()) : nullptr;
  PyErr_Clear();
  const std::string_view shown = characters ? characters : "(an object)";
  if (capacity > 0) {
    const size_t written = std::min(shown.size(), capacity - 1);
    std::memcpy(buffer, shown.data(), written);
    buffer[written] = '\0';
  }
  return shown.size();
}

constexpr OpwObjectTable kOpaqueTable = {
    .struct_size = sizeof(OpwObjectTable),
    .type_name = "Generator",
    .retain = retain_opaque,
    .release = release_opaque,
    .equal = equal,
    .hash = hash,
    .text = opaque_text,
};

}  // namespace

OpwObject* make_opaque(PyObject* object) {
  return new OpaqueObject{{&kOpaqueTable}, 1, Py_NewRef(object)};
}

PyObject* object_of_opaque(const OpwObject* object) {
  if (object->table == &kOpaqueTable) return Py_NewRef(inside(object));
  if (std::strcmp(object->table->type_name, "Generator") == 0) return object_of_generator(object);
  if (is_autograd_function(object)) return object_of_function(const_cast<OpwObject*>(object));
  throw_error("TypeError", "an object of type ", object->table->type_name,
              " cannot be handed to torch");
}

}  // namespace opwright::torch_bridge
