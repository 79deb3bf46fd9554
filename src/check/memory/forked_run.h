// Work that may end the process, done in a child of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "opwright/visibility.h"

namespace opwright {

struct ForkedAnswer {
  std::string text;  // what the work gave
  int signal = 0;    // that ended the child in this piece of work; 0: it came to its end
  const void* address = nullptr;  // that it could not read or write, if the signal tells
  bool is_late = false;           // it did not end within the time
};

// Of an answer: the work called exit.
inline constexpr int kLeftWithoutSignal = -1;

// Calls work(0), work(1), ... work(count - 1) in a child process; after one that ends it or takes
// more than `seconds`, the rest in another child, at most `most_children` times (the answers of the
// others are missing: nothing). The host language's lock is held in the child, and what it prints
// is lost. Nothing that the work changes is seen here; an exception of it is thrown here, as an
// Error of the same kind and text. OSError when there can be no child.
[[nodiscard]] std::vector<std::optional<ForkedAnswer>> run_forked(
    size_t count, const std::function<std::string(size_t)>& work, double seconds = 20,
    int most_children = 4);

// Of work that found its process in doubt (it was thrown out of a kernel by a signal): after its
// answer the rest is done in another child. Outside of a child nothing happens.
void leave_child_after_answer() noexcept;

// What a host language does around a fork. Set once, stays for ever.
struct ForkTable {
  void (*before)();
  void (*after_in_parent)();
  void (*after_in_child)();
};
OPWRIGHT_EXPORT void set_fork_table(const ForkTable& table) noexcept;

}  // namespace opwright
