// How many tensors and storages a thread has made and not freed: for tests that look for leaks.
//
// A plain counter per thread costs no locked instruction. What is freed on another thread counts
// there, so over several threads only the sum is meaningful.
#pragma once

#include <cstdint>

#include "opwright/visibility.h"

namespace opwright {

struct LiveCounts {
  int64_t tensors;
  int64_t storages;
  friend bool operator==(const LiveCounts&, const LiveCounts&) = default;
};

OPWRIGHT_EXPORT extern constinit thread_local LiveCounts this_thread_live_counts
    __attribute__((tls_model("initial-exec")));

inline LiveCounts& live_counts() noexcept { return this_thread_live_counts; }

}  // namespace opwright
