#include "bindings/opcheck/opcheck.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/lock.h"
#include "bindings/opcheck/captured_example.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/example.h"
#include "opwright/check/opcheck/run_opcheck.h"
#include "opwright/error.h"
#include "opwright/runtime/opcheck.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

void bind_report(nb::module_& m) {
  nb::class_<CheckFinding>(m, "CheckFinding", "A fault, or a remark.")
      .def_ro("check", &CheckFinding::check)
      .def_ro("kind", &CheckFinding::kind)
      .def_ro("message", &CheckFinding::message)
      .def_ro("code", &CheckFinding::code)
      .def_ro("change", &CheckFinding::change)
      .def("__repr__", [](const CheckFinding& self) {
        return concatenate("<CheckFinding ", self.check, "/", self.kind, ">");
      });
  nb::class_<CheckLine>(m, "CheckLine", "One line of a report.")
      .def_ro("check", &CheckLine::check)
      .def_prop_ro("state",
                   [](const CheckLine& self) {
                     return self.state == CheckLine::State::Ok       ? "ok"
                            : self.state == CheckLine::State::Failed ? "failed"
                                                                     : "skipped";
                   })
      .def_ro("inputs", &CheckLine::inputs)
      .def_ro("seconds", &CheckLine::seconds)
      .def_ro("text", &CheckLine::text);
  nb::class_<CheckReport>(m, "CheckReport", "The findings of opcheck.", nb::dynamic_attr())
      .def_ro("op", &CheckReport::op)
      .def_ro("num_generated", &CheckReport::num_generated)
      .def_ro("num_refused", &CheckReport::num_refused)
      .def_ro("seed", &CheckReport::seed)
      .def_ro("lines", &CheckReport::lines)
      .def_ro("findings", &CheckReport::findings)
      .def_ro("remarks", &CheckReport::remarks)
      .def_prop_ro("ok", &CheckReport::ok)
      .def("table", &CheckReport::table, "One line for each check, then the findings.")
      .def("to_markdown", &CheckReport::to_markdown, "The same as a page of markdown.")
      .def("failure_text", &CheckReport::failure_text, "Only the faults.");
}

void tell(void* progress, const CheckLine& line) {
  const LockScope lock;
  (*static_cast<const nb::callable*>(progress))(line);
}

CheckReport run_opcheck(const nb::callable& op, const nb::tuple& args, const nb::dict& kwargs,
                        OpcheckOptions options, std::optional<nb::callable> progress) {
  const Example given = capture_example("opcheck", op, args, kwargs);
  if (progress) {
    options.progress = &tell;
    options.progress_context = &*progress;
  }
  const UnlockScope unlocked;
  return run_opcheck(given, options);
}

}  // namespace

void bind_opcheck(nb::module_& m) {
  bind_report(m);
  m.def(
      "opcheck",
      [](const nb::callable& op, const nb::tuple& args, const nb::dict& kwargs,
         std::vector<std::string> checks, std::optional<double> rtol, std::optional<double> atol,
         uint32_t examples, uint64_t seed, const std::optional<nb::callable>& progress) {
        return run_opcheck(op, args, kwargs,
                           {.checks = std::move(checks),
                            .rtol = rtol,
                            .atol = atol,
                            .examples = examples,
                            .seed = seed},
                           progress);
      },
      nb::arg("op"), nb::arg("args"), nb::arg("kwargs"), nb::arg("checks"), nb::arg("rtol").none(),
      nb::arg("atol").none(), nb::arg("examples"), nb::arg("seed"), nb::arg("progress").none(),
      "Check the operator; return a report.");
  m.def(
      "list_checks",
      [] {
        std::vector<std::pair<std::string, std::string>> found;
        for (const CheckEntry& entry : registered_checks())
          found.emplace_back(entry.name, entry.about);
        return found;
      },
      "The names of all checks and what they check.");
}

}  // namespace opwright::python
