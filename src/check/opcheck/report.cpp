#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/runtime/opcheck.h"

namespace opwright {
namespace {

std::string_view state_text(CheckLine::State state) {
  switch (state) {
    case CheckLine::State::Ok:
      return "ok";
    case CheckLine::State::Failed:
      return "FAILED";
    case CheckLine::State::Skipped:
      return "skipped";
  }
  return "";
}

std::string padded(std::string_view text, size_t width) {
  std::string result(text);
  result.resize(std::max(width, result.size()), ' ');
  return result;
}

std::string time_text(double seconds) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f ms", seconds * 1e3);
  return buffer;
}

std::string inputs_text(uint32_t count) {
  return concatenate(count, count == 1 ? " input" : " inputs");
}

std::string indented(std::string_view text, std::string_view by) {
  std::string result;
  bool is_at_start = true;
  for (const char character : text) {
    if (is_at_start && character != '\n') result += by;
    result += character;
    is_at_start = character == '\n';
  }
  return result;
}

std::string heading(const CheckReport& report) {
  std::string text =
      concatenate("opcheck of ", report.op, ": ", inputs_text(report.num_given), " given, ",
                  report.num_generated, " generated (seed ", report.seed, ")");
  if (report.num_refused != 0) {
    text += concatenate(", ", report.num_refused, " others that it rejects");
  }
  return text;
}

std::string finding_text(const CheckFinding& finding) {
  std::string text = concatenate(finding.check, "/", finding.kind, ": ", finding.message, "\n");
  if (!finding.change.empty()) text += concatenate("  found after: ", finding.change, "\n");
  if (!finding.code.empty()) text += "  smallest input:\n" + indented(finding.code, "    ");
  return text;
}

// Escapes text for a markdown table.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text.substr(0, text.find('\n'))) {
    if (character == '|') result += '\\';
    result += character;
  }
  return result;
}

}  // namespace

std::string CheckReport::table() const {
  std::string text = heading(*this) + "\n";
  size_t width = 0;
  for (const CheckLine& line : lines) width = std::max(width, line.check.size());
  for (const CheckLine& line : lines) {
    text +=
        concatenate("  ", padded(line.check, width), "  ", padded(state_text(line.state), 7), "  ");
    if (line.state == CheckLine::State::Ok) {
      text += concatenate(padded(inputs_text(line.inputs), 10), "  ", time_text(line.seconds));
    } else {
      text += line.text;
    }
    text += "\n";
  }
  for (const CheckFinding& finding : findings) text += "\n" + finding_text(finding);
  for (const CheckFinding& remark : remarks) {
    text += concatenate("\nremark: ", remark.check, "/", remark.kind, ": ", remark.message, "\n");
  }
  return text;
}

std::string CheckReport::to_markdown() const {
  std::string text = concatenate("## `", op, "`\n\n", heading(*this), ".\n\n");
  text += "| check | state | inputs | what was found |\n|---|---|---|---|\n";
  for (const CheckLine& line : lines) {
    text += concatenate("| ", line.check, " | ", state_text(line.state), " | ", line.inputs, " | ",
                        escaped(line.text), " |\n");
  }
  for (const CheckFinding& finding : findings) {
    text += concatenate("\n### ", finding.check, "/", finding.kind, "\n\n", finding.message, "\n");
    if (!finding.code.empty()) text += concatenate("\n```python\n", finding.code, "```\n");
  }
  for (const CheckFinding& remark : remarks) {
    text += concatenate("\n- remark ", remark.check, "/", remark.kind, ": ", remark.message, "\n");
  }
  return text;
}

std::string CheckReport::failure_text() const {
  std::string text = concatenate("opcheck of ", op, ": ", findings.size(),
                                 findings.size() == 1 ? " fault" : " faults", "\n");
  for (const CheckFinding& finding : findings) text += "\n" + finding_text(finding);
  return text;
}

void CheckReport::raise_if_failed() const {
  if (!ok()) throw Error("OpCheckError", failure_text());
}

}  // namespace opwright
