#include "bindings/interpreter/lapack_finder.h"

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "opwright/ops/linalg/lapack.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Empty if the package cannot be asked, as at exit: the core then says what to install.
std::string ask_package() {
  if (!Py_IsInitialized()) return "";
  const nb::gil_scoped_acquire lock;
  try {
    return nb::cast<std::string>(nb::module_::import_("opwright._lapack").attr("find_library")());
  } catch (const nb::python_error&) {
    return "";
  }
}

}  // namespace

void install_lapack_finder() { set_lapack_finder(&ask_package); }

}  // namespace opwright::python
