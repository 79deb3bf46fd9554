// Reads the elements of a line in the text of a program file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/text/argument_parser.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

class ProgramTextCursor final : public TextCursor, private ArgumentParser::SubGraphs {
 public:
  using Names = std::unordered_set<std::string>;

  explicit ProgramTextCursor(std::string_view text)
      : TextCursor(text, "program"), whole_(text), constants_(*this, *this) {}
  ProgramTextCursor(const ProgramTextCursor&) = delete;
  ProgramTextCursor& operator=(const ProgramTextCursor&) = delete;

  // A quoted UTF-8 string.
  std::string take_text();
  // The same; empty if there is none.
  std::string take_text_if();
  // The same; it must not be in `taken` and is added to it.
  std::string take_new_text(Names& taken, std::string_view what);
  // %x; empty if there is none.
  std::string take_value_name();
  uint64_t take_number(int base = 10);
  // Expects the next number in a list of `count`.
  void expect_next(size_t count, std::string_view what);
  void expect_word(std::string_view word);
  Value take_constant();
  // A tensor type as a graph writes it, as a fake tensor.
  Tensor take_tensor_type();

  void expect_line_end();
  // Skips the rest of the line.
  void skip_line_from(size_t place);

 private:
  GraphPtr parse_sub_graph() override { fail_expected("a constant, not a graph"); }

  std::string_view whole_;
  ArgumentParser constants_;
};

}  // namespace opwright
