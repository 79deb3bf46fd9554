#include "opwright/host/device_finder.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "opwright/error.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/device/device_search.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

constinit std::atomic<PackageSearch> package_search{nullptr};

// The search results for each name.
struct Findings {
  std::mutex mutex;
  std::map<std::string, std::string> by_name;
};
Findings& findings() {
  static auto* instance = new Findings;
  return *instance;
}

// The folder of the binary that contains this function: libopwright.so.
std::filesystem::path folder_of_core() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&folder_of_core), &info) == 0 || !info.dli_fname) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

// Whether the name is valid in a file name of ours.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_there(const std::string& name) {
  const auto type = find_device_type(name);
  return type && find_device_table(*type);
}

std::string load_file_beside_core(const std::string& name) {
  const std::filesystem::path file = folder_of_core() / ("libopwright_" + name + ".so");
  std::error_code problem;
  if (!std::filesystem::exists(file, problem)) {
    return concatenate(file.string(), " (there is no such file)");
  }
  try {
    (void)load_device(file.string());
    return concatenate(file.string(), " (it adds no device of that name)");
  } catch (const Error& error) {
    return concatenate(file.string(), " (", error.kind(), ": ", error.message(), ")");
  }
}

std::string look_everywhere(const std::string& name) {
  std::string text = concatenate("\n  Looked for ", load_file_beside_core(name));
  const PackageSearch search = package_search.load(std::memory_order_acquire);
  if (search && !is_there(name)) text += concatenate(" and ", search(name.c_str()));
  return text + "; opwright.load_device(path) takes a plug-in from anywhere.";
}

// A plug-in that requests its own device while it is being loaded finds nothing instead of itself.
class LookingScope {
 public:
  LookingScope() { is_looking = true; }
  ~LookingScope() { is_looking = false; }
  LookingScope(const LookingScope&) = delete;
  LookingScope& operator=(const LookingScope&) = delete;

  static inline constinit thread_local bool is_looking = false;
};

std::string look_without_itself(const std::string& name) {
  const LookingScope scope;
  return look_everywhere(name);
}

[[maybe_unused]] const bool kIsSet = (set_device_finder(&find_device), true);

}  // namespace

void set_package_search(PackageSearch search) noexcept { package_search = search; }

std::string find_device(const char* name) {
  if (LookingScope::is_looking || !is_plain(name)) return "";
  {
    const std::lock_guard lock(findings().mutex);
    const auto found = findings().by_name.find(name);
    if (found != findings().by_name.end()) return found->second;
  }
  // Without the mutex: a search in packages needs the host language's lock (the GIL), which another
  // thread may hold while it waits here. Two threads may load the same file, which is harmless.
  std::string text = look_without_itself(name);
  const std::lock_guard lock(findings().mutex);
  return findings().by_name.emplace(name, std::move(text)).first->second;
}

}  // namespace opwright
