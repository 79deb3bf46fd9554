#include "bindings/ge/ge_tensor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"
#include "opwright/c_api.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/schema/constant.h"
#include "opwright/symint.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

thread_local ConvertedCallPtr current_call;

nb::object ge_constant_object(const ConvertedCallPtr& of, const OpwValue& constant) {
  if (constant.tag == kOpwSymInt) {
    const SymInt size = ValueOf<SymInt>::read(constant);
    if (size.is_symbolic()) return ge_tensor_object(of, of->graph().size(size));
  }
  if (constant.tag == kOpwSymIntList) {
    nb::list elements;
    for (uint32_t i = 0; i < constant.length; ++i)
      elements.append(ge_constant_object(of, list_element(constant, i)));
    return elements;
  }
  return own(to_python(constant));
}

nb::object data_type_of(const GeTensor& self) {
  const std::optional<DType> dtype = self.of->graph().dtype(self.place);
  const graph_engine::DataType type =
      dtype ? graph_engine::data_type_of(*dtype) : graph_engine::DT_UNDEFINED;
  return nb::module_::import_("opwright.ge").attr("DataType")(static_cast<int>(type));
}

// The sizes; `free` converts dynamic ones. None if unknown.
template <class Free>
nb::object ge_sizes(const GeTensor& self, const Free& free) {
  const std::optional<std::vector<SymInt>> sizes = self.of->graph().shape(self.place);
  if (!sizes) return nb::none();
  nb::list elements;
  for (const SymInt& size : *sizes)
    elements.append(size.is_symbolic() ? free(size) : nb::object(nb::int_(size.specialise())));
  return elements;
}
nb::object ge_symbolic_sizes(const GeTensor& self) {
  return ge_sizes(self, [](const SymInt& size) { return own(sym_int_to_python(size)); });
}
nb::object ge_plain_sizes(const GeTensor& self) {
  return ge_sizes(self,
                  [](const SymInt&) { return nb::object(nb::int_(graph_engine::kFreeSize)); });
}

std::string ge_tensor_text(const GeTensor& self) {
  if (self.of->has_ended()) return "<ge.Tensor of a converter that ended>";
  const std::optional<DType> dtype = self.of->graph().dtype(self.place);
  const std::string type = dtype ? graph_engine::data_type_name(graph_engine::data_type_of(*dtype))
                                 : std::string("DT_UNDEFINED");
  return concatenate("ge.Tensor(", self.of->graph().name(self.place), ", dtype=", type,
                     ", shape=", nb::cast<std::string>(nb::str(ge_symbolic_sizes(self))), ")");
}

}  // namespace

graph_engine::GraphBuilder& ConvertedCall::graph() const {
  OPWRIGHT_CHECK(graph_,
                 "a ge.Tensor that a converter was given was used after the converter had ended; "
                 "take it only inside");
  return *graph_;
}
const graph_engine::Call& ConvertedCall::call() const {
  (void)graph();
  return *call_;
}

ConvertedCallScope::ConvertedCallScope(graph_engine::GraphBuilder& graph,
                                       const graph_engine::Call& call)
    : call_(ConvertedCallPtr::take(new ConvertedCall(graph, call))),
      previous_(std::exchange(current_call, call_)) {}
ConvertedCallScope::~ConvertedCallScope() {
  call_->end();
  current_call = std::move(previous_);
}

ConvertedCallPtr current_converted_call(const char* who) {
  OPWRIGHT_CHECK(current_call, who,
                 ": nothing is being converted; call it in a function that "
                 "register_fx_node_ge_converter registered");
  return current_call;
}

nb::object ge_tensor_object(const ConvertedCallPtr& of, graph_engine::OutputPlace place) {
  if (!place.is_there()) return nb::none();
  return nb::cast(GeTensor{.of = of, .place = place});
}

const GeTensor* find_ge_tensor(PyObject* object) {
  const GeTensor* tensor = nullptr;
  return nb::try_cast(nb::handle(object), tensor) ? tensor : nullptr;
}

nb::object converter_argument(const ConvertedCallPtr& of, const NodeArgument& argument) {
  if (argument.kind() == NodeArgument::Kind::Constant)
    return ge_constant_object(of, argument.constant().get());
  if (argument.kind() == NodeArgument::Kind::Value)
    return ge_tensor_object(of, of->call().value_of(argument));
  nb::list elements;
  for (const NodeArgument& each : argument.elements())
    elements.append(converter_argument(of, each));
  return elements;
}

void bind_ge_tensor(nb::module_& m) {
  nb::class_<GeTensor>(m, "GeTensor", "An output of an op of the graph being converted.")
      .def_prop_ro("dtype", &data_type_of, "A ge.DataType.")
      .def_prop_ro("shape", &ge_plain_sizes, "The sizes, -1 for dynamic ones; None if unknown.")
      .def_prop_ro("symsize", &ge_symbolic_sizes, "The sizes, with symbols for dynamic ones.")
      .def_prop_ro("rank",
                   [](const GeTensor& self) {
                     const nb::object sizes = ge_plain_sizes(self);
                     return sizes.is_none() ? nb::object(nb::none()) : nb::int_(nb::len(sizes));
                   })
      .def_prop_ro(
          "name", [](const GeTensor& self) { return self.of->graph().name(self.place); },
          "\"Add_1:0\": the op, and the index of the output.")
      .def_prop_ro(
          "node",
          [](const GeTensor& self) {
            const std::string name = self.of->graph().name(self.place);
            return name.substr(0, name.rfind(':'));
          },
          "The name of the op.")
      .def_prop_ro("index", [](const GeTensor& self) { return self.place.index; })
      .def(
          "__eq__",
          [](const GeTensor& self, const GeTensor& other) { return other.place == self.place; },
          nb::is_operator())
      .def("__hash__",
           [](const GeTensor& self) { return (size_t{self.place.op} << 8) + self.place.index; })
      .def("__repr__", &ge_tensor_text);
}

}  // namespace opwright::python
