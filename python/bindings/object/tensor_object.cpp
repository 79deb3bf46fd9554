#include "bindings/object/tensor_object.h"

#include <atomic>
#include <utility>

#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/owned_walk.h"
#include "bindings/object/shared_count.h"
#include "bindings/object/tensor_slots.h"

namespace opwright::python {

PyTypeObject* tensor_type = nullptr;

namespace {

// ---- Free list: objects of exactly Tensor, with their memory and garbage-collector header ----

constexpr int kMostFreeTensorObjects = 128;
TensorObject* free_tensor_objects[kMostFreeTensorObjects];  // under the GIL
int num_free_tensor_objects = 0;

TensorObject* allocate_tensor_object() noexcept {
  if (num_free_tensor_objects > 0) [[likely]] {
    TensorObject* self = free_tensor_objects[--num_free_tensor_objects];
#ifdef Py_TRACE_REFS
    _Py_NewReference(reinterpret_cast<PyObject*>(self));
#else
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);  // it kept its reference on the type
#endif
    return self;
  }
  return PyObject_GC_New(TensorObject, tensor_type);
}

void free_tensor_object(TensorObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  if (type == tensor_type && num_free_tensor_objects < kMostFreeTensorObjects) [[likely]] {
    free_tensor_objects[num_free_tensor_objects++] = self;
    return;
  }
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// ---- Ownership ----

bool must_keep_tensor_identity(const TensorObject* self) noexcept {
  return Py_TYPE(self) != tensor_type || self->weakrefs ||
         (self->dict && PyDict_GET_SIZE(self->dict) > 0);
}

// True if the dying object stays alive, owned by its tensor.
bool turn_tensor_round(TensorObject* self) noexcept {
  TensorImpl* tensor = self->tensor;
  if (!tensor || !must_keep_tensor_identity(self)) return false;
  return leave_to_core(std::atomic_ref(tensor->count), reinterpret_cast<PyObject*>(self));
}

// The last C++ handle of a tensor that owns its object is dropped: its count becomes the object's,
// then the tensor's reference to the object drops. Without the GIL the count waits in the queue.
void last_tensor_handle_dropped(TensorImpl* tensor) {
  if (!holds_lock()) return queue_count(tensor);
  if (!return_to_object(std::atomic_ref(tensor->count))) return release_tensor(tensor);
  Py_DECREF(static_cast<PyObject*>(tensor->mirror));
}
constexpr MirrorTable kTensorMirrorTable{.last_handle_dropped = &last_tensor_handle_dropped};

// ---- Lifetime ----

// Calls `use(PyObject*&)` for the value of each `__slots__` entry of subclasses; stops at the first
// that returns something other than 0.
template <class Use>
int for_each_slot(PyObject* object, const Use& use) {
  for (PyTypeObject* type = Py_TYPE(object); type != tensor_type; type = type->tp_base) {
    auto* member =
        reinterpret_cast<PyMemberDef*>(reinterpret_cast<char*>(type) + Py_TYPE(type)->tp_basicsize);
    for (Py_ssize_t left = Py_SIZE(type); left > 0; --left, ++member) {
      if (member->type != T_OBJECT_EX || (member->flags & READONLY)) continue;
      auto** slot = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + member->offset);
      if (const int stop = use(*slot)) return stop;
    }
  }
  return 0;
}

void clear_slots(PyObject* object) noexcept {
  for_each_slot(object, [](PyObject*& slot) {
    Py_CLEAR(slot);
    return 0;
  });
}

void tensor_dealloc(PyObject* object);

void dealloc_with_extras(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (turn_tensor_round(self)) return;
  if (Py_TYPE(object)->tp_finalize) {
    if (PyObject_CallFinalizerFromDealloc(object) < 0) return;  // resurrected by __del__
    if (turn_tensor_round(self)) return;                        // __del__ passed its tensor to C++
  }
  PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, tensor_dealloc);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  clear_slots(object);
  Py_CLEAR(self->dict);
  if (TensorImpl* tensor = std::exchange(self->tensor, nullptr)) {
    tensor->mirror = nullptr;
    release_tensor(tensor);
  }
  free_tensor_object(self);
  Py_TRASHCAN_END;
}

void tensor_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (Py_TYPE(object) != tensor_type || self->dict || self->weakrefs || !self->tensor)
      [[unlikely]] {
    return dealloc_with_extras(object);
  }
  PyObject_GC_UnTrack(object);
  TensorImpl* tensor = self->tensor;
  tensor->mirror = nullptr;
  free_tensor_object(self);
  release_tensor(tensor);
}

// While C++ also holds the tensor, or holds it several times, its object counts as used: its
// referents are not visited, so the garbage collector treats them as reachable from outside.
//
// The collector calls this twice and breaks live objects if the second call sees less than the
// first. So a count may not rise from 1 without the GIL: see HoldCallsScope.
int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  Py_VISIT(Py_TYPE(object));
  const TensorImpl* tensor = self->tensor;
  if (tensor && !is_owned_once(__atomic_load_n(&tensor->count, __ATOMIC_ACQUIRE))) return 0;
  Py_VISIT(self->dict);
  const int stop = for_each_slot(object, [&](PyObject*& slot) {
    Py_VISIT(slot);
    return 0;
  });
  return stop || !tensor ? stop : visit_owned_by(*tensor, visit, arg);
}

int tensor_clear(PyObject* object) {
  clear_slots(object);
  Py_CLEAR(reinterpret_cast<TensorObject*>(object)->dict);
  return 0;
}

PyMemberDef tensor_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weakrefs), READONLY, nullptr},
    {}};

// PyTorch calls these methods for operators on an instance. Operators do not, so a class with one
// would silently compute something else.
void require_no_hooks(PyTypeObject* type) {
  for (const char* hook : {"__torch_function__", "__torch_dispatch__"}) {
    const bool has_hook = PyObject_HasAttrString(reinterpret_cast<PyObject*>(type), hook) != 0;
    OPWRIGHT_CHECK_KIND("NotImplementedError", !has_hook, type->tp_name, " is a Tensor and has ",
                        hook,
                        ", which operators do not call; write a class that holds a tensor, or "
                        "observe the calls with a TorchDispatchMode");
  }
}

}  // namespace

PyObject* wrap_new(TensorImpl* tensor) noexcept {
  TensorObject* self = allocate_tensor_object();
  if (!self) [[unlikely]]
    return release_tensor(tensor), nullptr;
  self->tensor = tensor;
  self->dict = nullptr;
  self->weakrefs = nullptr;
  tensor->mirror = self;
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap_mirrored(TensorImpl* tensor) noexcept {
  auto* object = static_cast<PyObject*>(tensor->mirror);
  if (__atomic_load_n(&tensor->count, __ATOMIC_ACQUIRE) & kOpwCountHostBit) {
    // The caller's count becomes the object's, the tensor's reference becomes the caller's.
    __atomic_fetch_and(&tensor->count, ~kOpwCountHostBit, __ATOMIC_ACQ_REL);
    --num_owned_objects;
    return object;
  }
  Py_INCREF(object);
  release_tensor(tensor);
  return object;
}

PyObject* make_instance(PyTypeObject* type, Tensor tensor) {
  if (type == tensor_type) return require(wrap(std::move(tensor)));
  require_no_hooks(type);
  TensorImpl& body = impl(tensor);
  OPWRIGHT_CHECK_VALUE(!body.mirror, "the tensor has a Python object already; clone it first");
  // Every instance of a subclass is created here, so here its type gets our functions instead of
  // CPython's. Those would run __del__ and clear __slots__ before the object could be kept, and
  // show the garbage collector objects that C++ still uses.
  type->tp_dealloc = tensor_dealloc;
  type->tp_traverse = tensor_traverse;
  type->tp_clear = tensor_clear;
  PyObject* object = require(type->tp_alloc(type, 0));
  reinterpret_cast<TensorObject*>(object)->tensor = &body;
  body.mirror = object;
  (void)tensor.give();
  return object;
}

void add_tensor_type(PyObject* module) {
  set_mirror_table(kTensorMirrorTable);
  std::vector<PyType_Slot> slots = tensor_slots();
  const PyType_Slot life[] = {{Py_tp_dealloc, reinterpret_cast<void*>(tensor_dealloc)},
                              {Py_tp_traverse, reinterpret_cast<void*>(tensor_traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(tensor_clear)},
                              {Py_tp_members, tensor_members},
                              {0, nullptr}};
  slots.insert(slots.end(), std::begin(life), std::end(life));
  PyType_Spec spec = {"opwright.Tensor", sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(require(PyType_FromSpec(&spec)));
  require_no_error(
      PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)));
}

}  // namespace opwright::python
