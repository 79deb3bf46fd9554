#include <map>
#include <mutex>
#include <vector>

#include "opwright/base/intern.h"
#include "opwright/host/binary.h"
#include "opwright/host/binary_host.h"
#include "opwright/runtime.h"

namespace opwright {
namespace {

struct LoadedLibrary {
  BinaryHost* host;  // never freed
  std::vector<Registration> registrations;
};

// One lock for loading: two threads that load one file must not both register it.
struct Loader {
  std::recursive_mutex mutex;
  std::map<const OpwBinary*, LoadedLibrary> loaded;  // by binary: two names of one file are one
  std::map<const OpwBinary*, BinaryHost*> hosts;     // kept over unloading
};
Loader& loader() {
  static auto* instance = new Loader;
  return *instance;
}

}  // namespace

void load_library(const std::string& path) {
  const std::string file = absolute_path(path);
  const OpwBinary& binary = open_binary(file);
  const std::lock_guard lock(loader().mutex);
  if (loader().loaded.contains(&binary)) return;
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
