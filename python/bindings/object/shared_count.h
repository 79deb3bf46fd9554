// The reference count that an object of the core shares with its Python object: the host bit counts
// for the Python object while the object of the core owns it.
//
// `word` is the count, a std::atomic or a std::atomic_ref. The GIL is held.
#pragma once

#include <atomic>
#include <cstdint>

#include <Python.h>

#include "bindings/interpreter/owned_walk.h"
#include "opwright/c_api.h"

namespace opwright::python {

// The dying Python object becomes owned by its object of the core and lives on. False if it held
// the last handle: then it dies.
template <class Word>
[[nodiscard]] bool leave_to_core(Word&& word, PyObject* object) noexcept {
  uint32_t count = word.load(std::memory_order_acquire);
  do {
    if (count == 1) return false;
  } while (!word.compare_exchange_weak(count, (count - 1) | kOpwCountHostBit,
                                       std::memory_order_acq_rel, std::memory_order_acquire));
  Py_SET_REFCNT(object, 1);
  if (!PyObject_GC_IsTracked(object)) PyObject_GC_Track(object);
  ++num_owned_objects;
  return true;
}

// The last handle of C++ is dropped: the count becomes the Python object's again. False if another
// handle was taken in between.
template <class Word>
[[nodiscard]] bool return_to_object(Word&& word) noexcept {
  uint32_t expected = kOpwCountHostBit | 1;
  if (!word.compare_exchange_strong(expected, 1, std::memory_order_acq_rel,
                                    std::memory_order_acquire))
    return false;
  --num_owned_objects;
  return true;
}

}  // namespace opwright::python
