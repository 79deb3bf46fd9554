// What a generator of random numbers holds: a seed and how far it was used.
//
// The numbers are those of Philox 4x32-10, which computes them from a key, the seed, and a counter:
// there is no other state. An operator reserves the counters that it needs and then computes with
// as many threads as it likes; the numbers do not depend on how many those are.
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

// Counters are reserved in groups of this many, and a group begins at a multiple of it.
inline constexpr uint64_t kCounterGroup = 16;
// The seed of a generator that was given none; PyTorch's.
inline constexpr uint64_t kDefaultSeed = 67280421310721;

// Counters that nobody else gets.
struct CounterRange {
  uint64_t seed;
  uint64_t first;
};

// The core's side of a Generator. Every member function may be called from any thread.
class OPWRIGHT_EXPORT RandomState : public OpwObject {
 public:
  explicit RandomState(Device device, uint64_t seed = kDefaultSeed);
  RandomState(const RandomState&) = delete;
  RandomState& operator=(const RandomState&) = delete;

  [[nodiscard]] Device device() const noexcept { return device_; }
  // The seed that was set last.
  [[nodiscard]] uint64_t seed() const;
  // Begins anew with this seed.
  void set_seed(uint64_t seed);
  // At least `count` counters, rounded up to whole groups.
  [[nodiscard]] CounterRange reserve(uint64_t count);

  // Seed and first free counter, of little-endian bytes in a uint8 tensor.
  [[nodiscard]] Tensor state() const;
  // TypeError and ValueError for a tensor that state() cannot have given.
  void set_state(const Tensor& state);

 private:
  friend struct RandomStateTable;
  std::atomic<uint32_t> count_{1};
  const Device device_;
  mutable std::mutex mutex_;
  CounterRange next_;
};

[[nodiscard]] OPWRIGHT_EXPORT Generator make_generator(Device device);
// The one that operators use on a device when they are given none. Its first seed is not
// predictable, unless seed_default_generators was called.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& default_generator(Device device);
// Stands in for the default generators of all devices on this thread until the end of the scope.
class [[nodiscard]] DefaultGeneratorScope {
 public:
  explicit DefaultGeneratorScope(RandomState& state) noexcept;
  ~DefaultGeneratorScope();
  DefaultGeneratorScope(const DefaultGeneratorScope&) = delete;
  DefaultGeneratorScope& operator=(const DefaultGeneratorScope&) = delete;

 private:
  RandomState* previous_;
};
// Of every device, also of those that are used later.
OPWRIGHT_EXPORT void seed_default_generators(uint64_t seed);
// From the system's source of randomness.
[[nodiscard]] OPWRIGHT_EXPORT uint64_t unpredictable_seed();

// The state behind a generator. TypeError for one that another host made.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& random_state(const Generator& generator);
// That of the argument `generator` of an operator that works on `device`, else the default one.
// RuntimeError for one of another device.
[[nodiscard]] OPWRIGHT_EXPORT RandomState& random_state(const char* who,
                                                        const std::optional<Generator>& generator,
                                                        Device device);

}  // namespace opwright
