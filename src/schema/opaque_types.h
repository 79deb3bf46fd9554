// The registered names of object types, which schemas may use as types.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace opwright {

// Owned by the registry and passed to the parser; not locked.
class OpaqueTypes {
 public:
  // A name of words separated by dots, e.g. "audio.Filter". False if it already existed.
  bool add(std::string_view name) { return names_.emplace(name).second; }
  bool remove(std::string_view name) {
    const auto found = names_.find(name);
    if (found == names_.end()) return false;
    names_.erase(found);
    return true;
  }
  [[nodiscard]] bool contains(std::string_view name) const { return names_.contains(name); }
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  std::set<std::string, std::less<>> names_;
};

}  // namespace opwright
