#include "opwright/schema/schema_source.h"

#include <algorithm>

namespace opwright {
namespace {

// The number of UTF-8 characters, so that the underline is below its token.
size_t num_characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// One line without characters that move the cursor.
std::string printable(std::string_view line) {
  std::string text(line);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

std::string underline(std::string_view text, size_t begin, size_t end, std::string_view problem) {
  begin = std::min(begin, text.size());
  const size_t newline = text.substr(0, begin).rfind('\n');
  const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t line_end = std::min(text.find('\n', begin), text.size());
  const size_t column = num_characters(text.substr(line_begin, begin - line_begin));
  end = std::clamp(end, begin, line_end);
  const size_t width = std::max<size_t>(1, num_characters(text.substr(begin, end - begin)));

  std::string out(problem);
  out.append(" at ");
  if (line_begin != 0) {
    out.append(
        concatenate("line ", 1 + std::ranges::count(text.substr(0, line_begin), '\n'), ", "));
  }
  out.append(concatenate("column ", column + 1));
  out.append("\n    ").append(printable(text.substr(line_begin, line_end - line_begin)));
  out.append("\n    ").append(column, ' ').append(width, '^');
  return out;
}

void SchemaSource::fail(size_t begin, size_t end, std::string_view problem,
                        std::string_view advice) const {
  std::string text = name_.empty() ? "schema: " : concatenate("schema of ", name_, ": ");
  text = underline(text_, begin, end, text.append(problem));
  if (!advice.empty() || site_.is_known()) text.append("\n  ").append(advice);
  if (site_.is_known())
    text.append(advice.empty() ? "" : " ").append("registered at ").append(site_.text());
  throw Error("ValueError", text);
}

}  // namespace opwright
