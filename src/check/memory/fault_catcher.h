// A call that may touch memory which is protected on purpose: instead of the end of the process
// there is an answer.
#pragma once

#include <functional>
#include <optional>

namespace opwright {

struct MemoryFault {
  const void* address;
  bool is_write;
};

// Calls `body`. A read or a write at an address that `is_protected` knows leaves it at once, which
// destroys nothing that lives in it and frees no lock: the process is in doubt afterwards. Faults
// at other addresses, and those on other threads, are as they were. One thread at a time;
// `is_protected` allocates nothing.
[[nodiscard]] std::optional<MemoryFault> catch_fault(
    const std::function<bool(const void*)>& is_protected, const std::function<void()>& body);

}  // namespace opwright
