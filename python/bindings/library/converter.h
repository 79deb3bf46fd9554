// Conversion rules registered from Python, by engine.
#pragma once

#include <cstdint>
#include <string>

#include <Python.h>

#include "opwright/dispatch/registry.h"

namespace opwright::python {

// `rule` is a function, in the form that the engine calls, or the text of a node, "domain::Name(x,
// y, alpha=alpha)". ValueError for an engine without rules from Python, or an unknown version;
// TypeError for any other rule.
[[nodiscard]] Registration implement_converter(const std::string& op, const std::string& engine,
                                               int64_t since_version, PyObject* rule);

}  // namespace opwright::python
