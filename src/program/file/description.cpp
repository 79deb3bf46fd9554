// Describes a program or its file. No operator is looked up and no tensor is read.
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_file.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_image.h"
#include "opwright/program/file/program_text.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// "float32[batch, 3]" by name of the graph's input, from its text.
using Metas = std::unordered_map<std::string, std::string>;

Metas input_metas(std::string_view graph) {
  Metas metas;
  TextCursor cursor(graph);
  cursor.expect("graph");
  cursor.expect("(");
  while (cursor.peek() != ')') {
    if (cursor.peek() != '%') (void)cursor.take_word();
    cursor.expect("%");
    const std::string name(cursor.text(cursor.take_word()));
    cursor.expect(":");
    const std::string_view meta = cursor.text(cursor.take_expression(",)", "a type"));
    metas.emplace(name, meta.substr(0, meta.find(" at ")));
    if (!cursor.take_if(",")) break;
  }
  return metas;
}

// The lines after the graph's head that constrain its sizes: "symbol batch in [1, inf], ...".
std::string constraint_lines(std::string_view graph) {
  std::string lines;
  size_t begin = graph.find('\n') + 1;
  while (begin != 0 && begin < graph.size()) {
    const size_t end = graph.find('\n', begin);
    const std::string_view line = graph.substr(begin, end - begin);
    const size_t first = line.find_first_not_of(' ');
    const std::string_view fact =
        first == std::string_view::npos ? std::string_view() : line.substr(first);
    const bool is_fact =
        fact.starts_with("symbol ") || fact.starts_with("guard ") || fact.starts_with("assert ");
    if (!is_fact) break;
    lines.append("  ").append(fact).append("\n");
    begin = end + 1;
  }
  return lines;
}

std::string constant_text(const Value& constant) {
  std::string text;
  append_constant_text(text, constant.get());
  return text;
}

class Description {
 public:
  explicit Description(ProgramText program)
      : program_(std::move(program)), metas_(input_metas(program_.graph)) {}

  void append(std::string& out) const;

 private:
  [[nodiscard]] std::string input_line(const InputSpec& input) const;
  [[nodiscard]] std::string output_line(size_t index) const;
  [[nodiscard]] std::string tensor_line(const StoredName& stored) const;

  ProgramText program_;
  Metas metas_;
};

std::string Description::input_line(const InputSpec& input) const {
  std::string line = concatenate("  ", to_text(input.kind), " ", input.target);
  const auto meta = metas_.find(input.value);
  if (input.value.empty()) line += " = " + constant_text(input.constant);
  if (meta != metas_.end()) line += concatenate(": %", input.value, " ", meta->second);
  return line + (input.is_persistent ? "\n" : ", not in the state_dict\n");
}

std::string Description::output_line(size_t index) const {
  const OutputSpec& output = program_.signature.outputs[index];
  std::string line = concatenate("  ", to_text(output.kind));
  if (!output.target.empty()) line += " " + output.target;
  if (output.value.empty()) return concatenate(line, " = ", constant_text(output.constant), "\n");
  const char* sign = program_.size_outputs.contains(index) ? "" : "%";
  return concatenate(line, ": ", sign, output.value, "\n");
}

std::string Description::tensor_line(const StoredName& stored) const {
  const StoredTensor& tensor = program_.tensors[stored.tensor];
  return concatenate("  ", stored.name, ": tensor ", stored.tensor, ", ",
                     meta_text(Value(tensor.meta)), ", ", program_.blocks[tensor.block].bytes,
                     " bytes\n");
}

void Description::append(std::string& out) const {
  out += "inputs\n";
  for (const InputSpec& input : program_.signature.inputs) out += input_line(input);
  out += "outputs\n";
  for (size_t i = 0; i < program_.signature.outputs.size(); ++i) out += output_line(i);
  const std::string constraints = constraint_lines(program_.graph);
  if (!constraints.empty()) out += "sizes\n" + constraints;
  out += "operators\n";
  for (const OperatorUse& use : program_.operators) {
    out += concatenate("  ", use.schema, use.library.empty() ? "" : ", from " + use.library, "\n");
  }
  if (!program_.state.empty()) out += "state\n";
  for (const StoredName& stored : program_.state) out += tensor_line(stored);
  if (!program_.constants.empty()) out += "constants\n";
  for (const StoredName& stored : program_.constants) out += tensor_line(stored);
  out += program_.graph;
}

}  // namespace

std::string to_text(const ExportedProgram& program) {
  std::string out = "program\n";
  Description(text_without_tensors(program)).append(out);
  return out;
}

std::string describe_program_file(const std::string& path) {
  const MappedFilePtr mapping = make_intrusive<MappedFile>(path);
  const std::string_view file = mapping->bytes();
  const ProgramFileHeader header = read_program_file_header(file, path);
  return read_program_part(header, path, [&] {
    ProgramText program =
        parse_program_text(file.substr(header.text_offset, header.text_bytes), header.format);
    std::string out =
        concatenate("program file of format ", header.format.text(), ", written by ",
                    program.writer, ": ", header.file_bytes, " bytes, ", header.data_bytes,
                    " of them in ", program.tensors.size(), " tensors\n");
    Description(std::move(program)).append(out);
    return out;
  });
}

}  // namespace opwright
