#include "opwright/schema/schema_source.h"

#include <algorithm>

namespace opwright {
namespace {

// Characters of UTF-8 text, so that the underline stands below its token.
size_t num_characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// One line without what would move the cursor.
std::string printable(std::string_view line) {
  std::string text(line);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

void SchemaSource::fail(size_t begin, size_t end, std::string_view problem,
                        std::string_view advice) const {
  begin = std::min(begin, text_.size());
  const size_t newline = text_.substr(0, begin).rfind('\n');
  const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t line_end = std::min(text_.find('\n', begin), text_.size());
  const size_t column = num_characters(text_.substr(line_begin, begin - line_begin));
  end = std::clamp(end, begin, line_end);
  const size_t width = std::max<size_t>(1, num_characters(text_.substr(begin, end - begin)));

  std::string text = name_.empty() ? "schema: " : concatenate("schema of ", name_, ": ");
  text.append(problem).append(" at ");
  if (line_begin != 0) {
    text.append(
        concatenate("line ", 1 + std::ranges::count(text_.substr(0, line_begin), '\n'), ", "));
  }
  text.append(concatenate("column ", column + 1));
  text.append("\n    ").append(printable(text_.substr(line_begin, line_end - line_begin)));
  text.append("\n    ").append(column, ' ').append(width, '^');
  if (!advice.empty() || site_.is_known()) text.append("\n  ").append(advice);
  if (site_.is_known())
    text.append(advice.empty() ? "" : " ").append("registered at ").append(site_.text());
  throw Error("ValueError", text);
}

}  // namespace opwright
