#include <map>
#include <mutex>
#include <vector>

#include "opwright/base/intern.h"
#include "opwright/error.h"
#include "opwright/host/binary.h"
#include "opwright/host/binary_host.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

struct LoadedLibrary {
  BinaryHost* host;  // never freed
  std::vector<Registration> registrations;
};

// One mutex for loading: two threads that load the same file must not both register it.
struct Loader {
  std::recursive_mutex mutex;
  std::map<const OpwBinary*, LoadedLibrary> loaded;  // by binary, so two names of one file are one
  std::map<const OpwBinary*, BinaryHost*> hosts;     // kept after unloading
  std::map<const OpwDeviceTable*, int32_t> devices;  // device types; devices are never removed
};
Loader& loader() {
  static auto* instance = new Loader;
  return *instance;
}

int32_t take_device(const OpwDeviceTable& table, const std::string& file) {
  try {
    return register_device(table);
  } catch (Error& error) {
    error.add_note("plug-in", concatenate("in the plug-in ", file));
    throw;
  }
}

// Runs before the blocks, whose kernels name the devices. Returns the types.
std::vector<int32_t> take_devices(const OpwBinary& binary, const std::string& file) {
  std::vector<int32_t> types;
  for (const OpwDevicePlugin* each = first_device(binary); each; each = each->next) {
    const auto known = loader().devices.find(each->table);
    if (known == loader().devices.end()) {
      types.push_back(take_device(*each->table, file));
      loader().devices.emplace(each->table, types.back());
    } else {
      types.push_back(known->second);
    }
  }
  return types;
}

}  // namespace

std::vector<std::string> load_device(const std::string& path) {
  const std::string found = absolute_path(path);
  const OpwBinary& binary = open_binary(found);
  if (!first_device(binary)) {
    throw_error("ImportError", path,
                " adds no device\n  A plug-in has an OPWRIGHT_DEVICE(table) of "
                "opwright/device_plugin.h; load_library takes binaries of operators alone.");
  }
  load_library(path);
  const std::lock_guard lock(loader().mutex);
  std::vector<std::string> names;
  for (const int32_t type : take_devices(binary, path)) names.emplace_back(find_device_name(type));
  return names;
}

void load_library(const std::string& path) {
  const std::string file = absolute_path(path);
  const OpwBinary& binary = open_binary(file);
  const std::lock_guard lock(loader().mutex);
  if (loader().loaded.contains(&binary)) return;
  (void)take_devices(binary, file);
  BinaryHost*& host = loader().hosts[&binary];
  if (!host) host = new BinaryHost(binary, file);
  BlockContents contents = collect_binary(binary, *host);
  std::vector<Registration> registrations = register_contents(
      std::move(contents), *host, intern(file),
      [](void* context) { static_cast<BinaryHost*>(context)->resolve_imports(); }, host);
  loader().loaded.emplace(&binary, LoadedLibrary{host, std::move(registrations)});
}

void unload_library(const std::string& path) {
  const std::string file = absolute_path(path);
  LoadedLibrary removed{};
  {
    const std::lock_guard lock(loader().mutex);
    for (auto each = loader().loaded.begin(); each != loader().loaded.end(); ++each) {
      if (each->second.host->path() != file) continue;
      removed = std::move(each->second);
      loader().loaded.erase(each);
      break;
    }
  }
  OPWRIGHT_CHECK_VALUE(removed.host, path, " is not loaded");
  while (!removed.registrations.empty())
    removed.registrations.pop_back();  // functions before definitions
}

}  // namespace opwright
