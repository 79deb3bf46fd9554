#include "bindings/trace/dim.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "opwright/error.h"
#include "opwright/program/export/dim.h"
#include "opwright/runtime/program.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr const char* kDimDoc =
    "The range of an argument's size in other calls of an exported program.\n\n"
    "`Dim(name, min=, max=)` is a named size: the same wherever it is used. `2*batch` and\n"
    "`batch + 1` are derived from it. `Dim.AUTO` is dynamic as far as the function allows,\n"
    "`Dim.DYNAMIC` is dynamic, an error if the function specializes it; `Dim.STATIC` is fixed.\n"
    "\n"
    ">>> from opwright.export import Dim, export\n"
    ">>> batch = Dim(\"batch\", min=2, max=64)\n"
    ">>> 2*batch + 1\n"
    "2*batch + 1\n"
    ">>> program = export(lambda x: x + 1, (ow.ones(4, 3),), dynamic_shapes={\"x\": {0: batch}})\n"
    ">>> program.range_constraints\n"
    "{'batch': [2, 64]}\n";

using Bound = std::optional<int64_t>;

void check_bounds(const std::string& name, Bound min, Bound max) {
  OPWRIGHT_CHECK_VALUE(!min || *min >= 0, "Dim: '", name,
                       "' cannot be negative, got min=", min.value_or(0));
  OPWRIGHT_CHECK_VALUE(!max || *max >= min.value_or(0), "Dim: '", name,
                       "' has max=", max.value_or(0), ", which is less than min=", min.value_or(0));
}

Dim make_dim(std::string name, Bound min, Bound max) {
  const nb::object text = nb::cast(name);
  OPWRIGHT_CHECK_VALUE(PyUnicode_IsIdentifier(text.ptr()) == 1,
                       "Dim: the name must be one that Python admits, got '", name, "'");
  check_bounds(name, min, max);
  return Dim::named(std::move(name), min, max);
}

// Dim.DYNAMIC(min=2)
Dim with_bounds(const Dim& dim, Bound min, Bound max) {
  check_bounds(to_text(dim), min, max);
  if (dim.kind() == Dim::Kind::Auto) return Dim::automatic(min, max);
  if (dim.kind() == Dim::Kind::Static) return Dim::fixed(min, max);
  OPWRIGHT_CHECK_TYPE(dim.kind() == Dim::Kind::Dynamic,
                      "Dim: only Dim.AUTO, Dim.DYNAMIC and Dim.STATIC take bounds by a call, got ",
                      to_text(dim));
  return Dim::dynamic(min, max);
}

bool are_same_dims(const Dim& a, const Dim& b) {
  return a.kind() == b.kind() && a.name() == b.name() && a.min() == b.min() && a.max() == b.max() &&
         a.factor() == b.factor() && a.offset() == b.offset();
}

std::string dim_text(const Dim& dim) {
  if (dim.kind() != Dim::Kind::Named) return to_text(dim);
  const std::string definition = definition_text(dim);  // batch = Dim("batch")
  return definition.substr(definition.find(" = ") + 3);
}

}  // namespace

void bind_dim(nb::module_& m) {
  nb::class_<Dim> dim(m, "Dim", kDimDoc);
  dim.def(
         "__init__",
         [](Dim* self, std::string name, std::optional<int64_t> min, std::optional<int64_t> max) {
           new (self) Dim(make_dim(std::move(name), min, max));
         },
         nb::arg("name"), nb::kw_only(), nb::arg("min").none() = nb::none(),
         nb::arg("max").none() = nb::none())
      .def_prop_ro("name", &Dim::name, "The name; for a derived Dim that of its root.")
      .def_prop_ro("min", &Dim::min, "The lower bound, or None.")
      .def_prop_ro("max", &Dim::max, "The upper bound, or None.")
      .def("__call__", &with_bounds, nb::kw_only(), nb::arg("min").none() = nb::none(),
           nb::arg("max").none() = nb::none())
      .def("__mul__", &Dim::times, nb::arg("factor"), nb::is_operator())
      .def("__rmul__", &Dim::times, nb::arg("factor"), nb::is_operator())
      .def("__add__", &Dim::plus, nb::arg("offset"), nb::is_operator())
      .def("__radd__", &Dim::plus, nb::arg("offset"), nb::is_operator())
      .def(
          "__sub__", [](const Dim& self, int64_t offset) { return self.plus(-offset); },
          nb::arg("offset"), nb::is_operator())
      .def("__eq__", &are_same_dims, nb::is_operator())
      .def("__hash__", [](const Dim& self) { return std::hash<std::string>()(to_text(self)); })
      .def("__str__", [](const Dim& self) { return to_text(self); })
      .def("__repr__", &dim_text);
  dim.attr("AUTO") = nb::cast(Dim::automatic());
  dim.attr("DYNAMIC") = nb::cast(Dim::dynamic());
  dim.attr("STATIC") = nb::cast(Dim::fixed());
}

}  // namespace opwright::python
