// How a binary adds a device. Not part of opwright/opwright.h.
//
//   constexpr OpwDeviceTable make_table() {
//     OpwDeviceTable table = empty_device_table("npu");
//     table.allocate = &allocate;
//     ...
//     return table;
//   }
//   constexpr OpwDeviceTable kTable = make_table();
//   OPWRIGHT_DEVICE(kTable);
//
// The host reads the table before the library blocks of the binary, so that these can have kernels
// for the device: OPWRIGHT_LIBRARY_IMPL(audio, npu, m). The device is not touched until its
// functions are called.
#pragma once

#include "opwright/library.h"

namespace opwright OPWRIGHT_VISIBILITY {
// Fields that are not set are missing; the host assigns a device type to a name that it does not
// know.
constexpr OpwDeviceTable empty_device_table(const char* name) {
  OpwDeviceTable table{};
  table.struct_size = sizeof(OpwDeviceTable);
  table.name = name;
  return table;
}

// Runs the body of one of the table's functions; an exception is passed to the host.
template <class Body>
int give_status(const OpwHost* host, const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return give_current_error(host);
  }
}

#ifndef OPWRIGHT_CORE
struct DeviceLink {
  explicit DeviceLink(OpwDevicePlugin* plugin) {
    plugin->next = first_device;
    first_device = plugin;
  }
};
#endif
}  // namespace opwright

#define OPWRIGHT_DEVICE(table_) OPWRIGHT_DEVICE_(table_, __COUNTER__)
#define OPWRIGHT_DEVICE_(table_, id)                                                \
  static constinit OpwDevicePlugin OPWRIGHT_CONCATENATE(opwright_device_, id){      \
      .struct_size = sizeof(OpwDevicePlugin), .table = &(table_), .next = nullptr}; \
  static const ::opwright::DeviceLink OPWRIGHT_CONCATENATE(                         \
      opwright_device_link_, id)(&OPWRIGHT_CONCATENATE(opwright_device_, id))
