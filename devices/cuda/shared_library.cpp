#include "devices/cuda/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <link.h>

#include "opwright/error.h"

namespace opwright::cuda {
namespace {

constexpr const char* kFoldersVariable = "OPWRIGHT_CUDA_LIBRARIES";
constexpr const char* kMajors[] = {"13", "12"};

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? "." : path.substr(0, slash));
}

std::vector<std::string> folders_in(const char* variable) {
  std::vector<std::string> folders;
  const char* text = std::getenv(variable);
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (colon != 0) folders.emplace_back(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return folders;
}

// The folder of this binary.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&folders_in), &info) == 0 || !info.dli_fname) return ".";
  return folder_of(info.dli_fname);
}

}  // namespace

std::vector<std::string> library_candidates(const std::string& name, const std::string& package,
                                            const std::string& own_folder) {
  std::vector<std::string> prefixes;
  for (const std::string& folder : folders_in(kFoldersVariable)) prefixes.push_back(folder + "/");
  prefixes.emplace_back("");
  // The plug-in is in <site-packages>/opwright/lib.
  prefixes.push_back(own_folder + "/../../nvidia/cu13/lib/");
  prefixes.push_back(own_folder + "/../../nvidia/" + package + "/lib/");
  for (const std::string& home : folders_in("CUDA_HOME")) prefixes.push_back(home + "/lib64/");
  prefixes.emplace_back("/usr/local/cuda/lib64/");

  std::vector<std::string> candidates;
  for (const char* major : kMajors) {
    for (const std::string& prefix : prefixes) {
      candidates.push_back(concatenate(prefix, "lib", name, ".so.", major));
    }
  }
  return candidates;
}

SharedLibrary::SharedLibrary(const std::string& name, const std::string& package) {
  for (const std::string& candidate : library_candidates(name, package, own_folder())) {
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) continue;
    link_map* map = nullptr;
    path_ = dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map ? map->l_name
                                                                                   : candidate;
    return;
  }
  problem_ = concatenate("lib", name, ".so.13 was not found: install nvidia-", package,
                         " with pip, or name its folder in ", kFoldersVariable);
}

void* SharedLibrary::find_symbol(const char* symbol) {
  void* found = handle_ ? dlsym(handle_, symbol) : nullptr;
  if (handle_ && !found) {
    problem_ = concatenate(path_, " has no function ", symbol, ": it is of another version");
    handle_ = nullptr;  // not closed: others in the process may use it
  }
  return found;
}

}  // namespace opwright::cuda
