// The device "cuda": the host's interface to it.
#include <cstdint>

#include "devices/cuda/copy.h"
#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/memory.h"
#include "devices/cuda/pinned.h"
#include "devices/cuda/primitives.h"
#include "devices/cuda/product.h"
#include "devices/cuda/property.h"
#include "devices/cuda/source_kernel.h"
#include "devices/cuda/stream.h"
#include "opwright/c_api.h"
#include "opwright/plugin/device_plugin.h"

namespace opwright::cuda {
namespace {

int set_current_cuda(const OpwHost* host, int32_t index) {
  return give_status(host, [&] { set_current_device(index); });
}

constexpr OpwDeviceTable make_table() {
  OpwDeviceTable table = empty_device_table("cuda");
  table.type = kOpwDeviceCuda;
  table.count = [] { return device_count(); };
  table.current = [] { return current_device(); };
  table.set_current = &set_current_cuda;
  table.allocate = &allocate_cuda;
  table.free = &free_cuda;
  table.copy = &copy_cuda;
  table.synchronize = &synchronize_cuda;
  table.current_stream = &current_stream_cuda;
  table.set_current_stream = &set_current_stream_cuda;
  table.new_stream = &new_stream_cuda;
  table.free_stream = &free_stream_cuda;
  table.synchronize_stream = &synchronize_stream_cuda;
  table.record_event = &record_event_cuda;
  table.wait_event = &wait_event_cuda;
  table.synchronize_event = &synchronize_event_cuda;
  table.free_event = &free_event_cuda;
  table.property = &property_cuda;
  table.compute_loop = &compute_loop_cuda;
  table.compute_fold = &compute_fold_cuda;
  table.compute_product = &compute_product_cuda;
  table.move_elements = &move_elements_cuda;
  table.draw_random = &draw_random_cuda;
  table.build_kernel = &build_kernel_cuda;
  table.launch_kernel = &launch_kernel_cuda;
  table.allocate_pinned = &allocate_pinned_cuda;
  table.free_pinned = &free_pinned_cuda;
  table.empty_cache = &empty_cache_cuda;
  table.statistic = &statistic_cuda;
  table.reset_peaks = &reset_peaks_cuda;
  table.query_event = &query_event_cuda;
  table.event_time = &event_time_cuda;
  return table;
}
constexpr OpwDeviceTable kTable = make_table();

}  // namespace
}  // namespace opwright::cuda

OPWRIGHT_DEVICE(opwright::cuda::kTable);
