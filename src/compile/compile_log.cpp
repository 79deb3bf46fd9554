#include "opwright/compile/compile_log.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "opwright/error.h"

namespace opwright {
namespace {

constexpr auto kTopics = std::to_array<std::string_view>({"code", "nests", "guards", "breaks"});
constexpr uint32_t kAll = (1U << kTopics.size()) - 1;

uint32_t read_topics() noexcept {
  const char* text = std::getenv("OPWRIGHT_LOG");
  if (!text) return 0;
  try {
    return parse_log_topics(text);
  } catch (const Error& error) {
    // A wrong setting of the log must not make functions fail.
    std::fprintf(stderr, "opwright: %s\n", error.what());
    return 0;
  }
}

}  // namespace

uint32_t parse_log_topics(std::string_view text) {
  uint32_t topics = 0;
  while (!text.empty()) {
    const size_t end = text.find(',');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    uint32_t found = word == "all" ? kAll : 0;
    for (size_t i = 0; i < kTopics.size(); ++i)
      if (word == kTopics[i]) found = 1U << i;
    OPWRIGHT_CHECK_VALUE(found != 0, "OPWRIGHT_LOG: there is no topic '", word,
                         "', only code, nests, guards, breaks and all");
    topics |= found;
  }
  return topics;
}

bool is_logged(LogTopic topic) noexcept {
  static const uint32_t topics = read_topics();
  return (topics >> static_cast<uint32_t>(topic) & 1) != 0;
}

void write_log(LogTopic topic, std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string lines = concatenate("opwright ", kTopics[static_cast<size_t>(topic)], ": ");
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "    ";
  }
  std::fprintf(stderr, "%s\n", lines.c_str());
}

std::string Stopwatch::text() const {
  const std::chrono::duration<double, std::milli> passed =
      std::chrono::steady_clock::now() - begin_;
  return fmt::format("{:.1f} ms", passed.count());
}

}  // namespace opwright
