// The state of a random number generator: a seed and a counter.
//
// The numbers are those of Philox 4x32-10, which computes them from a key, the seed, and a counter:
// there is no other state. An operator reserves the counters that it needs and then computes with
// any number of threads; the results do not depend on that number.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/generator.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Counters are reserved in groups of this size, and a group starts at a multiple of it.
inline constexpr uint64_t kCounterGroup = 16;
// The seed of a generator without an explicit one; the same as PyTorch's.
inline constexpr uint64_t kDefaultSeed = 67280421310721;

// Counters reserved for one caller.
struct CounterRange {
  uint64_t seed;
  uint64_t first;
};

// The core's implementation of a Generator. All member functions are thread-safe.
class OPWRIGHT_EXPORT RandomState : public OpwObject {
 public:
  explicit RandomState(Device device, uint64_t seed = kDefaultSeed);
  RandomState(const RandomState&) = delete;
  RandomState& operator=(const RandomState&) = delete;

  [[nodiscard]] Device device() const noexcept { return device_; }
  // The most recently set seed.
  [[nodiscard]] uint64_t seed() const;
  // Restarts with this seed.
  void set_seed(uint64_t seed);
  // At least `count` counters, rounded up to complete groups.
  [[nodiscard]] CounterRange reserve(uint64_t count);

  // Seed and first free counter, as little-endian bytes in a uint8 tensor.
  [[nodiscard]] Tensor state() const;
  // Throws TypeError or ValueError for a tensor that state() cannot have returned.
  void set_state(const Tensor& state);

 private:
  friend struct RandomStateTable;
  std::atomic<uint32_t> count_{1};
  const Device device_;
  mutable std::mutex mutex_;
  CounterRange next_;
};

[[nodiscard]] OPWRIGHT_EXPORT Generator make_generator(Device device);
// The generator that operators use on a device by default. Its first seed is unpredictable unless
// seed_default_generators was called.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& default_generator(Device device);
// Replaces the default generators of all devices on this thread until the end of the scope.
class [[nodiscard]] DefaultGeneratorScope {
 public:
  explicit DefaultGeneratorScope(RandomState& state) noexcept;
  ~DefaultGeneratorScope();
  DefaultGeneratorScope(const DefaultGeneratorScope&) = delete;
  DefaultGeneratorScope& operator=(const DefaultGeneratorScope&) = delete;

 private:
  RandomState* previous_;
};
// Seeds the generators of all devices, also of those used later.
OPWRIGHT_EXPORT void seed_default_generators(uint64_t seed);
// From the system's source of randomness.
[[nodiscard]] OPWRIGHT_EXPORT uint64_t unpredictable_seed();

// The state behind a generator. Throws TypeError for one of another host.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& random_state(const Generator& generator);
// The state of the argument `generator` of an operator that runs on `device`, else the default one.
// Throws RuntimeError for a generator of another device.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& random_state(const char* who,
                                                        const std::optional<Generator>& generator,
                                                        Device device);

}  // namespace opwright
