#include "opwright/tensor/device/stream.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "opwright/base/core_host.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

const OpwDeviceTable* table_with_streams(Device device) {
  const OpwDeviceTable& table = device_table(device.type);
  return table.current_stream ? &table : nullptr;
}

void copy_by(const OpwDeviceTable& table, void* to, Device to_device, const void* from,
             Device from_device, size_t bytes, Device at) {
  OpwStream* stream = table.current_stream ? table.current_stream(at.index) : nullptr;
  require_ok(table.copy(&core_host(), to, to_device, from, from_device, bytes, stream));
}

}  // namespace

bool has_streams(Device device) { return table_with_streams(device) != nullptr; }

OpwStream* current_device_stream(Device device) {
  const OpwDeviceTable* table = table_with_streams(device);
  return table ? table->current_stream(resolve_device(device).index) : nullptr;
}

void synchronize(Device device) {
  const Device resolved = resolve_device(device);
  require_ok(device_table(resolved.type).synchronize(&core_host(), resolved.index));
}

void synchronize_stream(Device device, OpwStream* stream) {
  const OpwDeviceTable* table = table_with_streams(device);
  if (table)
    require_ok(table->synchronize_stream(&core_host(), resolve_device(device).index, stream));
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  const bool to_cpu = to_device.type == kOpwDeviceCpu;
  const bool from_cpu = from_device.type == kOpwDeviceCpu;
  if (to_cpu && from_cpu) {
    std::memcpy(to, from, bytes);
  } else if (from_cpu || to_device.type == from_device.type) {
    copy_by(device_table(to_device.type), to, to_device, from, from_device, bytes, to_device);
  } else if (to_cpu) {
    copy_by(device_table(from_device.type), to, to_device, from, from_device, bytes, from_device);
  } else {
    const std::unique_ptr<std::byte[]> between(new std::byte[bytes]);
    copy_bytes(between.get(), kCpu, from, from_device, bytes);
    copy_bytes(to, to_device, between.get(), kCpu, bytes);
  }
}

Event Event::record(Device device, OpwStream* stream) {
  const OpwDeviceTable* table = table_with_streams(device);
  OpwEvent* event = nullptr;
  if (table)
    require_ok(table->record_event(&core_host(), resolve_device(device).index, stream, &event));
  return {table, event};
}

Event::Event(Event&& other) noexcept
    : table_(other.table_), event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(event_, other.event_);
  return *this;
}

Event::~Event() {
  if (event_) table_->free_event(event_);
}

void Event::make_wait(Device device, OpwStream* stream) const {
  if (event_)
    require_ok(table_->wait_event(&core_host(), resolve_device(device).index, stream, event_));
}

void Event::synchronize() const {
  if (event_) require_ok(table_->synchronize_event(&core_host(), event_));
}

bool Event::has_come() const {
  if (!event_) return true;
  OPWRIGHT_CHECK_KIND("NotImplementedError", table_->query_event, "the device ", table_->name,
                      " does not tell whether an event has come (query_event)");
  int32_t has_come = 0;
  require_ok(table_->query_event(&core_host(), event_, &has_come));
  return has_come != 0;
}

double Event::milliseconds_since(const Event& earlier) const {
  if (!event_ || !earlier.event_) return 0;
  OPWRIGHT_CHECK_KIND("NotImplementedError", table_->event_time, "the device ", table_->name,
                      " does not measure the time between events (event_time)");
  double milliseconds = 0;
  require_ok(table_->event_time(&core_host(), earlier.event_, event_, &milliseconds));
  return milliseconds;
}

Stream Stream::make(Device device, int32_t priority) {
  const Device resolved = resolve_device(device);
  const OpwDeviceTable* table = table_with_streams(resolved);
  OpwStream* stream = nullptr;
  if (table) {
    OPWRIGHT_CHECK_KIND("NotImplementedError", table->new_stream && table->free_stream,
                        "the device ", table->name, " has one stream only");
    require_ok(table->new_stream(&core_host(), resolved.index, priority, &stream));
  }
  return {table, resolved.index, stream};
}

Stream::Stream(Stream&& other) noexcept
    : table_(other.table_), index_(other.index_), stream_(std::exchange(other.stream_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(index_, other.index_);
  std::swap(stream_, other.stream_);
  return *this;
}

Stream::~Stream() {
  if (stream_) table_->free_stream(index_, stream_);
}

StreamScope::StreamScope(Device device, OpwStream* stream)
    : table_(table_with_streams(device)), index_(resolve_device(device).index), previous_(nullptr) {
  if (!table_) return;
  OPWRIGHT_CHECK_KIND("NotImplementedError", table_->set_current_stream, "the device ",
                      table_->name, " has one stream only");
  previous_ = table_->set_current_stream(index_, stream);
}

StreamScope::~StreamScope() {
  if (table_) table_->set_current_stream(index_, previous_);
}

}  // namespace opwright
