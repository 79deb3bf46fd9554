#include "bindings/compile/created_objects.h"

#include <cstddef>

#include <nanobind/nanobind.h>

#include "bindings/object/method.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The lengths of Python's free lists of lists and dicts.
constexpr int kFreeListLength = 80;

thread_local CreatedObjects* active_objects = nullptr;

PyMemAllocatorEx previous_allocator;
int num_active = 0;  // under the GIL

// The start of the memory of an object, which may have headers before it.
void* block_of(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  size_t header = PyType_IS_GC(type) ? 2 * sizeof(void*) : 0;
#ifdef Py_TPFLAGS_PREHEADER
  constexpr unsigned long kWithHeader = Py_TPFLAGS_PREHEADER;
#else
  constexpr unsigned long kWithHeader = Py_TPFLAGS_MANAGED_DICT;
#endif
  if (PyType_HasFeature(type, kWithHeader)) header += 2 * sizeof(void*);
  return reinterpret_cast<char*>(object) - header;
}

}  // namespace

// Python's object allocator with notes. The GIL is held in all of them.
struct AllocatorHook {
  static void* note(void* block) {
    if (active_objects && block) active_objects->note(block);
    return block;
  }
  static void* malloc(void* /*context*/, size_t size) {
    return note(previous_allocator.malloc(previous_allocator.ctx, size));
  }
  static void* calloc(void* /*context*/, size_t count, size_t size) {
    return note(previous_allocator.calloc(previous_allocator.ctx, count, size));
  }
  static void* realloc(void* /*context*/, void* block, size_t size) {
    const bool was_noted = active_objects && active_objects->blocks_.contains(block);
    void* moved = previous_allocator.realloc(previous_allocator.ctx, block, size);
    if (moved && was_noted) {
      active_objects->forget(block);
      active_objects->blocks_.insert(moved);
    }
    return moved;
  }
  static void free(void* /*context*/, void* block) {
    if (active_objects) active_objects->forget(block);
    previous_allocator.free(previous_allocator.ctx, block);
  }

  static void install() {
    if (num_active++ != 0) return;
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &previous_allocator);
    PyMemAllocatorEx hook{nullptr, &malloc, &calloc, &realloc, &free};
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &hook);
  }
  static void remove() {
    if (--num_active == 0) PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &previous_allocator);
  }
};

CreatedObjects::CreatedObjects() {
  for (int i = 0; i < kFreeListLength; ++i) {
    drained_.push_back(own(PyList_New(0)));
    drained_.push_back(own(PyDict_New()));
  }
  AllocatorHook::install();
  active_objects = this;
  is_paused_ = false;
}

CreatedObjects::~CreatedObjects() { stop(); }

void CreatedObjects::stop() noexcept {
  if (!is_active_) return;
  is_active_ = false;
  active_objects = nullptr;
  AllocatorHook::remove();
}

void CreatedObjects::resume() {
  if (is_active_) return;
  AllocatorHook::install();
  active_objects = this;
  is_active_ = true;
}

void CreatedObjects::note(void* block) {
  if (!is_paused_) blocks_.insert(block);
}

bool CreatedObjects::contains(PyObject* object) const { return blocks_.contains(block_of(object)); }

void CreatedObjects::add(PyObject* object) { blocks_.insert(block_of(object)); }

void CreatedObjects::remove(PyObject* object) { blocks_.erase(block_of(object)); }

}  // namespace opwright::python
