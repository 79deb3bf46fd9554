// at::parallel_for and at::parallel_reduce over the host's threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "opwright/parallel.h"

namespace at OPWRIGHT_VISIBILITY {
namespace internal {
inline constexpr int64_t GRAIN_SIZE = opwright::kDefaultGrain;  // PyTorch's name and number
}  // namespace internal

// Runs body(first, last) over [begin, end) in chunks of at least `grain`.
template <class Body>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const Body& body) {
  opwright::parallel_for(end - begin, std::max<int64_t>(grain, 1),
                         [&](int64_t first, int64_t last) { body(begin + first, begin + last); });
}

// Reduces body(first, last, identity) of chunks of at least `grain` with `combine`, in the order of
// the chunks: the result is the same for any number of threads.
template <class T, class Body, class Combine>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain, const T identity, const Body& body,
                  const Combine& combine) {
  if (begin >= end) return identity;
  constexpr int64_t kMostChunks = 4096;
  const int64_t chunk =
      std::max<int64_t>({grain, 1, (end - begin + kMostChunks - 1) / kMostChunks});
  struct Part {
    T value;
  };
  std::vector<Part> parts(static_cast<size_t>((end - begin + chunk - 1) / chunk), Part{identity});
  parallel_for(0, static_cast<int64_t>(parts.size()), 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t start = begin + i * chunk;
      parts[static_cast<size_t>(i)].value = body(start, std::min(end, start + chunk), identity);
    }
  });
  T result = parts.front().value;
  for (size_t i = 1; i < parts.size(); ++i) result = combine(result, parts[i].value);
  return result;
}

// The hardware's number of threads; a host may use fewer.
inline int get_num_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

[[gnu::error(
    "get_thread_num: the host does not number its threads; keep what a thread needs inside of the "
    "loop's body, or "
    "use at::parallel_reduce")]]
int get_thread_num();
}  // namespace at
