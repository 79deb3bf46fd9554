#include "command/chrome_trace.h"

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
#include "opwright/program/file/utf8.h"

namespace opwright::command {
namespace {

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
    const size_t invalid = find_non_utf8(text);
    for (const char character : text.substr(0, invalid)) append_escaped(quoted, character);
    if (invalid == std::string_view::npos) break;
    quoted.append("\\ufffd");
    text.remove_prefix(invalid + 1);
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
