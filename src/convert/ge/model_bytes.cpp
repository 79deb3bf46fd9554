// Serialization as ge.proto's ModelDef, with the fields listed in docs/concepts/ge_graph.md.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/wire_writer.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

// The descriptor's number of a dtype, by DataType; attributes use DataType itself.
constexpr int8_t kWireTypes[] = {1,  2,  3,  7,  4,  0,  5,  6,  9,  8,  10, 12, 11,
                                 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                 26, 27, 0,  28, 29, 30, 31, 32, 33, 34, 35};

enum ListType : uint8_t {
  kListString = 1,
  kListInt = 2,
  kListFloat = 3,
  kListBool = 4,
  kListTensor = 7,
  kListDataType = 10,
};

constexpr uint32_t kValueField = 2;  // of a map entry; its key is 1

class GraphWriter {
 public:
  explicit GraphWriter(const GeGraph& graph) : graph_(graph) {}

  std::string write() {
    out_.text(1, graph_.name);
    out_.integer(2, 1);
    const size_t graph = out_.begin(7);
    out_.text(1, graph_.name);
    for (const uint32_t input : graph_.inputs) out_.text(4, to_text(graph_, {input, 0}));
    for (const OutputPlace& output : graph_.outputs) out_.text(5, to_text(graph_, output));
    for (const GeOp& op : graph_.ops) write_op(op);
    out_.end(graph);
    return out_.take();
  }

 private:
  void write_op(const GeOp& op) {
    const size_t begun = out_.begin(6);
    out_.text(1, op.name);
    out_.text(2, op.type);
    for (const OutputPlace& input : op.inputs) out_.text(5, to_text(graph_, input));
    for (const Attribute& attribute : op.attributes) write_attribute(10, attribute);
    const bool is_input = op.type == "Data";
    std::vector<TensorDescriptor> inputs = op.input_descriptors;
    // A Data op has a descriptor of its value, and no input.
    if (is_input) inputs.emplace_back(op.output_descriptors.front()).name = "x";
    write_names("_input_name_key", "_input_name_value", inputs);
    write_names("_output_name_key", "_output_name_value", op.output_descriptors);
    for (size_t i = 0; i < inputs.size(); ++i)
      write_descriptor(33, inputs[i], is_input || op.inputs[i].is_there(), is_input);
    for (const TensorDescriptor& output : op.output_descriptors)
      write_descriptor(34, output, true, is_input);
    out_.end(begun);
  }

  void write_names(const char* key, const char* value,
                   const std::vector<TensorDescriptor>& descriptors) {
    std::vector<std::string> names;
    std::vector<int64_t> places;
    for (const TensorDescriptor& each : descriptors) {
      places.push_back(static_cast<int64_t>(names.size()));
      names.push_back(each.name);
    }
    write_attribute(10, {key, AttributeKind::ListString, Value(names)});
    write_attribute(10, {value, AttributeKind::ListInt, Value(places)});
  }

  void write_descriptor(uint32_t field, const TensorDescriptor& descriptor, bool is_there,
                        bool is_input) {
    const size_t begun = out_.begin(field);
    if (!descriptor.name.empty()) out_.text(1, descriptor.name);
    if (descriptor.dtype) out_.integer(2, kWireTypes[data_type_of(*descriptor.dtype)]);
    if (descriptor.dims) {
      const size_t shape = out_.begin(3);
      if (!descriptor.dims->empty()) out_.packed_integers(1, *descriptor.dims);
      out_.end(shape);
    }
    out_.text(4, descriptor.layout);
    if (!is_there)
      write_attribute(5, {"_is_unfed_optional", AttributeKind::Int, Value(int64_t{1})});
    if (is_input) out_.text(14, "NPU");
    out_.end(begun);
  }

  void write_tensor(uint32_t field, const Tensor& given) {
    const Tensor tensor = given.contiguous();
    TensorDescriptor descriptor{.name = "", .dtype = tensor.dtype()};
    auto& dims = descriptor.dims.emplace();
    for (int64_t i = 0; i < tensor.dim(); ++i) dims.push_back(tensor.size(i));
    const size_t begun = out_.begin(field);
    write_descriptor(1, descriptor, true, false);
    const size_t bytes = static_cast<size_t>(tensor.numel()) * item_size(tensor.dtype());
    out_.text(2, std::string_view(static_cast<const char*>(tensor.data<void>()), bytes));
    out_.end(begun);
  }

  void write_attribute(uint32_t field, const Attribute& attribute) {
    const size_t entry = out_.begin(field);
    out_.text(1, attribute.name);
    const size_t begun = out_.begin(kValueField);
    write_value(attribute.kind, attribute.value.get());
    out_.end(begun);
    out_.end(entry);
  }

  void write_value(AttributeKind kind, const OpwValue& value) {
    switch (kind) {
      case AttributeKind::String:
        return out_.text(2, ValueOf<std::string_view>::read(value));
      case AttributeKind::Bytes:
        return out_.text(7, ValueOf<std::string_view>::read(value));
      case AttributeKind::Int:
        return out_.integer(3, value.as_int);
      case AttributeKind::Float:
        return out_.float32(4, static_cast<float>(value.as_double));
      case AttributeKind::Bool:
        return out_.integer(5, ValueOf<bool>::read(value) ? 1 : 0);
      case AttributeKind::Type:
        return out_.integer(15, value.as_int);
      case AttributeKind::Tensor:
        return write_tensor(12, Tensor::borrow(value.as_tensor));
      case AttributeKind::ListListInt:
        return write_lists(14, value);
      case AttributeKind::ListListFloat:
        return write_lists(16, value);
      default:
        break;
    }
    const size_t list = out_.begin(1);
    for (uint32_t i = 0; i < value.length; ++i) write_element(kind, list_element(value, i));
    out_.integer(20, list_type(kind));
    out_.end(list);
  }

  static ListType list_type(AttributeKind kind) {
    switch (kind) {
      case AttributeKind::ListFloat:
        return kListFloat;
      case AttributeKind::ListBool:
        return kListBool;
      case AttributeKind::ListString:
        return kListString;
      case AttributeKind::ListType:
        return kListDataType;
      case AttributeKind::ListTensor:
        return kListTensor;
      default:
        return kListInt;
    }
  }

  // Not packed: readers accept both.
  void write_element(AttributeKind kind, const OpwValue& element) {
    switch (kind) {
      case AttributeKind::ListFloat:
        return out_.float32(4, static_cast<float>(element.as_double));
      case AttributeKind::ListBool:
        return out_.integer(5, ValueOf<bool>::read(element) ? 1 : 0);
      case AttributeKind::ListString:
        return out_.text(2, ValueOf<std::string_view>::read(element));
      case AttributeKind::ListType:
        return out_.integer(12, element.as_int);
      case AttributeKind::ListTensor:
        return write_tensor(9, Tensor::borrow(element.as_tensor));
      default:
        return out_.integer(3, element.as_int);
    }
  }

  void write_lists(uint32_t field, const OpwValue& lists) {
    const size_t begun = out_.begin(field);
    for (uint32_t i = 0; i < lists.length; ++i) {
      const OpwValue list = list_element(lists, i);
      const size_t each = out_.begin(1);
      for (uint32_t k = 0; k < list.length; ++k) {
        const OpwValue element = list_element(list, k);
        if (element.tag == kOpwFloat) {
          out_.float32(1, static_cast<float>(element.as_double));
        } else {
          out_.integer(1, element.as_int);
        }
      }
      out_.end(each);
    }
    out_.end(begun);
  }

  const GeGraph& graph_;
  WireWriter out_;
};

}  // namespace

std::string to_bytes(const GeGraph& graph) { return GraphWriter(graph).write(); }

}  // namespace opwright::graph_engine
