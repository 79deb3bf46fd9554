// Multi-threaded loops for kernels in operator binaries. The core uses base/thread_pool.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "opwright/registration/kernel.h"

namespace opwright OPWRIGHT_VISIBILITY {
#ifndef OPWRIGHT_CORE
inline constexpr int64_t kDefaultGrain = 32768;

// Runs body(begin, end) over [0, size) in chunks of at least `grain`, on this thread and on workers
// of the host. The body may call operators. The first error of a chunk is thrown here.
template <class Body>
void parallel_for(int64_t size, int64_t grain, Body&& body) {
  if (size <= 0) return;
  const OpwHost* host = current_host;
  if (!host || size <= grain) return body(int64_t{0}, size);
  struct Loop {
    std::remove_reference_t<Body>* body;
    const OpwHost* host;
    static int run(void* context, int64_t begin, int64_t end) {
      const auto* loop = static_cast<const Loop*>(context);
      const HostScope scope(loop->host);
      try {
        (*loop->body)(begin, end);
        return 0;
      } catch (...) {
        return give_current_error(loop->host);
      }
    }
  } loop{&body, host};
  require_ok(host->parallel_for(host, size, grain, &Loop::run, &loop));
}
template <class Body>
void parallel_for(int64_t size, Body&& body) {
  parallel_for(size, kDefaultGrain, body);
}
#endif
}  // namespace opwright
