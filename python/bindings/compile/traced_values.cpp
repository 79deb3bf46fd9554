#include "bindings/compile/traced_values.h"

#include <string>

#include <nanobind/nanobind.h>

#include "bindings/compile/function_state.h"
#include "bindings/compile/type_kind.h"
#include "bindings/object/tensor_object.h"
#include "opwright/base/source_site.h"
#include "opwright/error.h"
#include "opwright/tensor/tensor_impl.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr int kMostDepth = 6;

bool holds_traced_within(PyObject* object, const Interpreter& level, int depth) {
  if (is_traced(object, level)) return true;
  if (depth == kMostDepth) return false;
  const TypeKind kind = kind_of(Py_TYPE(object));
  nb::object elements;
  if (PyDict_Check(object)) {
    elements = ContentGuard::read(object, ContentGuard::Kind::Dict);
  } else if (is_container(kind)) {
    elements = ContentGuard::read(object, ContentGuard::Kind::Other);
  } else if (kind == TypeKind::Instance && !is_nn_module(object)) {
    PyObject** dict = _PyObject_GetDictPtr(object);
    return dict && *dict && holds_traced_within(*dict, level, depth + 1);
  }
  for (Py_ssize_t i = 0; elements.is_valid() && i < PyTuple_GET_SIZE(elements.ptr()); ++i) {
    if (holds_traced_within(PyTuple_GET_ITEM(elements.ptr(), i), level, depth + 1)) return true;
  }
  return false;
}

}  // namespace

bool is_traced(PyObject* object, const Interpreter& level) {
  return is_tensor(object) && tensor_of(object)->is_wrapper() && tensor_of(object)->level == &level;
}

bool holds_traced(PyObject* object, const Interpreter& level) {
  return holds_traced_within(object, level, 0);
}

void refuse_traced_in(const ReadGuards& reads, const ReadObserver& observer,
                      const Interpreter& level) {
  std::string place;
  const auto is_found = [&](const std::string& name, PyObject* value) {
    const bool is_own = is_traced(value, level) || observer.has_created(value);
    if (!is_own || !holds_traced(value, level)) return false;
    place = name;
    return true;
  };
  if (!reads.visit_values(is_found)) return;
  const SourceSite site = observer.line_of(place);
  reads.restore();
  throw_error("RuntimeError", "compile: the function stores a tensor that it computes in '", place,
              "'", site.is_known() ? concatenate(", at ", site) : std::string(),
              "; it would outlive the call there\n  Return the tensor, or write it into a tensor "
              "that exists in place: old.copy_(value).");
}

}  // namespace opwright::python
