// Rules of foreign graphs that Python registers, by engine.
#pragma once

#include <cstdint>
#include <string>

#include <Python.h>

#include "opwright/dispatch/registry.h"

namespace opwright::python {

// `rule` is a function, of the form that the engine calls, or the text of a node,
// "domain::Name(x, y, alpha=alpha)". ValueError for an engine that has no rules from Python, or a
// version that it does not have; TypeError for a rule that is neither.
[[nodiscard]] Registration implement_converter(const std::string& op, const std::string& engine,
                                               int64_t since_version, PyObject* rule);

}  // namespace opwright::python
