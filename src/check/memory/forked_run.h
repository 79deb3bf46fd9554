// Runs work that may crash in a child process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "opwright/visibility.h"

namespace opwright {

struct ForkedAnswer {
  std::string text;               // what the work returned
  int signal = 0;                 // that ended the child during this work; 0 if it completed
  const void* address = nullptr;  // the address that faulted, if the signal reports it
  bool is_late = false;           // it exceeded the time limit
};

// Value of ForkedAnswer::signal if the work called exit.
inline constexpr int kLeftWithoutSignal = -1;

// Calls work(0), work(1), ... work(count - 1) in a child process. After work that ends the child or
// takes more than `seconds`, another child does the rest, up to `most_children` times; answers
// beyond that are nullopt. The host language's lock is held in the child, and its output is lost.
// Changes made by the work are not visible here. An exception of the work is thrown here, as an
// Error of the same kind and text. OSError if no child can be started.
[[nodiscard]] std::vector<std::optional<ForkedAnswer>> run_forked(
    size_t count, const std::function<std::string(size_t)>& work, double seconds = 20,
    int most_children = 4);

// For work that left its process unreliable (a signal threw it out of a kernel): after its answer,
// another child does the rest. Does nothing outside a child.
void leave_child_after_answer() noexcept;

// What a host language does around a fork. Set once, permanently.
struct ForkTable {
  void (*before)();
  void (*after_in_parent)();
  void (*after_in_child)();
};
OPWRIGHT_EXPORT void set_fork_table(const ForkTable& table) noexcept;

}  // namespace opwright
