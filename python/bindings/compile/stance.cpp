#include "bindings/compile/stance.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr std::array<std::string_view, 4> kStances = {"default", "force_eager",
                                                      "eager_on_recompile", "fail_on_recompile"};

std::string set_stance(const std::string& name) {
  const auto* const found = std::ranges::find(kStances, name);
  OPWRIGHT_CHECK_VALUE(found != kStances.end(), "set_stance: there is no stance '", name,
                       "', only default, force_eager, eager_on_recompile and fail_on_recompile");
  const std::string before(kStances.at(static_cast<size_t>(current_stance)));
  current_stance = static_cast<Stance>(found - kStances.begin());
  return before;
}

}  // namespace

void throw_compile_refused(const std::string& function) {
  throw_error("RuntimeError", "compile: a call of ", function,
              " must be compiled, but the stance is 'fail_on_recompile'; call it with such "
              "arguments before, or use set_stance(\"eager_on_recompile\")");
}

void bind_stance(nb::module_& m) {
  m.def("set_stance", &set_stance, nb::arg("stance"),
        "Set how compiled functions are called from now on; returns the previous stance.");
}

}  // namespace opwright::python
