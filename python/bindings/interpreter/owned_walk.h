// What a Python object owns through C++, for the collector.
//
// A tensor owns its history, a node the nodes and tensors behind it. Whatever has one owner only
// is gone through; at the end stand Python objects that a tensor or node owns. What has several
// owners counts as used from elsewhere.
#pragma once

#include <atomic>
#include <cstdint>

#include <Python.h>

#include "opwright/autograd/tape.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {

// How many Python objects are owned by their tensor or node; while there are none, nothing needs
// to be gone through. Under the lock.
extern int64_t num_owned_objects;

// Whether a count word says that there is one owner.
inline bool is_owned_once(uint32_t word) noexcept { return (word & ~kOpwCountHostBit) == 1; }

// Visits the Python objects that are reached from the history of `tensor` or from `node`, which the
// caller owns. The result is that of tp_traverse.
int visit_owned_by(const TensorImpl& tensor, visitproc visit, void* arg);
int visit_owned_by(const TapeNode& node, visitproc visit, void* arg);

}  // namespace opwright::python
