#include "bindings/device/device_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/lock.h"
#include "bindings/object/generator.h"
#include "bindings/object/scalar_types.h"
#include "opwright/base/core_host.h"
#include "opwright/device.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/host/device_finder.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/device_search.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/random_state.h"
#include "opwright/transforms/mode/kernel_fallback.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

Device resolved(const nb::object& device) {
  return resolve_device(parse_device_object(device.ptr()));
}

// Looks up entry points of that name with opwright._device.search.
std::string search_packages(const char* name) {
  const LockScope lock;
  try {
    return nb::cast<std::string>(
        nb::module_::import_("opwright._device.search").attr("load_entry_points")(name));
  } catch (nb::python_error& error) {
    return concatenate("entry points of the group opwright.devices (", error.what(), ")");
  }
}

// Finds the table of a name; null if nothing runs on it, or there is no such name.
const OpwDeviceTable* find_table(const std::string& name) {
  if (!find_device_type(name)) (void)find_device(name.c_str());
  const std::optional<int32_t> type = find_device_type(name);
  return type ? look_for_device_table(*type) : nullptr;
}

int32_t count_of(const std::string& name) {
  const UnlockScope unlocked;
  const OpwDeviceTable* table = find_table(name);
  return table ? table->count() : 0;
}

void set_current(Device device) {
  const OpwDeviceTable& table = device_table(device.type);
  if (!table.set_current) {
    OPWRIGHT_CHECK(table.current() == device.index, "set_device: the device ", table.name,
                   " does not support set_current; the current one is ", table.name, ":",
                   table.current());
    return;
  }
  require_ok(table.set_current(&core_host(), device.index));
}

void bind_plugins(nb::module_& m) {
  set_package_search(&search_packages);
  m.def(
      "load_device",
      [](const std::string& path) {
        const UnlockScope unlocked;
        return load_device(path);
      },
      nb::arg("path"));
  m.def("device_count", &count_of, nb::arg("name"));
  m.def(
      "device_names", [] { return device_names(); },
      "All device names, whether or not the device is available.");
  m.def(
      "set_synchronizes_calls",
      [](bool enabled) {
        const bool previous = synchronizes_calls();
        set_synchronizes_calls(enabled);
        return previous;
      },
      nb::arg("enabled"), "Wait after each call on a device; returns the previous setting.");
}

void bind_fallback(nb::module_& m) {
  m.def(
      "set_allows_fallback",
      [](bool enabled) {
        const bool previous = allows_fallback();
        set_allows_fallback(enabled);
        return previous;
      },
      nb::arg("enabled"), "Run missing kernels on the CPU; returns the previous setting.");
  m.def("fallback_counts", [] {
    std::vector<std::pair<std::string, int64_t>> counts;
    for (const FallbackCount& each : fallback_counts()) counts.emplace_back(each.name, each.times);
    return counts;
  });
  m.def("reset_fallback_counts", [] { reset_fallback_counts(); });
}

void bind_current_device(nb::module_& m) {
  m.def("resolve_device",
        [](const nb::object& device) { return nb::steal(to_python(resolved(device))); });
  m.def("current_device",
        [](const std::string& name) { return device_table(parse_device(name).type).current(); });
  m.def("set_current_device", [](const nb::object& device) { set_current(resolved(device)); });
  m.def("synchronize_device", [](const nb::object& device) {
    const Device target = resolved(device);
    const HoldCallsScope held;
    const UnlockScope unlocked;
    synchronize(target);
  });
  m.def("default_generator_of", [](const nb::object& device) {
    return nb::steal(to_python(Generator::borrow(&default_generator(resolved(device)))));
  });
}

void bind_memory(nb::module_& m) {
  m.def("device_property", [](const nb::object& device, const std::string& key) {
    return device_property(resolved(device), key.c_str());
  });
  m.def("device_statistic",
        [](const nb::object& device, const std::string& key) -> std::optional<int64_t> {
          const Device target = resolved(device);
          const OpwDeviceTable& table = device_table(target.type);
          const int64_t value = table.statistic ? table.statistic(target.index, key.c_str()) : -1;
          return value < 0 ? std::nullopt : std::optional(value);
        });
  m.def("reset_device_peaks", [](const nb::object& device) {
    const Device target = resolved(device);
    if (const auto reset = device_table(target.type).reset_peaks) reset(target.index);
  });
  m.def("empty_device_cache", [](const nb::object& device) {
    const Device target = resolved(device);
    const UnlockScope unlocked;
    if (const auto empty = device_table(target.type).empty_cache) empty(target.index);
  });
}

}  // namespace

void bind_device_table(nb::module_& m) {
  bind_plugins(m);
  bind_fallback(m);
  bind_current_device(m);
  bind_memory(m);
}

}  // namespace opwright::python
