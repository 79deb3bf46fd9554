#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/utf8.h"
#include "opwright/schema/constant.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Which part of a constant has no text form; null if all has.
const char* why_not_data(const OpwValue& value) {
  switch (value.tag) {
    case kOpwTensor:
    case kOpwTensorList:
      return "a tensor";
    case kOpwObject:
      return value.as_object ? value.as_object->table->type_name : "an object";
    case kOpwSymInt:
      return is_symbolic(value.as_int) ? "a symbolic int" : nullptr;
    default:
      break;
  }
  if (!is_list_tag(value.tag)) return nullptr;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (const char* reason = why_not_data(list_element(value, i))) return reason;
  }
  return nullptr;
}

class Writer {
 public:
  std::string write(const ProgramText& program);

 private:
  void start(std::string_view keyword) { out_.append(keyword); }
  void word(std::string_view text) { out_.append(" ").append(text); }
  void number(size_t number) {
    out_.append(" ");
    append_text(out_, number);
  }
  void string(std::string_view text) {
    out_.append(" ");
    append_quoted(out_, text);
  }
  void value(std::string_view name) { out_.append(" %").append(name); }
  void constant(const Value& constant, std::string_view of, std::string_view name);
  void end() { out_.push_back('\n'); }

  void write_operators(const ProgramText& program);
  void write_inputs(const GraphSignature& signature);
  void write_outputs(const ProgramText& program);
  void write_names(std::string_view keyword, const std::vector<StoredName>& names);
  void write_examples(const ProgramText& program);
  void write_tensors(const ProgramText& program);

  std::string out_;
};

void Writer::constant(const Value& constant, std::string_view of, std::string_view name) {
  const char* reason = why_not_data(constant.get());
  OPWRIGHT_CHECK_VALUE(!reason, "save: the ", of, " '", name, "' is ", reason,
                       ", which a program file cannot hold; give it as a tensor, a number or a "
                       "string, or keep it out of the exported function");
  word("constant ");
  append_constant_text(out_, constant.get());
}

void Writer::write_operators(const ProgramText& program) {
  for (const OperatorUse& use : program.operators) {
    start("operator");
    string(use.name);
    string(use.schema);
    if (!use.library.empty()) {
      word("library");
      string(use.library);
    }
    end();
  }
}

void Writer::write_inputs(const GraphSignature& signature) {
  for (const InputSpec& input : signature.inputs) {
    start("input");
    word(to_text(input.kind));
    if (!input.value.empty()) value(input.value);
    if (!input.target.empty()) string(input.target);
    if (!input.is_persistent) word("not_persistent");
    if (input.value.empty()) constant(input.constant, "input", input.target);
    end();
  }
}

void Writer::write_outputs(const ProgramText& program) {
  const std::vector<OutputSpec>& outputs = program.signature.outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputSpec& output = outputs[i];
    start("output");
    word(to_text(output.kind));
    if (!program.size_outputs.contains(i)) {
      if (!output.value.empty()) value(output.value);
    } else {
      word("sizes");
      string(output.value);
    }
    if (!output.target.empty()) string(output.target);
    if (output.value.empty()) constant(output.constant, "output", output.target);
    end();
  }
}

void Writer::write_names(std::string_view keyword, const std::vector<StoredName>& names) {
  for (const StoredName& stored : names) {
    start(keyword);
    string(stored.name);
    word("tensor");
    number(stored.tensor);
    end();
  }
}

void Writer::write_examples(const ProgramText& program) {
  for (const StoredExample& example : program.examples) {
    start("example");
    if (example.tensor) {
      word("tensor");
      number(*example.tensor);
    } else {
      const auto place = static_cast<size_t>(&example - program.examples.data());
      constant(example.constant, "example input", concatenate(place));
    }
    end();
  }
}

void Writer::write_tensors(const ProgramText& program) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    const StoredBlock& block = program.blocks[i];
    start("block");
    number(i);
    word("offset");
    number(block.offset);
    word("bytes");
    number(block.bytes);
    word("checksum ");
    for (int shift = 28; shift >= 0; shift -= 4) {
      out_.push_back(kDigits[block.checksum >> shift & 0xf]);
    }
    end();
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    start("tensor");
    number(i);
    word("block");
    number(program.tensors[i].block);
    out_.push_back(' ');
    append_meta_text(out_, Value(program.tensors[i].meta));
    end();
  }
}

std::string Writer::write(const ProgramText& program) {
  out_.append("# An Opwright program. `python -m opwright show` explains it.\n");
  start("writer");
  string(program.writer);
  end();
  write_operators(program);
  write_inputs(program.signature);
  write_outputs(program);
  if (!program.structure.arguments.empty()) {
    start("arguments");
    string(program.structure.arguments);
    end();
  }
  if (!program.structure.results.empty()) {
    start("results");
    string(program.structure.results);
    end();
  }
  write_names("state", program.state);
  write_names("constant", program.constants);
  write_examples(program);
  write_tensors(program);
  out_.append(program.graph);
  return std::move(out_);
}

}  // namespace

std::string to_text(const ProgramText& program) {
  std::string text = Writer().write(program);
  const size_t wrong = find_non_utf8(text);
  if (wrong != std::string_view::npos) {
    const size_t begin = text.rfind('\n', wrong) + 1;
    throw_error("ValueError", "save: a name or string of the program is not UTF-8: ",
                text.substr(begin, wrong - begin), "...");
  }
  return text;
}

}  // namespace opwright
