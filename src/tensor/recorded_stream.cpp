#include "opwright/tensor/recorded_stream.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "opwright/base/core_host.h"
#include "opwright/base/given_error.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

std::mutex mutex;  // for all records; recording is rare

struct Record {
  Device device;
  void* data;
  size_t nbytes;
  OpwStream* home;  // the stream of the allocation
  std::vector<OpwStream*> others;
};

// The allocation's stream waits for the others, so later users of the memory wait too.
void free_after_streams(void* context) {
  const std::unique_ptr<Record> record(static_cast<Record*>(context));
  const OpwDeviceTable& table = *find_device_table(record->device.type);
  for (OpwStream* stream : record->others) {
    OpwEvent* event = nullptr;
    const bool is_ordered =
        table.record_event(&core_host(), record->device.index, stream, &event) == 0 &&
        table.wait_event(&core_host(), record->device.index, record->home, event) == 0;
    if (event) table.free_event(event);
    if (!is_ordered) give_error(nullptr);  // cannot be reported here
  }
  table.free(record->device.index, record->data, record->nbytes, record->home);
}

}  // namespace

void record_stream(const Tensor& tensor, OpwStream* stream) {
  const OpwDeviceTable& table = device_table(tensor.device().type);
  Storage& storage = storage_of(tensor);
  if (!table.current_stream || storage.kind != Storage::Kind::OfDevice || !storage.data) return;
  const std::lock_guard lock(mutex);
  if (!storage.deleter) {
    if (storage.context == stream) return;
    storage.context = new Record{
        storage.device, storage.data, storage.nbytes, static_cast<OpwStream*>(storage.context), {}};
    storage.deleter = &free_after_streams;
  }
  if (storage.deleter != &free_after_streams) return;
  auto& record = *static_cast<Record*>(storage.context);
  const bool is_known =
      record.home == stream || std::ranges::find(record.others, stream) != record.others.end();
  if (!is_known) record.others.push_back(stream);
}

}  // namespace opwright
