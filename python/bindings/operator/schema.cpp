#include "bindings/operator/schema.h"

#include <functional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/value.h"
#include "opwright/dispatch/registry.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// "(a!)", or empty.
template <class Part>
std::string alias_text(const Part& part) {
  if (!part.alias.is_marked()) return "";
  const std::string whole = to_text(part);
  const size_t open = whole.find('(');
  return open == std::string::npos ? "" : whole.substr(open, whole.find(')', open) - open + 1);
}

nb::object default_of(const Argument& argument) {
  return nb::steal(argument.default_value ? require(to_python(argument.default_value->get()))
                                          : Py_NewRef(Py_None));
}

// Null without a mark, as in PyTorch.
template <class Part>
std::optional<AliasInfo> alias_info(const Part& part) {
  const AliasInfo& info =
      part.alias.is_marked() || part.alias.elements.empty() ? part.alias : part.alias.element(0);
  return info.is_marked() ? std::optional(info) : std::nullopt;
}

nb::set set_of(const std::vector<std::string>& names) {
  nb::set sets;
  for (const std::string& name : names) sets.add(nb::cast(name));
  return sets;
}

void bind_alias_info(nb::module_& m) {
  nb::class_<AliasInfo>(m, "AliasInfo", "The alias mark of an argument or a result.")
      .def_ro("is_write", &AliasInfo::is_write)
      .def_prop_ro("before_set", [](const AliasInfo& self) { return set_of(self.before); })
      .def_prop_ro("after_set", [](const AliasInfo& self) { return set_of(self.after); });
}

void bind_argument(nb::module_& m) {
  nb::class_<Argument>(m, "Argument", "An argument of a schema.")
      .def_ro("name", &Argument::name)
      .def_prop_ro(
          "type", [](const Argument& self) { return to_text(self.type); },
          "As the schema writes it, e.g. 'int[2]?'.")
      .def_ro("kwarg_only", &Argument::is_keyword_only)
      .def_prop_ro("has_default",
                   [](const Argument& self) { return self.default_value.has_value(); })
      .def_prop_ro("default", &default_of)
      .def_prop_ro("default_value", &default_of, "The default under PyTorch's name.")
      .def_prop_ro("is_write", &Argument::is_written, "Whether the operator writes to it.")
      .def_prop_ro("alias", &alias_text<Argument>, "The alias mark, e.g. '(a!)', or ''.")
      .def_prop_ro("alias_info", &alias_info<Argument>, "The alias mark as PyTorch shows it.")
      .def("has_default_value", [](const Argument& self) { return self.default_value.has_value(); })
      .def(
          "__eq__", [](const Argument& a, const Argument& b) { return a == b; }, nb::is_operator())
      .def("__str__", [](const Argument& self) { return to_text(self); })
      .def("__repr__", [](const Argument& self) { return concatenate("<", to_text(self), ">"); });
  nb::class_<Return>(m, "Return", "A result of a schema.")
      .def_ro("name", &Return::name)
      .def_prop_ro("type", [](const Return& self) { return to_text(self.type); })
      .def_prop_ro("is_write", &Return::is_written)
      .def_prop_ro("alias", &alias_text<Return>)
      .def_prop_ro("alias_info", &alias_info<Return>)
      .def(
          "__eq__", [](const Return& a, const Return& b) { return a == b; }, nb::is_operator())
      .def("__str__", [](const Return& self) { return to_text(self); })
      .def("__repr__", [](const Return& self) { return concatenate("<", to_text(self), ">"); });
}

}  // namespace

void bind_schema(nb::module_& m) {
  bind_alias_info(m);
  bind_argument(m);
  nb::class_<Schema>(m, "Schema",
                     "The name, arguments and results of an operator.\n\n"
                     ">>> import opwright as ow\n"
                     ">>> schema = ow.ops.aten.mm.default.schema\n"
                     ">>> str(schema)\n"
                     "'aten::mm(Tensor self, Tensor mat2) -> Tensor'\n"
                     ">>> [argument.name for argument in schema.arguments]\n"
                     "['self', 'mat2']\n")
      .def_prop_ro("name", &Schema::full_name)
      .def_prop_ro("namespace", [](const Schema& self) { return self.name.name_space; })
      .def_prop_ro("base", [](const Schema& self) { return self.name.base; })
      .def_prop_ro("overload", [](const Schema& self) { return self.name.overload; })
      .def_prop_ro("overload_name", [](const Schema& self) { return self.name.overload; })
      .def_ro("arguments", &Schema::arguments)
      .def_ro("returns", &Schema::returns)
      .def_prop_ro("is_mutable", &Schema::is_mutable)
      .def_ro("is_vararg", &Schema::is_vararg)
      .def(
          "__eq__", [](const Schema& a, const Schema& b) { return a == b; }, nb::is_operator())
      .def("__hash__",
           [](const Schema& self) {
             return static_cast<Py_hash_t>(std::hash<std::string>{}(to_text(self)) >> 1);
           })
      .def("__reduce__",
           [](const Schema& self) {
             return nb::make_tuple(nb::module_::import_("opwright._C").attr("parse_schema"),
                                   nb::make_tuple(to_text(self)));
           })
      .def("__str__", [](const Schema& self) { return to_text(self); })
      .def("__repr__", [](const Schema& self) { return concatenate("<", to_text(self), ">"); });
  m.def(
      "parse_schema", [](const std::string& text) { return Registry::get().parse(text); },
      nb::arg("text"), "Parse a schema; ValueError shows the text, the wrong token underlined.");
}

PyObject* schema_object(const Schema& schema) { return nb::cast(schema).release().ptr(); }

}  // namespace opwright::python
