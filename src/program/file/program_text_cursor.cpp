#include "opwright/program/file/program_text_cursor.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/ir/graph/value_name.h"
#include "opwright/ir/text/text_cursor.h"
#include "opwright/program/file/utf8.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {

std::string ProgramTextCursor::take_text() {
  const size_t begin = next();
  std::string text = take_string();
  if (!is_utf8(text)) fail_since(begin, "the string is not UTF-8");
  return text;
}

std::string ProgramTextCursor::take_text_if() {
  const size_t begin = at();
  if (peek() == '"') return take_text();
  seek(begin);
  return "";
}

std::string ProgramTextCursor::take_new_text(Names& taken, std::string_view what) {
  const size_t begin = next();
  std::string text = take_text();
  if (!taken.insert(text).second) fail_since(begin, concatenate("the ", what, " occurs twice"));
  return text;
}

std::string ProgramTextCursor::take_value_name() {
  if (!take_if("%")) return "";
  const TextSpan span = take_word();
  std::string name(text(span));
  if (!is_value_name(name)) fail(span, concatenate("'", name, "' cannot name a value"));
  return name;
}

uint64_t ProgramTextCursor::take_number(int base) {
  const TextSpan span = take_run("");
  const std::string_view digits = text(span);
  uint64_t number = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (digits.empty()) fail_expected("a number");
  if (problem != std::errc() || end != digits.data() + digits.size()) {
    fail(span, concatenate("'", digits, "' is not a number of 64 bits"));
  }
  return number;
}

void ProgramTextCursor::expect_next(size_t count, std::string_view what) {
  const size_t begin = next();
  if (take_number() != count) {
    fail_since(begin, concatenate("the next ", what, " has the number ", count));
  }
}

void ProgramTextCursor::expect_word(std::string_view word) {
  if (!take_word_if(word)) fail_expected(concatenate("'", word, "'"));
}

Value ProgramTextCursor::take_constant() { return constants_.parse_argument().constant(); }

Tensor ProgramTextCursor::take_tensor_type() {
  const size_t begin = next();
  const Value meta = constants_.parse_meta();
  if (meta.tag() != kOpwTensor) fail_since(begin, "this is not a tensor");
  return Tensor::borrow(meta.get().as_tensor);
}

void ProgramTextCursor::expect_line_end() {
  const size_t end = at();
  const size_t following = next();
  const bool is_ended =
      following == whole_.size() || text({end, following}).find('\n') != std::string_view::npos;
  if (!is_ended) fail_expected("the end of the line");
}

void ProgramTextCursor::skip_line_from(size_t place) {
  seek(std::min(whole_.find('\n', place), whole_.size()));
}

}  // namespace opwright
