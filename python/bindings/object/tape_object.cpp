#include "bindings/object/tape_object.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/owned_walk.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"
#include "bindings/object/shared_count.h"

namespace opwright::python {

PyTypeObject* tape_type = nullptr;

namespace {

constexpr int kMostFreeTapeObjects = 64;
TapeObject* free_tape_objects[kMostFreeTapeObjects];  // under the GIL
int num_free_tape_objects = 0;

TapeObject* allocate_tape_object() {
  if (num_free_tape_objects > 0) [[likely]] {
    TapeObject* self = free_tape_objects[--num_free_tape_objects];
#ifdef Py_TRACE_REFS
    _Py_NewReference(reinterpret_cast<PyObject*>(self));
#else
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);  // it kept its reference on the type
#endif
    return self;
  }
  TapeObject* self = PyObject_GC_New(TapeObject, tape_type);
  if (!self) throw_python_error();
  return self;
}

// Gives the object the class, whose layout is the same.
void set_tape_type(PyObject* object, PyTypeObject* type) noexcept {
  PyTypeObject* before = Py_TYPE(object);
  if (before == type) return;
  Py_INCREF(type);
  Py_SET_TYPE(object, type);
  Py_DECREF(before);
}

void free_tape_object(TapeObject* self) noexcept {
  set_tape_type(reinterpret_cast<PyObject*>(self), tape_type);
  if (num_free_tape_objects < kMostFreeTapeObjects) [[likely]] {
    free_tape_objects[num_free_tape_objects++] = self;
    return;
  }
  PyObject_GC_Del(self);
  Py_DECREF(tape_type);
}

bool must_keep_tape_identity(const TapeObject& self) noexcept {
  return self.weakrefs || self.hooks || self.metadata || self.function ||
         (self.dict && PyDict_GET_SIZE(self.dict) > 0);
}

// True if the dying object stays alive, owned by its node.
bool turn_tape_round(TapeObject& self) noexcept {
  if (!self.node || !must_keep_tape_identity(self)) return false;
  return leave_to_core(self.node->count_word(), reinterpret_cast<PyObject*>(&self));
}

// As for tensors: the count becomes the object's, then the node's reference to the object drops.
void last_tape_handle_dropped(TapeNode* node) {
  if (!holds_lock()) return queue_node(node);
  if (!return_to_object(node->count_word())) return node->release();
  Py_DECREF(static_cast<PyObject*>(node->mirror()));
}
constexpr TapeMirrorTable kTapeMirrorTable{.last_handle_dropped = &last_tape_handle_dropped};

int tape_clear(PyObject* object) {
  TapeObject& self = as_tape_object(object);
  Py_CLEAR(self.dict);
  Py_CLEAR(self.hooks);
  Py_CLEAR(self.metadata);
  Py_CLEAR(self.function);
  return 0;
}

void tape_dealloc(PyObject* object) {
  TapeObject& self = as_tape_object(object);
  if (turn_tape_round(self)) return;
  PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, tape_dealloc);
  if (self.weakrefs) PyObject_ClearWeakRefs(object);
  tape_clear(object);
  if (TapeNode* node = std::exchange(self.node, nullptr)) {
    node->set_mirror(nullptr);
    node->release();
  }
  free_tape_object(&self);
  Py_TRASHCAN_END;
}

// See tensor_traverse: objects that C++ also uses count as used.
int tape_traverse(PyObject* object, visitproc visit, void* arg) {
  const TapeObject& self = as_tape_object(object);
  Py_VISIT(Py_TYPE(object));
  if (!self.node || !is_owned_once(self.node->count_word().load(std::memory_order_acquire))) {
    return 0;
  }
  Py_VISIT(self.dict);
  Py_VISIT(self.hooks);
  Py_VISIT(self.metadata);
  Py_VISIT(self.function);
  return visit_owned_by(*self.node, visit, arg);
}

PyMemberDef tape_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TapeObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TapeObject, weakrefs), READONLY, nullptr},
    {}};

// The class of nodes of a name; made once for each name and never freed.
PyTypeObject* find_tape_class(const std::string& name) {
  static auto* const classes = new std::unordered_map<std::string, PyTypeObject*>;  // by the GIL
  if (const auto found = classes->find(name); found != classes->end()) return found->second;
  PyType_Slot slots[] = {{Py_tp_dealloc, as_slot(tape_dealloc)},
                         {Py_tp_traverse, as_slot(tape_traverse)},
                         {Py_tp_clear, as_slot(tape_clear)},
                         {0, nullptr}};
  const std::string full_name = "opwright." + name;
  PyType_Spec spec = {full_name.c_str(), sizeof(TapeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* made = require(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(tape_type)));
  return (*classes)[name] = reinterpret_cast<PyTypeObject*>(made);
}

constexpr char kTapeDoc[] =
    "A node of the tape: how a value was computed, and the `ctx` of a backward formula.\n\n"
    ">>> import opwright as ow\n"
    ">>> x = ow.ones(2, requires_grad=True)\n"
    ">>> (x * 2).grad_fn\n"
    "<MulBackward0>\n";

}  // namespace

PyObject* wrap_node(TapeNodePtr node) {
  if (auto* object = static_cast<PyObject*>(node->mirror())) {
    std::atomic<uint32_t>& word = node->count_word();
    if (word.load(std::memory_order_acquire) & kOpwCountHostBit) {
      // Our count becomes the object's, the node's reference becomes the caller's.
      word.fetch_and(~kOpwCountHostBit, std::memory_order_acq_rel);
      --num_owned_objects;
      (void)node.give();
      return object;
    }
    return Py_NewRef(object);
  }
  TapeObject* self = allocate_tape_object();
  self->dict = self->weakrefs = self->hooks = self->metadata = self->function = nullptr;
  node->set_mirror(self);
  self->node = node.give();
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap_named_node(TapeNodePtr node) {
  PyObject* object = wrap_node(std::move(node));
  if (Py_TYPE(object) == tape_type) {
    set_tape_type(object, find_tape_class(as_tape_object(object).node->backward_name()));
  }
  return object;
}

PyObject* wrap_borrowed_node(TapeNode* node) {
  const bool is_live =
      node->mirror() && !(node->count_word().load(std::memory_order_acquire) & kOpwCountHostBit);
  if (is_live) return Py_NewRef(static_cast<PyObject*>(node->mirror()));
  return wrap_node(TapeNodePtr::share(node));
}

void add_tape_type(PyObject* module) {
  set_tape_mirror_table(kTapeMirrorTable);
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(kTapeDoc)},
                         {Py_tp_dealloc, as_slot(tape_dealloc)},
                         {Py_tp_traverse, as_slot(tape_traverse)},
                         {Py_tp_clear, as_slot(tape_clear)},
                         {Py_tp_repr, as_slot(tape_text)},
                         {Py_tp_call, as_slot(call_tape_node)},
                         {Py_tp_members, tape_members},
                         {Py_tp_methods, tape_methods},
                         {Py_tp_getset, tape_properties},
                         {0, nullptr}};
  PyType_Spec spec = {"opwright.TapeNode", sizeof(TapeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  tape_type = add_type(module, spec);
}

}  // namespace opwright::python
