#include "bindings/ge/ge_converter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/ge/ge_tensor.h"
#include "bindings/interpreter/error.h"
#include "bindings/interpreter/held_object.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/creation.h"
#include "opwright/base/source_site.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/error.h"
#include "opwright/schema/schema.h"
#include "opwright/vendor/ge_types.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using graph_engine::AttributeKind;
using graph_engine::AttributeKindName;
using graph_engine::GeValues;
using graph_engine::NamedOperand;
using graph_engine::OutputName;
using graph_engine::OutputPlace;

bool is_list(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

std::string counted(size_t count, const char* noun) {
  return concatenate(count, " ", noun, count == 1 ? "" : "s");
}

class PythonConverter final : public graph_engine::GeConverter {
 public:
  explicit PythonConverter(PyObject* function)
      : function_(function),
        takes_meta_outputs_(nb::cast<bool>(nb::module_::import_("opwright.ge.converter")
                                               .attr("takes_meta_outputs")(nb::handle(function)))) {
  }

  [[nodiscard]] GeValues convert(graph_engine::GraphBuilder& g,
                                 const graph_engine::Call& call) const override {
    const LockScope lock;
    const ConvertedCallScope scope(g, call);
    const auto& schema = call.node().op().schema();
    nb::list positional;
    nb::dict by_name;
    for (size_t i = 0; i < call.num_arguments(); ++i) {
      const nb::object object = converter_argument(scope.get(), call.argument(i));
      if (schema.arguments[i].is_keyword_only) {
        by_name[schema.arguments[i].name.c_str()] = object;
      } else {
        positional.append(object);
      }
    }
    if (takes_meta_outputs_) by_name["meta_outputs"] = meta_outputs(call);
    const nb::object returned =
        own(PyObject_Call(function_.get(), nb::tuple(positional).ptr(), by_name.ptr()));
    return read_results(returned, call);
  }

 private:
  // The fake results: one, or a tuple.
  static nb::object meta_outputs(const graph_engine::Call& call) {
    nb::list results;
    for (size_t i = 0; i < call.num_results(); ++i) {
      const Tensor result = call.result(i);
      results.append(result.is_defined() ? own(wrap(result)) : nb::none());
    }
    return call.num_results() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results));
  }

  // "npu::npu_add_custom (model.py:12): its converter convert_add (converters.py:3)"
  [[nodiscard]] std::string name(const graph_engine::Call& call) const {
    const nb::object name = nb::getattr(nb::handle(function_.get()), "__name__", nb::none());
    const std::string shown =
        name.is_none() ? class_name(function_.get()) : nb::cast<std::string>(nb::str(name));
    const SourceSite site = site_of(function_.get());
    const std::string place = site.is_known() ? concatenate(" (", site, ")") : "";
    return concatenate(name_call(call.node()), ": its converter ", shown, place);
  }

  [[nodiscard]] GeValues read_results(const nb::object& returned,
                                      const graph_engine::Call& call) const {
    const bool is_many = is_list(returned.ptr());
    const size_t count = is_many ? nb::len(returned) : returned.is_none() ? 0 : 1;
    OPWRIGHT_CHECK_VALUE(count == call.num_results(), name(call), " returned ",
                         counted(count, "value"), ", but the operator has ",
                         counted(call.num_results(), "result"));
    GeValues values;
    for (size_t i = 0; i < count; ++i) {
      const nb::object each = is_many ? nb::object(returned[i]) : returned;
      const GeTensor* tensor = find_ge_tensor(each.ptr());
      OPWRIGHT_CHECK_TYPE(tensor || each.is_none(), name(call), " returned ",
                          class_name(each.ptr()), " for result ", i,
                          "; it must be a ge.Tensor that custom_op gave, or an argument");
      values.push_back(tensor ? tensor->place : OutputPlace());
    }
    return values;
  }

  HeldObject function_;
  bool takes_meta_outputs_;
};

// ---- Functions for converters ----

OutputPlace make_constant(const ConvertedCallPtr& of, const nb::handle& data,
                          const nb::handle& dtype, const std::string& who) {
  Conversion conversion;
  if (!dtype.is_none()) conversion.dtype = parse_dtype(dtype.ptr());
  return of->graph().constant(tensor_over_data(data.ptr(), conversion, who.c_str()));
}

OutputPlace read_ge_operand(const ConvertedCallPtr& of, PyObject* object, const std::string& who) {
  if (object == Py_None) return {};
  if (const GeTensor* tensor = find_ge_tensor(object)) {
    (void)tensor->of->graph();  // checks that it has not ended
    return tensor->place;
  }
  return make_constant(of, object, nb::none(), who);
}

NamedOperand read_ge_input(const ConvertedCallPtr& of, const std::string& op, const nb::handle& key,
                           const nb::handle& value) {
  NamedOperand operand{.name = nb::cast<std::string>(nb::str(key)), .value = OutputPlace()};
  const std::string who = concatenate("ge.custom_op(\"", op, "\"): input ", operand.name);
  if (!is_list(value.ptr())) {
    operand.value = read_ge_operand(of, value.ptr(), who);
    return operand;
  }
  GeValues values;
  for (const nb::handle each : value) values.push_back(read_ge_operand(of, each.ptr(), who));
  operand.value = std::move(values);
  return operand;
}

OutputName read_output(const std::string& op, const nb::handle& given) {
  if (PyUnicode_Check(given.ptr())) return {.name = nb::cast<std::string>(given)};
  const bool is_pair = is_list(given.ptr()) && nb::len(given) == 2 &&
                       PyUnicode_Check(nb::object(given[0]).ptr()) &&
                       PyLong_Check(nb::object(given[1]).ptr());
  OPWRIGHT_CHECK_TYPE(is_pair, "ge.custom_op(\"", op,
                      "\"): outputs are names, or (name, count) of a dynamic one, got ",
                      class_name(given.ptr()));
  return {.name = nb::cast<std::string>(given[0]), .count = nb::cast<uint32_t>(given[1])};
}

// A plain value, or one of ge.attr with its kind.
graph_engine::Attribute read_ge_attribute(const nb::handle& key, const nb::handle& given) {
  const nb::object kind = nb::getattr(given, "_ge_kind", nb::none());
  const nb::object value =
      kind.is_none() ? nb::borrow(given) : nb::object(nb::getattr(given, "value"));
  std::optional<AttributeKind> wanted;
  if (!kind.is_none()) {
    const auto found = std::ranges::find(graph_engine::kAttributeKinds, nb::cast<std::string>(kind),
                                         &AttributeKindName::name);
    wanted = static_cast<AttributeKind>(found - std::begin(graph_engine::kAttributeKinds));
  }
  ValueMemory memory;
  return graph_engine::make_attribute(nb::cast<std::string>(nb::str(key)),
                                      memory.borrow(value.ptr()), wanted);
}

nb::object add_custom_op(const std::string& op, const nb::dict& inputs, const nb::list& outputs,
                         const nb::dict& attributes, const std::string& node_name) {
  const ConvertedCallPtr of = current_converted_call("ge.custom_op");
  std::vector<NamedOperand> operands;
  for (const auto& [key, value] : inputs) operands.push_back(read_ge_input(of, op, key, value));
  std::vector<OutputName> names;
  for (const nb::handle each : outputs) names.push_back(read_output(op, each));
  std::vector<graph_engine::Attribute> held;
  for (const auto& [key, value] : attributes) held.push_back(read_ge_attribute(key, value));
  const GeValues made =
      of->graph().custom_op(op, std::move(operands), names, std::move(held), node_name);
  nb::list results;
  size_t place = 0;
  for (const OutputName& name : names) {
    if (!name.count) {
      results.append(ge_tensor_object(of, made[place++]));
      continue;
    }
    nb::list elements;
    for (uint32_t i = 0; i < *name.count; ++i) elements.append(ge_tensor_object(of, made[place++]));
    results.append(elements);
  }
  return names.size() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results));
}

}  // namespace

ConverterPtr make_ge_converter(PyObject* function, int64_t /*since_version*/) {
  return ConverterPtr::take(new PythonConverter(function));
}

void bind_ge_converter(nb::module_& m) {
  m.def("ge_custom_op", &add_custom_op, nb::arg("op_type"), nb::arg("inputs"), nb::arg("outputs"),
        nb::arg("attrs"), nb::arg("node_name"), "Adds an op to the graph being converted.");
  m.def(
      "ge_const",
      [](const nb::object& value, const nb::object& dtype) {
        const ConvertedCallPtr of = current_converted_call("ge.Const");
        return ge_tensor_object(of, make_constant(of, value, dtype, "ge.Const"));
      },
      nb::arg("value"), nb::arg("dtype").none(), "Adds a constant to the graph being converted.");
}

}  // namespace opwright::python
