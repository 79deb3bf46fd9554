// in_dims and out_dims of vmap: trees of dimensions, in which one entry applies to the entire
// subtree below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Python.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// Whether it is an int or None.
[[nodiscard]] bool is_batch_dim(PyObject* object) noexcept;
[[nodiscard]] std::optional<int64_t> batch_dim_of(PyObject* object);

// The dimension of each leaf of a tree. ValueError, with `what` ("in_dims") and `tree` ("inputs"),
// if the two have different structures.
[[nodiscard]] std::vector<std::optional<int64_t>> spread_batch_dims(PyObject* dims,
                                                                    const TreeSpec& spec,
                                                                    const std::string& what,
                                                                    const std::string& tree);

}  // namespace opwright::python
