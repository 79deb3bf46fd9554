#include "bindings/opcheck/checked_calls.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/lock.h"
#include "opwright/check/example/example.h"
#include "opwright/check/opcheck/checked_calls.h"
#include "opwright/dispatch/mode.h"
#include "opwright/runtime/opcheck.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class CheckedCallsObject final : public CheckedCalls {
 public:
  using CheckedCalls::CheckedCalls;

  void enter() { scope_.emplace(*this); }
  void leave() { scope_.reset(); }

 protected:
  CheckReport check(const Example& given, const OpcheckOptions& options) override {
    if (!holds_lock()) return CheckedCalls::check(given, options);
    const HoldCallsScope hold;
    const UnlockScope unlocked;
    return CheckedCalls::check(given, options);
  }

 private:
  std::optional<ModeScope> scope_;
};

std::vector<std::pair<std::string, CheckReport>> failures_of(const CheckedCallsObject& self) {
  std::vector<std::pair<std::string, CheckReport>> found;
  for (const auto& each : self.failures()) found.emplace_back(each.line.text(), each.report);
  return found;
}

}  // namespace

void bind_checked_calls(nb::module_& m) {
  nb::class_<CheckedCallsObject>(m, "CheckedCalls",
                                 "While it is active, opcheck checks each distinct call of the "
                                 "operators of some namespaces.")
      .def(
          "__init__",
          [](CheckedCallsObject* self, std::vector<std::string> namespaces,
             std::vector<std::string> checks, uint32_t examples, uint64_t seed) {
            OpcheckOptions options;
            options.checks = std::move(checks);
            options.examples = examples;
            options.seed = seed;
            new (self) CheckedCallsObject(std::move(namespaces), std::move(options));
          },
          nb::arg("namespaces"), nb::arg("checks"), nb::arg("examples"), nb::arg("seed"))
      .def(
          "__enter__",
          [](CheckedCallsObject& self) -> CheckedCallsObject& {
            self.enter();
            return self;
          },
          nb::rv_policy::reference)
      .def("__exit__", [](CheckedCallsObject& self, const nb::args& /*error*/) { self.leave(); })
      .def_prop_ro("num_checked", &CheckedCallsObject::num_checked)
      .def_prop_ro("failures", &failures_of, "The line of each call with a fault, and the report.");
}

}  // namespace opwright::python
