#include "opwright/base/user_line.h"

#include <atomic>
#include <string>
#include <utility>

#include "opwright/base/source_site.h"

namespace opwright {
namespace {

std::atomic<UserLineFinder> finder{nullptr};
thread_local SourceSite told;
thread_local std::string module_path;

}  // namespace

void set_user_line_finder(UserLineFinder found) noexcept {
  finder.store(found, std::memory_order_release);
}

SourceSite current_user_line() {
  if (told.is_known()) return told;
  if (const UserLineFinder find = finder.load(std::memory_order_acquire)) {
    return find();
  }
  return {};
}

UserLineScope::UserLineScope(SourceSite site) noexcept : previous_(std::exchange(told, site)) {}
UserLineScope::~UserLineScope() { told = previous_; }

const std::string& current_module_path() noexcept { return module_path; }

std::string set_module_path(std::string path) noexcept {
  return std::exchange(module_path, std::move(path));
}

}  // namespace opwright
