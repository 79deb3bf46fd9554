#include "command/timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace opwright::command {

int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string time_text(int64_t nanoseconds) {
  const auto time = static_cast<double>(nanoseconds);
  if (nanoseconds < 1'000) return fmt::format("{} ns", nanoseconds);
  if (nanoseconds < 1'000'000) return fmt::format("{:.3g} us", time * 1e-3);
  if (nanoseconds < 1'000'000'000) return fmt::format("{:.3g} ms", time * 1e-6);
  return fmt::format("{:.3f} s", time * 1e-9);
}

std::string statistics_text(std::vector<int64_t> nanoseconds) {
  std::ranges::sort(nanoseconds);
  const size_t half = nanoseconds.size() / 2;
  const int64_t median = nanoseconds.size() % 2 == 1
                             ? nanoseconds[half]
                             : (nanoseconds[half - 1] + nanoseconds[half]) / 2;
  return fmt::format("median {}, min {}, max {}", time_text(median), time_text(nanoseconds.front()),
                     time_text(nanoseconds.back()));
}

std::string peak_memory_text() {
  struct rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return "";
  constexpr double kilobyte = 1024;
  return fmt::format("{:.1f} MB", static_cast<double>(usage.ru_maxrss) * kilobyte * 1e-6);
}

}  // namespace opwright::command
