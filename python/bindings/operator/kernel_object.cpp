#include "bindings/operator/kernel_object.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/borrowed_arguments.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_object.h"
#include "bindings/operator/python_function.h"
#include "opwright/base/given_error.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/row.h"
#include "opwright/dispatch/rule.h"
#include "opwright/schema/bind.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class Kernel {
 public:
  Kernel(const Operator& op, Slot slot) : op_(op), slot_(slot), record_(op.record(slot)) {
    if (record_) return;
    std::string there;
    for (const auto& [each, site] : Registry::get().implementations(op))
      there += (there.empty() ? "" : ", ") + slot_name(each);
    throw_error("ValueError", op.name(), " has nothing for ", slot_name(slot),
                "; it has: ", there.empty() ? "nothing" : there);
  }

  [[nodiscard]] const Operator& op() const { return op_; }
  [[nodiscard]] Slot slot() const { return slot_; }

  // Results as a tuple, a single result, or None.
  nb::object call(const nb::args& args, const nb::kwargs& keywords) const {
    const BorrowedArguments given(args, keywords);
    if (!has_operator_signature(slot_)) {
      OPWRIGHT_CHECK_TYPE(given.keywords().empty(), op_.name(), ": the ", slot_name(slot_),
                          " rule takes its arguments by position");
      return run(given.positional());
    }
    const BoundArguments bound(op_.schema(), given.positional(), given.keywords());
    return run(bound.values());
  }

 private:
  [[nodiscard]] nb::object run(Arguments args) const {
    std::vector<OpwValue> results(count_results(op_, slot_));
    const int status = record_->function(record_, args.data(), static_cast<uint32_t>(args.size()),
                                         results.data(), static_cast<uint32_t>(results.size()));
    if (status != 0) throw_failed_rule(results);
    nb::list objects;
    bool is_whole = true;
    for (OpwValue& result : results) {
      const nb::object object = nb::steal(take_to_python(result));
      is_whole = is_whole && object.is_valid();
      if (is_whole) objects.append(object);
    }
    if (!is_whole) throw_python_error();
    if (nb::len(objects) == 0) return nb::none();
    if (nb::len(objects) == 1) return objects[0];
    return nb::steal(require(PyList_AsTuple(objects.ptr())));
  }

  [[noreturn]] static void throw_failed_rule(std::vector<OpwValue>& results) {
    for (OpwValue& result : results) release_value(result);
    throw_given_error();
  }

  const Operator& op_;
  Slot slot_;
  const OpwRecord* record_;
};

}  // namespace

void bind_kernel(nb::module_& m) {
  nb::class_<Kernel>(m, "Kernel", "One function of an operator's row, called without dispatch.")
      .def("__call__", &Kernel::call)
      .def_prop_ro("operator",
                   [](const Kernel& self) { return nb::borrow(operator_object(self.op().name())); })
      .def_prop_ro("slot", [](const Kernel& self) { return slot_name(self.slot()); })
      .def("__repr__", [](const Kernel& self) {
        return concatenate("<", slot_name(self.slot()), " kernel of ", self.op().name(), ">");
      });
  m.def(
      "has_own_function",
      [](const std::string& name, const std::string& slot) {
        const auto there = Registry::get().implementations(Registry::get().require(name));
        return std::ranges::any_of(
            there, [wanted = parse_slot(slot)](const auto& each) { return each.first == wanted; });
      },
      nb::arg("name"), nb::arg("slot"), "Whether exactly this slot has a registration.");
  m.def(
      "get_kernel",
      [](const nb::object& op, const std::string& slot) {
        OPWRIGHT_CHECK_TYPE(is_operator(op.ptr()), "get_kernel: expected an Operator, got ",
                            class_name(op.ptr()));
        return Kernel(require_operator(op.ptr()), parse_slot(slot));
      },
      nb::arg("op"), nb::arg("slot"));
  m.def(
      "python_function",
      [](const nb::object& op, const std::string& slot) {
        OPWRIGHT_CHECK_TYPE(is_operator(op.ptr()), "python_function: expected an Operator, got ",
                            class_name(op.ptr()));
        const BoxedFunction own =
            Registry::get().own_function(require_operator(op.ptr()), parse_slot(slot));
        PyObject* callable = callable_of(own);
        return callable ? nb::borrow(callable) : nb::none();
      },
      nb::arg("op"), nb::arg("slot"),
      "The Python function last registered for exactly this slot; None if there is none or it is "
      "in C++.");
}

}  // namespace opwright::python
