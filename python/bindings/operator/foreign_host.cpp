#include "bindings/operator/foreign_host.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/object/value.h"
#include "bindings/operator/host_object.h"
#include "bindings/operator/operator_object.h"
#include "opwright/check/checks/foreign_host.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/value.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// An object with `find_reason_to_skip(op)`, which returns a text or None, and `run(op, values)`,
// which returns a list of results, or a text that says why it cannot run.
class PythonHost : public ForeignHost {
 public:
  explicit PythonHost(PyObject* self) : self_(self) {}

  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    return self_.find_reason_to_skip(op);
  }

  HostAnswer run(const Example& example) override {
    const LockScope lock;
    HostAnswer answer{{.after = example.copy(), .results = {}, .error = std::nullopt}};
    try {
      nb::list values;
      for (const Value& value : answer.outcome.after.values())
        values.append(nb::steal(require(to_python(value.get()))));
      const nb::object given =
          self_.call("run", operator_object(example.op().name()), values.ptr());
      if (PyUnicode_Check(given.ptr())) {
        answer.left_out = nb::cast<std::string>(given);
      } else {
        answer.outcome.results = take_results(example.op(), given);
      }
    } catch (const Error& error) {
      answer.outcome.error = error;
    }
    return answer;
  }

 private:
  static std::vector<Value> take_results(const Operator& op, const nb::object& given) {
    const std::vector<Return>& wanted = op.schema().returns;
    const size_t size = nb::len(given);
    OPWRIGHT_CHECK_TYPE(size == wanted.size(), op.name(), ": the host returned ", size,
                        " results, the schema has ", wanted.size());
    std::vector<Value> results;
    for (size_t i = 0; i < size; ++i) {
      const nb::object each = given[i];
      results.push_back(Value::take(
          give_result(each.ptr(), wanted[i].type, concatenate(op.name(), ": result ", i + 1))));
    }
    return results;
  }

  HostObject self_;
};

}  // namespace

void bind_foreign_host(nb::module_& m) {
  m.def("foreign_host_names", &foreign_host_names, "The hosts that opcheck has a check for.");
  m.def(
      "set_foreign_host",
      [](const std::string& name, const nb::object& host) {
        set_foreign_host(name, host.is_none() ? nullptr : std::make_shared<PythonHost>(host.ptr()));
      },
      nb::arg("name"), nb::arg("host").none(),
      "Set the object that runs a host's check; None removes it.");
}

}  // namespace opwright::python
