// Calls code that may touch deliberately protected memory, and reports the fault instead of ending
// the process.
#pragma once

#include <functional>
#include <optional>

namespace opwright {

struct MemoryFault {
  const void* address;
  bool is_write;
};

// Calls `body`. A read or write at an address for which `is_protected` returns true leaves `body`
// at once, without running destructors or releasing locks, so the state of the process is
// unreliable afterwards. Faults at other addresses and on other threads are handled as before. One
// thread at a time; `is_protected` must not allocate.
[[nodiscard]] std::optional<MemoryFault> catch_fault(
    const std::function<bool(const void*)>& is_protected, const std::function<void()>& body);

}  // namespace opwright
