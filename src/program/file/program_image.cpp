#include "opwright/program/file/program_image.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/export/version.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/tensor_blocks.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// An object inside an argument that has no text form.
const char* find_object(const OpwValue& value);

void check_arguments(const Graph& graph) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    for (const NodeArgument& argument : node->args()) {
      if (argument.kind() != NodeArgument::Kind::Constant) continue;
      const char* type = find_object(argument.constant().get());
      OPWRIGHT_CHECK_VALUE(!type, "save: ", node_text(*node), " has an argument of type ", type,
                           ", which a program file cannot hold; give the operator an argument "
                           "that is data");
    }
  }
}

const char* find_object(const OpwValue& value) {
  if (value.tag == kOpwObject) {
    if (is_graph(value)) return check_arguments(*graph_of(value)), nullptr;
    return value.as_object ? value.as_object->table->type_name : "object";
  }
  if (!is_list_tag(value.tag) || value.tag == kOpwIntList) return nullptr;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (const char* type = find_object(list_element(value, i))) return type;
  }
  return nullptr;
}

// The outputs that are not values of the graph.
std::set<size_t> find_size_outputs(const ExportedProgram& program) {
  std::set<size_t> places;
  const std::vector<OutputSpec>& outputs = program.signature().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool is_constant = outputs[i].value.empty();
    if (!is_constant && !program.graph().find(outputs[i].value)) places.insert(i);
  }
  return places;
}

void add_names(std::vector<StoredName>& names, std::span<const NamedTensor> tensors,
               TensorBlocks& blocks) {
  for (const NamedTensor& named : tensors) {
    const std::string who = concatenate("'", named.name, "'");
    names.push_back({.name = named.name, .tensor = blocks.add(named.tensor, who)});
  }
}

void add_examples(ProgramText& text, std::span<const Value> examples, TensorBlocks& blocks) {
  for (size_t i = 0; i < examples.size(); ++i) {
    StoredExample example;
    if (examples[i].tag() == kOpwTensor) {
      const Tensor tensor = Tensor::borrow(examples[i].get().as_tensor);
      example.tensor = blocks.add(tensor, concatenate("example input ", i));
    } else {
      example.constant = examples[i];
    }
    text.examples.push_back(std::move(example));
  }
}

}  // namespace

ProgramText text_without_tensors(const ExportedProgram& program) {
  ProgramText text;
  text.writer = concatenate("opwright ", kVersion);
  // Current schemas: the graph's text omits arguments equal to their defaults.
  text.operators = operators_of(program.graph());
  text.signature = program.signature();
  text.size_outputs = find_size_outputs(program);
  text.structure = program.structure();
  text.graph = to_text(program.graph());
  return text;
}

ProgramImage::ProgramImage(const ExportedProgram& program) {
  check_arguments(program.graph());
  ProgramText text = text_without_tensors(program);
  add_names(text.state, program.state(), blocks_);
  add_names(text.constants, program.constants(), blocks_);
  add_examples(text, program.example_inputs(), blocks_);
  const uint64_t data_bytes = blocks_.place();
  text.blocks = blocks_.blocks();
  text.tensors = blocks_.tensors();
  const std::string written = to_text(text);

  ProgramFileHeader header{.format = current_program_format()};
  header.text_bytes = written.size();
  header.text_checksum = checksum(written);
  const uint64_t text_end = header.text_offset + header.text_bytes;
  header.data_bytes = data_bytes;
  if (data_bytes != 0) {
    header.data_offset = (text_end + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  }
  header.file_bytes = data_bytes == 0 ? text_end : header.data_offset + data_bytes;
  size_ = header.file_bytes;
  start_ = to_bytes(header) + written;
  start_.resize(std::max(text_end, header.data_offset), '\0');
}

std::string_view ProgramImage::padding(uint64_t bytes) {
  static constexpr char kZeros[kBlockAlignment] = {};
  return {kZeros, bytes};
}

}  // namespace opwright
