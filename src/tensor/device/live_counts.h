// The number of live tensors and storages that a thread created: for leak tests.
//
// A plain counter per thread needs no locked instruction. An object freed on another thread is
// subtracted there, so over several threads only the sum is meaningful.
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
