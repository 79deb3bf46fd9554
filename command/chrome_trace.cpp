#include "command/chrome_trace.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command/profile.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_text.h"

namespace opwright::command {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The length of the first character of `text`; 0 if it is not UTF-8, including overlong forms,
// surrogates and numbers above U+10FFFF.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                   is_continuation))
    return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return is_wrong ? 0 : length;
}

void append_escaped(std::string& out, char character) {
  if (character == '"' || character == '\\') {
    out.append({'\\', character});
  } else if (static_cast<unsigned char>(character) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
  } else {
    out.push_back(character);
  }
}

// Times are in microseconds with three decimals.
void append_event(std::string& out, std::string_view name, int64_t began, int64_t ended,
                  const std::string& arguments) {
  fmt::format_to(
      std::back_inserter(out),
      R"({}{{"ph":"X","pid":1,"tid":1,"name":{},"ts":{}.{:03},"dur":{}.{:03},"args":{{{}}}}})",
      out.empty() ? "" : ",\n", json_string(name), began / 1000, began % 1000,
      (ended - began) / 1000, (ended - began) % 1000, arguments);
}

std::string arguments_of(const Node& node) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(text), "{}{}:{}", text.empty() ? "" : ",", json_string(key),
                   json_string(value));
  };
  if (node.site().is_known()) add("line", node.site().text());
  add("module", node.module_path());
  for (const GraphValue& value : node.values()) add("%" + value.name(), meta_text(value.meta()));
  return text;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 1) {
      append_escaped(quoted, text[0]);
    } else {
      quoted.append(length == 0 ? "\\ufffd" : text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  quoted.push_back('"');
  return quoted;
}

std::string chrome_trace(const Profile& profile) {
  const int64_t start = profile.runs().empty() ? 0 : profile.runs().front().began;
  std::string events;
  for (const Profile::Run& run : profile.runs())
    append_event(events, "run", run.began - start, run.ended - start, "");
  for (const Profile::Step& step : profile.steps())
    append_event(events, step.node->op().name(), step.began - start, step.ended - start,
                 arguments_of(*step.node));
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + events + "\n]}\n";
}

void write_chrome_trace(const std::string& path, const Profile& profile) {
  const std::string text = chrome_trace(profile);
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  const bool is_written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool is_closed = file && std::fclose(file) == 0;
  if (is_written && is_closed) return;
  const char* reason = std::strerror(errno);
  throw_error("OSError", "cannot write ", path, ": ", reason);
}

}  // namespace opwright::command
