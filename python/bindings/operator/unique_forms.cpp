#include "bindings/operator/unique_forms.h"

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/operator/operator_packet.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

struct UniqueArguments {
  PyObject* input = nullptr;
  int sorted = 1;
  int inverse = 0;
  int counts = 0;
  PyObject* dim = nullptr;
};

PyObject* as_bool(int value) { return value ? Py_True : Py_False; }

// The elements, and what else was asked for: alone, or as a tuple.
PyObject* chosen_results(PyObject* results, const UniqueArguments& given) {
  const nb::object all = own(results);
  nb::list chosen;
  chosen.append(all[0]);
  if (given.inverse) chosen.append(all[1]);
  if (given.counts) chosen.append(all[2]);
  if (nb::len(chosen) == 1) return nb::object(chosen[0]).release().ptr();
  return nb::tuple(chosen).release().ptr();
}

PyObject* find_unique(const UniqueArguments& given) {
  PyObject* sorted = as_bool(given.sorted);
  PyObject* inverse = as_bool(given.inverse);
  PyObject* counts = as_bool(given.counts);
  PyObject* results =
      is_given(given.dim)
          ? call_packet("aten::unique_dim", {given.input, given.dim, sorted, inverse, counts})
          : call_packet("aten::_unique2", {given.input, sorted, inverse, counts});
  return chosen_results(results, given);
}

PyObject* find_consecutive(const UniqueArguments& given) {
  PyObject* dim = is_given(given.dim) ? given.dim : Py_None;
  PyObject* results = call_packet("aten::unique_consecutive", {given.input, as_bool(given.inverse),
                                                               as_bool(given.counts), dim});
  return chosen_results(results, given);
}

}  // namespace

PyObject* unique_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"sorted", "return_inverse", "return_counts", "dim",
                                        nullptr};
    UniqueArguments given{.input = self};
    parse_arguments(args, kwargs, "|pppO:unique", names, &given.sorted, &given.inverse,
                    &given.counts, &given.dim);
    return find_unique(given);
  });
}
PyObject* unique_function(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"input",         "sorted", "return_inverse",
                                        "return_counts", "dim",    nullptr};
    UniqueArguments given;
    parse_arguments(args, kwargs, "O|pppO:unique", names, &given.input, &given.sorted,
                    &given.inverse, &given.counts, &given.dim);
    return find_unique(given);
  });
}

PyObject* unique_consecutive_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"return_inverse", "return_counts", "dim", nullptr};
    UniqueArguments given{.input = self};
    parse_arguments(args, kwargs, "|ppO:unique_consecutive", names, &given.inverse, &given.counts,
                    &given.dim);
    return find_consecutive(given);
  });
}
PyObject* unique_consecutive_function(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"input", "return_inverse", "return_counts", "dim", nullptr};
    UniqueArguments given;
    parse_arguments(args, kwargs, "O|ppO:unique_consecutive", names, &given.input, &given.inverse,
                    &given.counts, &given.dim);
    return find_consecutive(given);
  });
}

}  // namespace opwright::python
