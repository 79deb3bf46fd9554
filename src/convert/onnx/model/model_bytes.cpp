#include "opwright/convert/onnx/model/model_bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/file_replacement.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/wire_writer.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

// Smaller tensors stay in the model, where tools show them.
constexpr uint64_t kLeastExternalBytes = 1024;
constexpr uint64_t kAlignment = 4096;
constexpr uint64_t kUsualGraphBytes = 1 << 16;

uint64_t count_bytes(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.numel()) * item_size(tensor.dtype());
}

// Writes the bytes of large tensors to the file next to the model.
class ExternalFile {
 public:
  ExternalFile(std::string location, FileReplacement& file)
      : location_(std::move(location)), file_(file) {}

  // Returns the offset.
  uint64_t write(std::string_view bytes) {
    const uint64_t begin = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    file_.write(std::string(begin - size_, '\0'));
    file_.write(bytes);
    size_ = begin + bytes.size();
    return begin;
  }
  [[nodiscard]] const std::string& location() const { return location_; }

 private:
  std::string location_;
  FileReplacement& file_;
  uint64_t size_ = 0;
};

class ModelWriter {
 public:
  explicit ModelWriter(ExternalFile* external) : external_(external) {}

  std::string write(const Model::State& model) {
    if (!external_) out_.reserve(count_tensor_bytes(model) + kUsualGraphBytes);
    const int64_t version = ir_version(model.opsets.front().second);
    const bool needs_functions = !model.functions.empty();
    out_.integer(1, needs_functions && version < 8 ? 8 : version);
    out_.text(2, "opwright");
    out_.text_if(6, model.doc);
    const size_t graph = out_.begin(7);
    write_graph(model.graph);
    out_.end(graph);
    write_opsets(8, model.opsets);
    for (const auto& [key, value] : model.metadata) write_entry(14, key, value);
    for (const FunctionBody& function : model.functions) write_function(function);
    return out_.take();
  }
  std::string write(const FunctionBody& function) {
    write_function(function);
    return out_.take();
  }

 private:
  void write_entry(uint32_t field, std::string_view key, std::string_view value) {
    const size_t entry = out_.begin(field);
    out_.text(1, key);
    out_.text(2, value);
    out_.end(entry);
  }

  void write_opsets(uint32_t field, const OpsetImports& opsets) {
    for (const auto& [domain, version] : opsets) {
      const size_t import = out_.begin(field);
      out_.text_if(1, domain);
      out_.integer(2, version);
      out_.end(import);
    }
  }

  void write_graph(const GraphBody& graph) {
    for (const OnnxNode& node : graph.nodes) write_node(1, node);
    out_.text(2, graph.name);
    for (const Initializer& each : graph.initializers)
      write_tensor(5, each.name, each.data, external_);
    for (const ValueInfo& each : graph.inputs) write_value(11, each);
    for (const ValueInfo& each : graph.outputs) write_value(12, each);
    for (const ValueInfo& each : graph.values) write_value(13, each);
  }

  void write_function(const FunctionBody& function) {
    const size_t begun = out_.begin(25);
    out_.text(1, function.name);
    for (const std::string& name : function.inputs) out_.text(4, name);
    for (const std::string& name : function.outputs) out_.text(5, name);
    for (const OnnxNode& node : function.nodes) write_node(7, node);
    write_opsets(9, function.opsets);
    out_.text(10, function.domain);
    out_.end(begun);
  }

  void write_node(uint32_t field, const OnnxNode& node) {
    const size_t begun = out_.begin(field);
    for (const std::string& name : node.inputs) out_.text(1, name);
    for (const std::string& name : node.outputs) out_.text(2, name);
    out_.text_if(3, node.name);
    out_.text(4, node.type);
    for (const Attribute& attribute : node.attributes) write_attribute(attribute);
    out_.text_if(6, node.doc);
    out_.text_if(7, node.domain);
    out_.end(begun);
  }

  void write_attribute(const Attribute& attribute) {
    using Kind = Attribute::Kind;
    const size_t begun = out_.begin(5);
    out_.text(1, attribute.name());
    const OpwValue& value = attribute.value().get();
    switch (attribute.kind()) {
      case Kind::Float:
        out_.float32(2, static_cast<float>(ValueOf<double>::read(value)));
        break;
      case Kind::Int:
        out_.integer(3, ValueOf<int64_t>::read(value));
        break;
      case Kind::String:
        out_.text(4, ValueOf<std::string_view>::read(value));
        break;
      case Kind::Tensor:
        write_tensor(5, {}, Tensor::borrow(value.as_tensor), nullptr);
        break;
      case Kind::Graph: {
        const size_t graph = out_.begin(6);
        write_graph(*attribute.body());
        out_.end(graph);
        break;
      }
      case Kind::Floats:
        for (const double each : ValueOf<std::vector<double>>::read(value))
          out_.float32(7, static_cast<float>(each));
        break;
      case Kind::Ints:
        out_.packed_integers(8, ValueOf<std::vector<int64_t>>::read(value));
        break;
      case Kind::Strings:
        for (const std::string& each : ValueOf<std::vector<std::string>>::read(value))
          out_.text(9, each);
        break;
      case Kind::Tensors:
        for (uint32_t i = 0; i < value.length; ++i)
          write_tensor(10, {}, Tensor::borrow(value.as_tensors[i]), nullptr);
        break;
    }
    out_.integer(20, static_cast<int64_t>(attribute.kind()));
    out_.end(begun);
  }

  // Runtimes look in another file only for the bytes of initializers.
  void write_tensor(uint32_t field, std::string_view name, const Tensor& given,
                    ExternalFile* external) {
    const Tensor tensor = given.contiguous();
    const size_t begun = out_.begin(field);
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.size(i));
    if (!sizes.empty()) out_.packed_integers(1, sizes);
    out_.integer(2, element_type(tensor.dtype()));
    out_.text_if(8, name);
    const std::string_view bytes(static_cast<const char*>(tensor.data<void>()),
                                 count_bytes(tensor));
    if (external && bytes.size() >= kLeastExternalBytes) {
      const uint64_t offset = external->write(bytes);
      write_entry(13, "location", external->location());
      write_entry(13, "offset", std::to_string(offset));
      write_entry(13, "length", std::to_string(bytes.size()));
      out_.integer(14, 1);
    } else {
      out_.text(9, bytes);
    }
    out_.end(begun);
  }

  void write_value(uint32_t field, const ValueInfo& info) {
    const size_t begun = out_.begin(field);
    out_.text(1, info.name);
    const size_t type = out_.begin(2);
    const size_t tensor = out_.begin(1);
    out_.integer(1, element_type(info.dtype));
    const size_t shape = out_.begin(2);
    for (const Dimension& dim : info.dims) {
      const size_t each = out_.begin(1);
      if (dim.name.empty()) {
        out_.integer(1, dim.size);
      } else {
        out_.text(2, dim.name);
      }
      out_.end(each);
    }
    out_.end(shape);
    out_.end(tensor);
    out_.end(type);
    out_.end(begun);
  }

  WireWriter out_;
  ExternalFile* external_;
};

bool goes_apart(const Model::State& model) {
  return model.external_data.value_or(count_tensor_bytes(model) > kMostModelBytes - (1 << 20));
}

}  // namespace

uint64_t count_tensor_bytes(const Model::State& model) {
  uint64_t bytes = 0;
  for (const Initializer& each : model.graph.initializers) bytes += count_bytes(each.data);
  return bytes;
}

std::string to_bytes(const Model::State& model) {
  OPWRIGHT_CHECK_VALUE(
      count_tensor_bytes(model) <= kMostModelBytes, "ONNX: the tensors of the model have ",
      count_tensor_bytes(model), " bytes, and a file without external data holds 2 GB at most",
      "\n  Save it with external_data=True (or leave it out): they go to a separate file.");
  std::string bytes = ModelWriter(nullptr).write(model);
  OPWRIGHT_CHECK_VALUE(
      bytes.size() <= kMostModelBytes, "ONNX: the model has ", bytes.size(),
      " bytes, and a file without external data holds 2 GB at most",
      "\n  Save it with external_data=True (or leave it out): tensors go to a separate file.");
  return bytes;
}

std::string to_bytes(const FunctionBody& function) { return ModelWriter(nullptr).write(function); }

void save(const Model::State& model, const std::string& path) {
  FileReplacement file(path);
  if (!goes_apart(model)) {
    file.write(to_bytes(model));
    file.commit();
    return;
  }
  const std::string data_path = path + ".data";
  FileReplacement data(data_path);
  ExternalFile external(data_path.substr(data_path.rfind('/') + 1), data);
  file.write(ModelWriter(&external).write(model));
  data.commit();
  file.commit();
}

}  // namespace opwright::onnx
