// The compiler's log on stderr, controlled by OPWRIGHT_LOG.
//
// The variable lists topics, "code,guards" or "all":
//   code    each object: made, read or refused, by whom, how long it took
//   nests   each group of fused operators, as text
//   guards  why a function is compiled again
//   breaks  where a graph ends early
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/error.h"
#include "opwright/visibility.h"

namespace opwright {

enum class LogTopic : uint8_t { Code, Nests, Guards, Breaks };

// Read from the environment at the first call.
[[nodiscard]] OPWRIGHT_EXPORT bool is_logged(LogTopic topic) noexcept;
// One line each: "opwright code: made in 12.3 ms by llvmlite 0.50.0, 4120 bytes". Longer texts are
// indented below it.
OPWRIGHT_EXPORT void write_log(LogTopic topic, std::string_view text);

// Builds the text only if the topic is logged.
template <class... Parts>
void log(LogTopic topic, const Parts&... parts) {
  if (is_logged(topic)) write_log(topic, concatenate(parts...));
}

// The time since construction: "12.3 ms".
class Stopwatch {
 public:
  [[nodiscard]] std::string text() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The topics that a value of the variable names; ValueError for an unknown word.
[[nodiscard]] uint32_t parse_log_topics(std::string_view text);

}  // namespace opwright
