// Graphs of the engine GE for Python: conversion, reading, prototypes, and executables.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_ge_graph(nanobind::module_& m);

}  // namespace opwright::python
