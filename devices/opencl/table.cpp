// The host's interface to the device "opencl".
#include <type_traits>

#include "devices/opencl/copy.h"
#include "devices/opencl/device.h"
#include "devices/opencl/event.h"
#include "devices/opencl/fold.h"
#include "devices/opencl/loop.h"
#include "devices/opencl/memory.h"
#include "devices/opencl/move.h"
#include "devices/opencl/product.h"
#include "devices/opencl/random.h"
#include "devices/opencl/source_kernel.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/plugin/device_plugin.h"

namespace opwright::opencl {
namespace {

// The functions of the other files throw; the table's return a status.
template <class Signature>
struct Adapter;
template <class... Args>
struct Adapter<void(Args...)> {
  template <void (*kFunction)(Args...)>
  static int run(const OpwHost* host, Args... args) {
    return give_status(host, [&] { kFunction(args...); });
  }
};
template <auto kFunction>
constexpr auto kStatusOf =
    &Adapter<std::remove_pointer_t<decltype(kFunction)>>::template run<kFunction>;

constexpr OpwDeviceTable make_table() {
  OpwDeviceTable table = empty_device_table("opencl");
  table.type = kOpwDeviceOpenCl;
  table.count = &device_count;
  table.current = &current_device;
  table.set_current = kStatusOf<&set_current_device>;
  table.allocate = kStatusOf<&allocate>;
  table.free = &free_memory;
  table.copy = kStatusOf<&copy>;
  table.synchronize = kStatusOf<&synchronize>;
  table.current_stream = &current_stream;
  table.set_current_stream = &set_current_stream;
  table.new_stream = kStatusOf<&new_stream>;
  table.free_stream = &free_stream;
  table.synchronize_stream = kStatusOf<&synchronize_stream>;
  table.record_event = kStatusOf<&record_event>;
  table.wait_event = kStatusOf<&wait_event>;
  table.synchronize_event = kStatusOf<&synchronize_event>;
  table.free_event = &free_event;
  table.property = &device_property;
  table.compute_loop = kStatusOf<&compute_loop>;
  table.compute_fold = kStatusOf<&compute_fold>;
  table.compute_product = kStatusOf<&compute_product>;
  table.move_elements = kStatusOf<&move_elements>;
  table.draw_random = kStatusOf<&draw_random>;
  table.build_kernel = kStatusOf<&build_kernel>;
  table.launch_kernel = kStatusOf<&launch_kernel>;
  table.empty_cache = &empty_cache;
  table.statistic = &memory_statistic;
  table.reset_peaks = &reset_peaks;
  table.query_event = kStatusOf<&query_event>;
  table.event_time = kStatusOf<&event_time>;
  return table;
}

constexpr OpwDeviceTable kTable = make_table();

}  // namespace
}  // namespace opwright::opencl

OPWRIGHT_DEVICE(opwright::opencl::kTable);
