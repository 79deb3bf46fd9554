// What a Python object owns through C++, for the garbage collector.
//
// A tensor owns its history, a node the nodes and tensors behind it. The walk goes through
// everything with a single owner and ends at Python objects that a tensor or node owns. Anything
// with several owners counts as used from elsewhere.
#pragma once

#include <atomic>
#include <cstdint>

#include <Python.h>

#include "opwright/autograd/tape.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {

// The number of Python objects that are owned by their tensor or node; while it is 0, no walk is
// needed. Under the GIL.
extern int64_t num_owned_objects;

// Whether a count word means a single owner.
inline bool is_owned_once(uint32_t word) noexcept { return (word & ~kOpwCountHostBit) == 1; }

// Visits the Python objects reached from the history of `tensor` or from `node`, which the caller
// owns. Returns the result of tp_traverse.
int visit_owned_by(const TensorImpl& tensor, visitproc visit, void* arg);
int visit_owned_by(const TapeNode& node, visitproc visit, void* arg);

}  // namespace opwright::python
