#include "bindings/interpreter/warning.h"

#include <string>
#include <string_view>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/base/warning.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

PyObject* performance_warning = nullptr;  // immortal

// At the user's line, not where the package called the core.
void warn_in_python(const char* category, const std::string& text) {
  const LockScope lock;
  const bool is_known = std::string_view(category) == "PerformanceWarning";
  PyObject* type = is_known ? performance_warning : PyExc_UserWarning;
  const SourceSite line = current_user_line();
  require_no_error(line.is_known()
                       ? PyErr_WarnExplicit(type, text.c_str(), line.file,
                                            static_cast<int>(line.line), nullptr, nullptr)
                       : PyErr_WarnEx(type, text.c_str(), 1));
}

}  // namespace

void bind_warnings(nb::module_& m) {
  performance_warning = require(PyErr_NewExceptionWithDoc(
      "opwright.PerformanceWarning",
      "Something works, but slower than it could; the text says what to do.\n\n"
      ">>> import opwright as ow, warnings\n"
      ">>> warnings.filterwarnings(\"ignore\", category=ow.PerformanceWarning)\n",
      PyExc_UserWarning, nullptr));
  m.attr("PerformanceWarning") = nb::handle(performance_warning);
  set_warning_handler(&warn_in_python);
}

}  // namespace opwright::python
