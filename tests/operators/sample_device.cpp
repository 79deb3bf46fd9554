// The device "sample": two of them, with memory of the cpu, whose work is done when a call returns.
// It counts what it is asked for, and its "compiler" knows two kernels by their names.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "opwright/opwright.h"
#include "opwright/plugin/device_plugin.h"

// A device's own types: here a stream is a number, an event a time.
struct OpwStream {
  int32_t priority;
};
struct OpwEvent {
  std::chrono::steady_clock::time_point time;
};
struct OpwDeviceKernel {
  const char* name;
  uint32_t num_arguments;
  void (*run)(const OpwLaunch& launch, uint64_t element);
};

namespace sample {
namespace {

using opwright::give_status;
using opwright::Tensor;

constexpr int32_t kCount = 2;

struct Memory {
  std::atomic<int64_t> allocated{0};
  std::atomic<int64_t> peak{0};
  std::atomic<int64_t> allocations{0};
  std::atomic<int64_t> emptied{0};
};
Memory memory_of[kCount];
std::atomic<int64_t> live_streams{0};
std::atomic<int64_t> live_events{0};
std::atomic<int64_t> synchronisations{0};
std::atomic<int64_t> pinned_bytes{0};
thread_local int32_t current_index = 0;
thread_local OpwStream* current_streams[kCount] = {};

int set_current(const OpwHost* /*host*/, int32_t index) {
  current_index = index;
  return 0;
}

int allocate(const OpwHost* host, int32_t index, size_t bytes, OpwStream* /*stream*/,
             void** memory) {
  return give_status(host, [&] {
    OPWRIGHT_CHECK_KIND("MemoryError", bytes < (size_t{1} << 40),
                        "the sample device has less than 1 TiB");
    *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    const int64_t now = memory_of[index].allocated += static_cast<int64_t>(bytes);
    if (now > memory_of[index].peak) memory_of[index].peak = now;
    ++memory_of[index].allocations;
  });
}

void free_memory(int32_t index, void* memory, size_t bytes, OpwStream* /*stream*/) {
  memory_of[index].allocated -= static_cast<int64_t>(bytes);
  std::free(memory);
}

int copy(const OpwHost* /*host*/, void* to, OpwDevice /*to_device*/, const void* from,
         OpwDevice /*from_device*/, size_t bytes, OpwStream* /*stream*/) {
  std::memmove(to, from, bytes);
  return 0;
}

int synchronize(const OpwHost* /*host*/, int32_t /*index*/) {
  ++synchronisations;
  return 0;
}

// ---- Streams and events ----

OpwStream* current_stream(int32_t index) { return current_streams[index]; }

OpwStream* set_current_stream(int32_t index, OpwStream* stream) {
  OpwStream* previous = current_streams[index];
  current_streams[index] = stream;
  return previous;
}

int new_stream(const OpwHost* /*host*/, int32_t /*index*/, int32_t priority, OpwStream** stream) {
  *stream = new OpwStream{priority};
  ++live_streams;
  return 0;
}

void free_stream(int32_t /*index*/, OpwStream* stream) {
  delete stream;
  --live_streams;
}

int synchronize_stream(const OpwHost* /*host*/, int32_t /*index*/, OpwStream* /*stream*/) {
  ++synchronisations;
  return 0;
}

int record_event(const OpwHost* /*host*/, int32_t /*index*/, OpwStream* /*stream*/,
                 OpwEvent** event) {
  *event = new OpwEvent{std::chrono::steady_clock::now()};
  ++live_events;
  return 0;
}

int wait_event(const OpwHost* /*host*/, int32_t /*index*/, OpwStream* /*stream*/,
               OpwEvent* /*event*/) {
  return 0;
}

int synchronize_event(const OpwHost* /*host*/, OpwEvent* /*event*/) {
  ++synchronisations;
  return 0;
}

void free_event(OpwEvent* event) {
  delete event;
  --live_events;
}

int query_event(const OpwHost* /*host*/, OpwEvent* /*event*/, int32_t* has_come) {
  *has_come = 1;
  return 0;
}

int event_time(const OpwHost* /*host*/, OpwEvent* from, OpwEvent* to, double* milliseconds) {
  *milliseconds = std::chrono::duration<double, std::milli>(to->time - from->time).count();
  return 0;
}

// ---- What it tells of itself ----

size_t property(int32_t index, const char* key, char* buffer, size_t capacity) {
  const std::string name = "Sample " + std::to_string(index);
  const std::string_view wanted = key;
  const std::string_view text = wanted == "name"           ? std::string_view(name)
                                : wanted == "total_memory" ? "1073741824"
                                : wanted == "free_memory"  ? "1000000000"
                                : wanted == "capability"   ? "9.5"
                                                           : "";
  if (capacity > 0) {
    const size_t length = text.copy(buffer, capacity - 1);
    buffer[length] = '\0';
  }
  return text.size();
}

int64_t statistic(int32_t index, const char* key) {
  const Memory& memory = memory_of[index];
  const std::string_view wanted = key;
  if (wanted == "allocated" || wanted == "reserved") return memory.allocated;
  if (wanted == "peak_allocated" || wanted == "peak_reserved") return memory.peak;
  if (wanted == "allocations") return memory.allocations;
  if (wanted == "emptied") return memory.emptied;
  if (wanted == "live_streams") return live_streams;
  if (wanted == "live_events") return live_events;
  if (wanted == "synchronisations") return synchronisations;
  if (wanted == "pinned") return pinned_bytes;
  return -1;
}

void reset_peaks(int32_t index) { memory_of[index].peak = memory_of[index].allocated.load(); }
void empty_cache(int32_t index) { ++memory_of[index].emptied; }

int allocate_pinned(const OpwHost* /*host*/, size_t bytes, void** memory) {
  *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  pinned_bytes += static_cast<int64_t>(bytes);
  return 0;
}

void free_pinned(void* memory, size_t bytes) {
  pinned_bytes -= static_cast<int64_t>(bytes);
  std::free(memory);
}

// ---- Its compiler ----

template <class T>
T argument(const OpwLaunch& launch, uint32_t index) {
  T value;
  std::memcpy(&value, launch.arguments[index].value, sizeof value);
  return value;
}
float* memory_argument(const OpwLaunch& launch, uint32_t index) {
  return static_cast<float*>(const_cast<void*>(launch.arguments[index].value));
}

// (x, y, factor, n): y[i] += factor * x[i]
void run_scaled_add(const OpwLaunch& launch, uint64_t i) {
  if (static_cast<int32_t>(i) >= argument<int32_t>(launch, 3)) return;
  memory_argument(launch, 1)[i] += argument<float>(launch, 2) * memory_argument(launch, 0)[i];
}

// (to, values of every size...): writes what arrived as doubles.
void run_show(const OpwLaunch& launch, uint64_t element) {
  if (element != 0) return;
  float* to = memory_argument(launch, 0);
  for (uint32_t i = 1; i < launch.num_arguments; ++i)
    to[i - 1] = static_cast<float>(launch.arguments[i].size);
}

OpwDeviceKernel kernels[] = {{"scaled_add", 4, &run_scaled_add}, {"show", 6, &run_show}};

int build_kernel(const OpwHost* host, int32_t /*index*/, const char* source, const char* name,
                 const char* /*options*/, OpwDeviceKernel** kernel) {
  return give_status(host, [&] {
    OPWRIGHT_CHECK(std::string_view(source).find(name) != std::string_view::npos,
                   "the source has no kernel '", name, "'; the compiler's log:\n", source,
                   "\n  error: expected a kernel");
    for (OpwDeviceKernel& each : kernels) {
      if (std::string_view(each.name) == name) *kernel = &each;
    }
    OPWRIGHT_CHECK(*kernel, "this compiler knows scaled_add and show, got ", name);
  });
}

int launch_kernel(const OpwHost* host, int32_t /*index*/, OpwDeviceKernel* kernel,
                  const OpwLaunch* launch, OpwStream* /*stream*/) {
  return give_status(host, [&] {
    OPWRIGHT_CHECK_TYPE(launch->num_arguments == kernel->num_arguments, "kernel ", kernel->name,
                        " takes ", kernel->num_arguments, " arguments, got ",
                        launch->num_arguments);
    uint64_t elements = 1;
    for (int i = 0; i < 3; ++i)
      elements *= launch->groups[i] * (launch->group_size[i] == 0 ? 1 : launch->group_size[i]);
    for (uint64_t i = 0; i < elements; ++i) kernel->run(*launch, i);
  });
}

constexpr OpwDeviceTable make_table() {
  OpwDeviceTable table = opwright::empty_device_table("sample");
  table.count = [] { return kCount; };
  table.current = [] { return current_index; };
  table.set_current = &set_current;
  table.allocate = &allocate;
  table.free = &free_memory;
  table.copy = &copy;
  table.synchronize = &synchronize;
  table.current_stream = &current_stream;
  table.set_current_stream = &set_current_stream;
  table.new_stream = &new_stream;
  table.free_stream = &free_stream;
  table.synchronize_stream = &synchronize_stream;
  table.record_event = &record_event;
  table.wait_event = &wait_event;
  table.synchronize_event = &synchronize_event;
  table.free_event = &free_event;
  table.property = &property;
  table.build_kernel = &build_kernel;
  table.launch_kernel = &launch_kernel;
  table.allocate_pinned = &allocate_pinned;
  table.free_pinned = &free_pinned;
  table.empty_cache = &empty_cache;
  table.statistic = &statistic;
  table.reset_peaks = &reset_peaks;
  table.query_event = &query_event;
  table.event_time = &event_time;
  return table;
}
constexpr OpwDeviceTable kTable = make_table();
OPWRIGHT_DEVICE(kTable);

// ---- Operators with kernels for it ----

Tensor mapped(const Tensor& x, float factor, float added) {
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  const float* in = input.data<float>();
  float* out = output.mutable_data<float>();
  for (int64_t i = 0; i < input.numel(); ++i) out[i] = factor * in[i] + added;
  return output;
}

Tensor twice_cpu(const Tensor& x) { return mapped(x, 2, 0); }
Tensor twice_sample(const Tensor& x) { return mapped(x, 2, 0); }
Tensor wrong_twice_sample(const Tensor& x) { return mapped(x, 2, 0.5F); }
Tensor twice_fake(const Tensor& x) { return opwright::empty_like(x); }

}  // namespace

OPWRIGHT_LIBRARY(sample, m) {
  m.def("twice(Tensor x) -> Tensor");
  m.def("wrong_twice(Tensor x) -> Tensor");
  m.def("cpu_twice(Tensor x) -> Tensor");
  m.register_fake("twice", &twice_fake);
  m.register_fake("wrong_twice", &twice_fake);
  m.register_fake("cpu_twice", &twice_fake);
}

OPWRIGHT_LIBRARY_IMPL(sample, CPU, m) {
  m.impl("twice", &twice_cpu);
  m.impl("wrong_twice", &twice_cpu);
  m.impl("cpu_twice", &twice_cpu);
}

OPWRIGHT_LIBRARY_IMPL(sample, sample, m) {
  m.impl("twice", &twice_sample);
  m.impl("wrong_twice", &wrong_twice_sample);
}

}  // namespace sample
