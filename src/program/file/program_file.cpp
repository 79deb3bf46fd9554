#include "opwright/program/file/program_file.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/file_replacement.h"
#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/text/parse.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/written_operators.h"
#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_image.h"
#include "opwright/program/file/program_source.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/stored_tensors.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

std::vector<NamedTensor> name_tensors(const std::vector<StoredName>& names,
                                      const std::vector<Tensor>& tensors) {
  std::vector<NamedTensor> named;
  named.reserve(names.size());
  for (const StoredName& name : names) {
    named.push_back({.name = name.name, .tensor = tensors[name.tensor]});
  }
  return named;
}

std::vector<Value> read_examples(std::vector<StoredExample>& examples,
                                 const std::vector<Tensor>& tensors) {
  std::vector<Value> values;
  values.reserve(examples.size());
  for (StoredExample& example : examples) {
    values.push_back(example.tensor ? Value(tensors[*example.tensor])
                                    : std::move(example.constant));
  }
  return values;
}

}  // namespace

std::string write_program(const ExportedProgram& program) {
  const ProgramImage image(program);
  std::string bytes;
  bytes.reserve(image.size());
  image.visit_parts([&](std::string_view part) { bytes.append(part); });
  return bytes;
}

void save_program(const ExportedProgram& program, const std::string& path) {
  const ProgramImage image(program);
  FileReplacement file(path);
  image.visit_parts([&](std::string_view part) { file.write(part); });
  file.commit();
}

ExportedProgramPtr read_program_source(const ProgramSource& source) {
  const ProgramFileHeader header = read_program_file_header(source.file, source.origin);
  return read_program_part(header, source.origin, [&] {
    ProgramText text = parse_program_text(source.file.substr(header.text_offset, header.text_bytes),
                                          header.format);
    const WrittenOperators operators(text.operators, source.origin);
    ExportedProgram::Parts parts;
    parts.graph = parse_graph(text.graph, operators.schemas());
    const std::vector<Tensor> tensors = make_stored_tensors(
        text, {.data = source.file.substr(header.data_offset, header.data_bytes),
               .mapping = source.mapping,
               .is_checked = source.has_tensors_checked});
    parts.signature = std::move(text.signature);
    parts.state = name_tensors(text.state, tensors);
    parts.constants = name_tensors(text.constants, tensors);
    parts.example_inputs = read_examples(text.examples, tensors);
    parts.structure = std::move(text.structure);
    return make_intrusive<ExportedProgram>(std::move(parts));
  });
}

ExportedProgramPtr read_program(std::string_view bytes, const std::string& origin) {
  return read_program_source(
      {.file = bytes, .origin = origin, .mapping = nullptr, .has_tensors_checked = true});
}

ExportedProgramPtr load_program_file(const std::string& path, LoadOptions options) {
  const MappedFilePtr mapping = make_intrusive<MappedFile>(path);
  return read_program_source(
      {.file = mapping->bytes(),
       .origin = path,
       .mapping = options.map_tensors ? mapping : nullptr,
       .has_tensors_checked = options.check_tensors || !options.map_tensors});
}

}  // namespace opwright
