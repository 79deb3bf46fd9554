// parse_program_text: reads the output of to_text, line by line.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/program_text_cursor.h"
#include "opwright/program/file/utf8.h"

namespace opwright {
namespace {

using Names = ProgramTextCursor::Names;

class Reader {
 public:
  Reader(std::string_view text, const ProgramFormat& format)
      : text_(text), format_(format), cursor_(text) {}

  ProgramText read();

 private:
  size_t take_block();
  size_t take_tensor();

  bool read_line();
  void skip_unknown(TextSpan keyword, bool is_optional);

  void read_writer();
  void read_operator();
  void read_input();
  void read_output();
  void read_arguments();
  void read_results();
  void read_state();
  void read_constant();
  void read_example();
  void read_block();
  void read_tensor();
  void read_name(std::vector<StoredName>& names, Names& taken);
  void check_tensor_numbers() const;

  std::string_view text_;
  const ProgramFormat& format_;
  ProgramTextCursor cursor_;
  ProgramText program_;
  Names single_;  // keywords that occur at most once
  Names operators_;
  Names inputs_;
  Names state_names_;
  Names constant_names_;
  // Tensors follow the lines that name them.
  struct Mention {
    size_t tensor;
    TextSpan span;
  };
  std::vector<Mention> mentions_;
};

size_t Reader::take_block() {
  const size_t begin = cursor_.next();
  const uint64_t number = cursor_.take_number();
  if (number >= program_.blocks.size()) {
    cursor_.fail_since(begin, concatenate("there are ", program_.blocks.size(), " blocks so far"));
  }
  return number;
}

size_t Reader::take_tensor() {
  cursor_.expect_word("tensor");
  const size_t begin = cursor_.next();
  const uint64_t number = cursor_.take_number();
  mentions_.push_back({.tensor = number, .span = {begin, cursor_.at()}});
  return number;
}

// ---- Lines ----

void Reader::read_writer() { program_.writer = cursor_.take_text(); }

void Reader::read_operator() {
  OperatorUse use;
  use.name = cursor_.take_new_text(operators_, "operator");
  use.schema = cursor_.take_text();
  if (cursor_.take_word_if("library")) use.library = cursor_.take_text();
  program_.operators.push_back(std::move(use));
}

void Reader::read_input() {
  InputSpec input;
  const TextSpan word = cursor_.take_word();
  const auto kind = find_input_kind(cursor_.text(word));
  if (!kind) cursor_.fail(word, concatenate("unknown kind of input '", cursor_.text(word), "'"));
  input.kind = *kind;
  const size_t begin = cursor_.next();
  input.value = cursor_.take_value_name();
  if (!input.value.empty() && !inputs_.insert(input.value).second) {
    cursor_.fail_since(begin, "the input occurs twice");
  }
  input.target = cursor_.take_text_if();
  if (cursor_.take_word_if("not_persistent")) input.is_persistent = false;
  if (input.value.empty() && input.kind != InputKind::UserInput) {
    cursor_.fail_since(begin, "only a user input can be a constant");
  }
  if (input.value.empty()) {
    cursor_.expect_word("constant");
    input.constant = cursor_.take_constant();
  }
  program_.signature.inputs.push_back(std::move(input));
}

void Reader::read_output() {
  OutputSpec output;
  const TextSpan word = cursor_.take_word();
  const auto kind = find_output_kind(cursor_.text(word));
  if (!kind) cursor_.fail(word, concatenate("unknown kind of output '", cursor_.text(word), "'"));
  output.kind = *kind;
  const size_t begin = cursor_.next();
  const bool is_size = cursor_.take_word_if("sizes");
  if (is_size) program_.size_outputs.insert(program_.signature.outputs.size());
  output.value = is_size ? cursor_.take_text() : cursor_.take_value_name();
  output.target = cursor_.take_text_if();
  if (output.kind != OutputKind::UserOutput && (is_size || output.value.empty())) {
    cursor_.fail_since(begin, "only a user output can be a constant or a size");
  }
  if (output.value.empty()) {
    cursor_.expect_word("constant");
    output.constant = cursor_.take_constant();
  }
  program_.signature.outputs.push_back(std::move(output));
}

void Reader::read_arguments() { program_.structure.arguments = cursor_.take_text(); }
void Reader::read_results() { program_.structure.results = cursor_.take_text(); }

void Reader::read_name(std::vector<StoredName>& names, Names& taken) {
  StoredName stored;
  stored.name = cursor_.take_new_text(taken, "name");
  stored.tensor = take_tensor();
  names.push_back(std::move(stored));
}
void Reader::read_state() { read_name(program_.state, state_names_); }
void Reader::read_constant() { read_name(program_.constants, constant_names_); }

void Reader::read_example() {
  StoredExample example;
  if (cursor_.take_word_if("constant")) {
    example.constant = cursor_.take_constant();
  } else {
    example.tensor = take_tensor();
  }
  program_.examples.push_back(std::move(example));
}

void Reader::read_block() {
  cursor_.expect_next(program_.blocks.size(), "block");
  cursor_.expect_word("offset");
  const size_t begin = cursor_.next();
  StoredBlock block;
  block.offset = cursor_.take_number();
  cursor_.expect_word("bytes");
  block.bytes = cursor_.take_number();
  const size_t end = cursor_.at();
  cursor_.expect_word("checksum");
  const size_t place = cursor_.next();
  const uint64_t checksum = cursor_.take_number(16);
  if (checksum > UINT32_MAX) cursor_.fail_since(place, "a checksum has eight digits");
  block.checksum = static_cast<uint32_t>(checksum);
  const StoredBlock before = program_.blocks.empty() ? StoredBlock{} : program_.blocks.back();
  if (block.offset % kBlockAlignment != 0) {
    cursor_.fail({begin, end}, concatenate("the block is not aligned to ", kBlockAlignment));
  }
  if (block.offset < before.offset + before.bytes || block.offset + block.bytes < block.offset) {
    cursor_.fail({begin, end}, "the block does not begin after the block before it");
  }
  program_.blocks.push_back(block);
}

void Reader::read_tensor() {
  StoredTensor tensor;
  cursor_.expect_next(program_.tensors.size(), "tensor");
  cursor_.expect_word("block");
  tensor.block = take_block();
  tensor.meta = cursor_.take_tensor_type();
  program_.tensors.push_back(std::move(tensor));
}

void Reader::check_tensor_numbers() const {
  for (const Mention& mention : mentions_) {
    if (mention.tensor < program_.tensors.size()) continue;
    cursor_.fail(mention.span, concatenate("there are ", program_.tensors.size(), " tensors"));
  }
}

// ---- The text ----

void Reader::skip_unknown(TextSpan keyword, bool is_optional) {
  if (is_optional) return cursor_.skip_line_from(keyword.end);
  const std::string_view word = cursor_.text(keyword);
  const ProgramFormat own = current_program_format();
  if (format_.minor_version <= own.minor_version || word.empty()) {
    cursor_.seek(keyword.begin);
    cursor_.fail_expected("a keyword such as 'operator', 'input' or 'graph'");
  }
  cursor_.fail(keyword, concatenate("the program needs '", word, "', which ", program_.writer,
                                    " wrote and this Opwright does not know"));
}

// Returns false at the graph.
bool Reader::read_line() {
  struct Line {
    std::string_view keyword;
    void (Reader::*read)();
    bool is_single = false;
  };
  static constexpr std::array<Line, 11> kLines = {{
      {"writer", &Reader::read_writer, true},
      {"operator", &Reader::read_operator},
      {"input", &Reader::read_input},
      {"output", &Reader::read_output},
      {"arguments", &Reader::read_arguments, true},
      {"results", &Reader::read_results, true},
      {"state", &Reader::read_state},
      {"constant", &Reader::read_constant},
      {"example", &Reader::read_example},
      {"block", &Reader::read_block},
      {"tensor", &Reader::read_tensor},
  }};
  const bool is_optional = cursor_.take_if("?");
  const TextSpan keyword = cursor_.take_word();
  const std::string_view word = cursor_.text(keyword);
  if (word == "graph" && !is_optional) {
    cursor_.seek(keyword.begin);
    return false;
  }
  const auto* line = std::ranges::find(kLines, word, &Line::keyword);
  if (line == kLines.end()) {
    skip_unknown(keyword, is_optional);
    return true;
  }
  if (line->is_single && !single_.emplace(word).second) {
    cursor_.fail(keyword, concatenate("the ", word, " occurs twice"));
  }
  (this->*line->read)();
  cursor_.expect_line_end();
  return true;
}

ProgramText Reader::read() {
  const size_t wrong = find_non_utf8(text_);
  if (wrong != std::string_view::npos) cursor_.fail({wrong, wrong + 1}, "the text is not UTF-8");
  while (read_line()) {
  }
  check_tensor_numbers();
  program_.graph = text_.substr(cursor_.at());
  return std::move(program_);
}

}  // namespace

ProgramText parse_program_text(std::string_view text, const ProgramFormat& format) {
  return Reader(text, format).read();
}

}  // namespace opwright
