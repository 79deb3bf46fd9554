#include "bindings/opcheck/variation.h"

#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings/object/value.h"
#include "bindings/opcheck/captured_example.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/example_key.h"
#include "opwright/check/example/example_text.h"
#include "opwright/check/variation/variation.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

nb::list example_list(const Example& example) {
  nb::list values;
  for (const Value& value : example.values()) {
    PyObject* object = to_python(value.get());
    if (!object) throw nb::python_error();
    values.append(nb::steal(object));
  }
  return values;
}

nb::tuple next_of(Variations& variations) {
  const std::optional<Example> example = variations.next();
  if (!example) throw nb::stop_iteration();
  return nb::make_tuple(example_list(*example), example->change());
}

}  // namespace

void bind_variation(nb::module_& m) {
  nb::class_<Variations>(m, "Variations", "Variations of a given call.")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &next_of, "The values of all arguments, and what was changed.");
  m.def(
      "vary",
      [](const nb::callable& op, const nb::tuple& args, const nb::dict& kwargs, uint64_t seed,
         bool is_wild) {
        const Example given = capture_example("vary", op, args, kwargs);
        return std::make_unique<Variations>(given,
                                            VariationOptions{.seed = seed, .is_wild = is_wild});
      },
      nb::arg("op"), nb::arg("args"), nb::arg("kwargs"), nb::arg("seed") = 0,
      nb::arg("wild") = false,
      "Variations of the call op(*args, **kwargs); wild ones respect no constraints.");
  m.def(
      "example_code",
      [](const nb::callable& op, const nb::tuple& args, const nb::dict& kwargs) {
        return code_of(capture_example("example_code", op, args, kwargs));
      },
      nb::arg("op"), nb::arg("args"), nb::arg("kwargs"), "The call as Python code.");
  m.def(
      "example_key",
      [](const nb::callable& op, const nb::tuple& args, const nb::dict& kwargs) {
        return key_of(capture_example("example_key", op, args, kwargs));
      },
      nb::arg("op"), nb::arg("args"), nb::arg("kwargs"),
      "Equal for calls with the same numbers, bytes, strides and shared memory.");
}

}  // namespace opwright::python
