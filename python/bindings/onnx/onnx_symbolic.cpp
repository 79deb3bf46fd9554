#include "bindings/onnx/onnx_symbolic.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/held_object.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_graph.h"
#include "bindings/onnx/onnx_value.h"
#include "opwright/base/source_site.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/runtime/onnx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Invalidates Python's objects of a call when the call ends.
class [[nodiscard]] SymbolicScope {
 public:
  SymbolicScope(onnx::GraphBuilder& g, const onnx::Call& call)
      : of_(SymbolicCallPtr::take(new SymbolicCall(g, call))) {}
  ~SymbolicScope() { of_->end(); }
  SymbolicScope(const SymbolicScope&) = delete;
  SymbolicScope& operator=(const SymbolicScope&) = delete;
  [[nodiscard]] const SymbolicCallPtr& get() const noexcept { return of_; }

 private:
  SymbolicCallPtr of_;
};

class SymbolicConverter final : public onnx::OnnxConverter {
 public:
  SymbolicConverter(PyObject* function, int64_t since_opset)
      : OnnxConverter(since_opset), function_(function) {}

  [[nodiscard]] onnx::OnnxValues convert(onnx::GraphBuilder& g,
                                         const onnx::Call& call) const override {
    const LockScope lock;
    const SymbolicScope scope(g, call);
    const auto arguments = call.node().args();
    const nb::object args = own(PyTuple_New(static_cast<Py_ssize_t>(arguments.size() + 1)));
    PyTuple_SET_ITEM(args.ptr(), 0, nb::cast(SymbolicGraph{scope.get()}).release().ptr());
    for (size_t i = 0; i < arguments.size(); ++i) {
      PyTuple_SET_ITEM(
          args.ptr(), static_cast<Py_ssize_t>(i + 1),
          symbolic_object(symbolic_argument(scope.get(), arguments[i])).release().ptr());
    }
    const nb::object returned = own(PyObject_Call(function_.get(), args.ptr(), nullptr));
    return read_results(scope.get(), returned, call);
  }

 private:
  // "cst::dual_residual (model.py:12): its symbolic `dual` (symbolics.py:3)"
  [[nodiscard]] std::string name(const onnx::Call& call) const {
    const nb::object name = nb::getattr(nb::handle(function_.get()), "__name__", nb::none());
    const std::string shown =
        name.is_none() ? class_name(function_.get()) : nb::cast<std::string>(nb::str(name));
    const SourceSite site = site_of(function_.get());
    const std::string place = site.is_known() ? concatenate(" (", site, ")") : "";
    return concatenate(name_call(call.node()), ": its symbolic ", shown, place);
  }

  [[nodiscard]] onnx::OnnxValues read_results(const SymbolicCallPtr& of, const nb::object& returned,
                                              const onnx::Call& call) const {
    const bool is_many = PyTuple_Check(returned.ptr()) || PyList_Check(returned.ptr());
    const size_t count = is_many ? static_cast<size_t>(PySequence_Fast_GET_SIZE(returned.ptr()))
                         : returned.is_none() ? 0
                                              : 1;
    const size_t wanted = call.num_results();
    const auto some = [](size_t n, const char* noun) {
      return concatenate(n, " ", noun, n == 1 ? "" : "s");
    };
    OPWRIGHT_CHECK_VALUE(count == wanted, name(call), " returned ", some(count, "value"),
                         ", but the operator has ", some(wanted, "result"),
                         "\n  A node with several outputs is g.op(..., outputs=", wanted, ").");
    onnx::OnnxValues values;
    for (size_t i = 0; i < count; ++i) {
      PyObject* each = is_many
                           ? PySequence_Fast_GET_ITEM(returned.ptr(), static_cast<Py_ssize_t>(i))
                           : returned.ptr();
      const bool is_value =
          each == Py_None || nb::isinstance<SymbolicValue>(nb::handle(each)) || is_tensor(each);
      OPWRIGHT_CHECK_TYPE(is_value, name(call), " returned ", class_name(each), " for result ", i,
                          "; it must be what g.op gave, an argument, or a tensor");
      values.push_back(read_input(of, each, concatenate(name(call), ": result ", i)));
    }
    return values;
  }

  HeldObject function_;
};

}  // namespace

ConverterPtr make_symbolic(PyObject* function, int64_t since_opset) {
  return ConverterPtr::take(new SymbolicConverter(function, since_opset));
}

}  // namespace opwright::python
