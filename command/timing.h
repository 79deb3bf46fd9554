// Run times and memory of the process, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opwright::command {

// Nanoseconds of a steady clock.
[[nodiscard]] int64_t now() noexcept;

// "1.23 s", "45.6 ms", "7.89 us", "120 ns": three digits.
[[nodiscard]] std::string time_text(int64_t nanoseconds);

// "median 34.1 us, min 31.0 us, max 60.2 us"; `nanoseconds` must not be empty.
[[nodiscard]] std::string statistics_text(std::vector<int64_t> nanoseconds);

// The peak memory of the process, "21.3 MB"; empty if the system does not report it.
[[nodiscard]] std::string peak_memory_text();

}  // namespace opwright::command
