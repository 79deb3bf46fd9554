#include "opwright/tensor/storage.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "opwright/base/block_cache.h"
#include "opwright/base/core_host.h"
#include "opwright/base/given_error.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/poison.h"
#include "opwright/tensor/storage_source.h"

namespace opwright {

constinit thread_local LiveCounts this_thread_live_counts
    __attribute__((tls_model("initial-exec"))){};
constinit thread_local StorageSource* this_thread_storage_source
    __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

Storage* new_storage(size_t block_bytes, size_t nbytes, Device device, Storage::Kind kind) {
  auto* storage = new (allocate_block(block_bytes)) Storage;
  ++live_counts().storages;
  storage->block_bytes = static_cast<uint32_t>(block_bytes);
  storage->nbytes = nbytes;
  storage->device = device;
  storage->kind = kind;
  return storage;
}

// "1.5 GiB (1610612736 bytes)"
std::string bytes_text(size_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::string exact = concatenate(bytes, bytes == 1 ? " byte" : " bytes");
  if (bytes < 1024) return exact;
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  char rounded[32];
  std::snprintf(rounded, sizeof rounded, "%.4g", value);
  return concatenate(rounded, " ", kUnits[unit], " (", exact, ")");
}

[[noreturn]] void throw_cannot_allocate(size_t nbytes, Device device) {
  OpwError* given = take_error();
  const Error cause =
      given ? Error::take(given) : Error("MemoryError", "the device gave no reason");
  if (std::string_view(cause.kind()) != "MemoryError") throw cause;
  throw_error("MemoryError", "cannot allocate ", bytes_text(nbytes), " on ", device, ": ",
              cause.text());
}

// Null: the source has no memory.
[[gnu::noinline]] Storage* serve_storage(StorageSource& source, size_t nbytes) {
  ServedMemory served;
  if (!source.serve(nbytes, served)) return nullptr;
  Storage* storage = nullptr;
  try {
    storage = new_storage(sizeof(Storage), nbytes, kCpu, Storage::Kind::OfDevice);
  } catch (...) {
    served.deleter(served.context);
    throw;
  }
  storage->data = served.data;
  storage->deleter = served.deleter;
  storage->context = served.context;
  poison_if_wanted(storage->data, nbytes);
  return storage;
}

}  // namespace

StoragePtr allocate_storage(size_t nbytes, Device device) {
  if (device.type == kOpwDeviceCpu && nbytes <= most_bytes_in_block.load(std::memory_order_relaxed))
      [[likely]] {
    Storage* storage =
        new_storage(sizeof(Storage) + nbytes, nbytes, device, Storage::Kind::InBlock);
    storage->data = storage + 1;
    return StoragePtr::take(storage);
  }
  if (this_thread_storage_source && device.type == kOpwDeviceCpu && nbytes > kLeastServed) {
    if (Storage* served = serve_storage(*this_thread_storage_source, nbytes))
      return StoragePtr::take(served);
  }
  const OpwDeviceTable& table = device_table(device.type);
  Storage* storage = new_storage(sizeof(Storage), nbytes, device, Storage::Kind::OfDevice);
  StoragePtr owner = StoragePtr::take(storage);
  OpwStream* stream = table.current_stream ? table.current_stream(device.index) : nullptr;
  storage->context = stream;
  if (nbytes == 0) return owner;
  if (table.allocate(&core_host(), device.index, nbytes, stream, &storage->data) != 0)
      [[unlikely]] {
    storage->data = nullptr;
    throw_cannot_allocate(nbytes, device);
  }
  if (device.type == kOpwDeviceCpu) poison_if_wanted(storage->data, nbytes);
  return owner;
}

StoragePtr adopt_storage(void* data, size_t nbytes, Device device, Deleter deleter, void* context) {
  Storage* storage = nullptr;
  try {
    storage = new_storage(sizeof(Storage), nbytes, device, Storage::Kind::Foreign);
  } catch (...) {
    if (deleter) deleter(context);
    throw;
  }
  storage->data = data;
  storage->deleter = deleter;
  storage->context = context;
  return StoragePtr::take(storage);
}

StoragePtr make_fake_storage(size_t nbytes, Device device) {
  return StoragePtr::take(new_storage(sizeof(Storage), nbytes, device, Storage::Kind::Fake));
}

void Storage::destroy() noexcept {
  --live_counts().storages;
  if (deleter) {
    deleter(context);
  } else if (kind == Kind::OfDevice && data) {
    find_device_table(device.type)
        ->free(device.index, data, nbytes, static_cast<OpwStream*>(context));
  }
  free_block(this, block_bytes);
}

}  // namespace opwright
