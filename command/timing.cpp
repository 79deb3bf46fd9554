#include "command/timing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
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
  // getrusage would include the parent's memory before exec.
  constexpr std::string_view key = "VmHWM:";
  constexpr double kibibyte = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const double kibibytes = std::strtod(line.c_str() + key.size(), nullptr);
    return fmt::format("{:.1f} MB", kibibytes * kibibyte * 1e-6);
  }
  return "";
}

}  // namespace opwright::command
