#include "opwright/tensor/random_state.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <utility>

#include "opwright/error.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/factory.h"

namespace opwright {

// The functions of the object table.
struct RandomStateTable {
  static RandomState* of(OpwObject* object) { return static_cast<RandomState*>(object); }
  static void retain(OpwObject* object) {
    of(object)->count_.fetch_add(1, std::memory_order_relaxed);
  }
  static void release(OpwObject* object) {
    if (of(object)->count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete of(object);
  }
  static int equal(const OpwObject* a, const OpwObject* b) { return a == b ? 1 : 0; }
  static uint64_t hash(const OpwObject* object) { return reinterpret_cast<uintptr_t>(object); }
  static size_t text(const OpwObject* object, char* buffer, size_t capacity) {
    const std::string device = device_text(static_cast<const RandomState*>(object)->device());
    const int size = std::snprintf(buffer, capacity, "Generator(device='%s')", device.c_str());
    return static_cast<size_t>(std::max(size, 0));
  }
};

namespace {

constexpr int64_t kStateBytes = 16;

constexpr OpwObjectTable kTable{.struct_size = sizeof(OpwObjectTable),
                                .type_name = "Generator",
                                .retain = &RandomStateTable::retain,
                                .release = &RandomStateTable::release,
                                .equal = &RandomStateTable::equal,
                                .hash = &RandomStateTable::hash,
                                .text = &RandomStateTable::text};

void write_word(uint8_t* bytes, uint64_t word) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(word >> (8 * i));
}
uint64_t read_word(const uint8_t* bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

// The default generators by device, and the seed of those that come later.
struct Defaults {
  std::mutex mutex;
  std::map<std::pair<int32_t, int32_t>, RandomState*> by_device;  // never freed
  std::optional<uint64_t> seed;

  static Defaults& get() {
    static auto* defaults = new Defaults;  // outlives every thread that draws numbers
    return *defaults;
  }
};

thread_local RandomState* default_state = nullptr;

}  // namespace

DefaultGeneratorScope::DefaultGeneratorScope(RandomState& state) noexcept
    : previous_(std::exchange(default_state, &state)) {}
DefaultGeneratorScope::~DefaultGeneratorScope() { default_state = previous_; }

RandomState::RandomState(Device device, uint64_t seed)
    : OpwObject{&kTable}, device_(device), next_{.seed = seed, .first = 0} {}

uint64_t RandomState::seed() const {
  const std::lock_guard lock(mutex_);
  return next_.seed;
}

void RandomState::set_seed(uint64_t seed) {
  const std::lock_guard lock(mutex_);
  next_ = {.seed = seed, .first = 0};
}

CounterRange RandomState::reserve(uint64_t count) {
  const uint64_t whole = (count + kCounterGroup - 1) / kCounterGroup * kCounterGroup;
  const std::lock_guard lock(mutex_);
  const CounterRange range = next_;
  next_.first += whole;
  return range;
}

Tensor RandomState::state() const {
  Tensor state = make_empty({{kStateBytes}}, DType::UInt8);
  auto* bytes = state.mutable_data<uint8_t>();
  const std::lock_guard lock(mutex_);
  write_word(bytes, next_.seed);
  write_word(bytes + 8, next_.first);
  return state;
}

void RandomState::set_state(const Tensor& state) {
  OPWRIGHT_CHECK_TYPE(state.dtype() == DType::UInt8 && state.device().type == kOpwDeviceCpu,
                      "set_state: the state of a generator is a uint8 tensor on the cpu, got ",
                      state);
  OPWRIGHT_CHECK_VALUE(!state.is_fake() && state.dim() == 1 && state.size(0) == kStateBytes,
                       "set_state: the state of a generator has ", kStateBytes, " bytes, got ",
                       state);
  uint8_t bytes[kStateBytes];
  for (int64_t i = 0; i < kStateBytes; ++i) bytes[i] = state.data<uint8_t>()[i * state.stride(0)];
  const CounterRange next{.seed = read_word(bytes), .first = read_word(bytes + 8)};
  OPWRIGHT_CHECK_VALUE(next.first % kCounterGroup == 0,
                       "set_state: these bytes are not the state of a generator; use the "
                       "result of get_state");
  const std::lock_guard lock(mutex_);
  next_ = next;
}

Generator make_generator(Device device) {
  return Generator::take(new RandomState(resolve_device(device)));
}

RandomState& default_generator(Device device) {
  if (default_state) return *default_state;
  const Device resolved = resolve_device(device);
  Defaults& defaults = Defaults::get();
  const std::lock_guard lock(defaults.mutex);
  RandomState*& found = defaults.by_device[{resolved.type, resolved.index}];
  if (!found) {
    found = new RandomState(resolved, defaults.seed ? *defaults.seed : unpredictable_seed());
  }
  return *found;
}

void seed_default_generators(uint64_t seed) {
  Defaults& defaults = Defaults::get();
  const std::lock_guard lock(defaults.mutex);
  defaults.seed = seed;
  for (const auto& [device, state] : defaults.by_device) state->set_seed(seed);
}

uint64_t unpredictable_seed() {
  std::random_device source;
  return uint64_t{source()} << 32 | source();
}

RandomState& random_state(const Generator& generator) {
  OPWRIGHT_CHECK_TYPE(generator.is_defined() && generator.get()->table == &kTable,
                      "a generator that another host made cannot be used here");
  return *static_cast<RandomState*>(generator.get());
}

RandomState& random_state(const char* who, const std::optional<Generator>& generator,
                          Device device) {
  if (!generator) return default_generator(device);
  RandomState& state = random_state(*generator);
  OPWRIGHT_CHECK(state.device().type == device.type, who, ": generator is one of ", state.device(),
                 ", but the numbers are for ", device);
  return state;
}

}  // namespace opwright
