// The line of the user's program that is running, as the host language knows it.
//
// The core queries it when it records something that the user may want to find later: a node of a
// graph, a guard on a size, an error. A C++ program has no such language; it sets the line with a
// scope.
#pragma once

#include <string>
#include <utility>

#include "opwright/base/source_site.h"
#include "opwright/visibility.h"

namespace opwright {

// Finds the innermost line of the user's own code on this thread; unknown if there is none.
using UserLineFinder = SourceSite (*)();
// Sets the finder of the host language for the rest of the process.
OPWRIGHT_EXPORT void set_user_line_finder(UserLineFinder finder) noexcept;

// The line of the innermost UserLineScope of this thread, else the finder's, else unknown.
[[nodiscard]] OPWRIGHT_EXPORT SourceSite current_user_line();

// Sets the line until the end of the scope: for C++ programs, and for running a graph, whose nodes
// know their lines.
class [[nodiscard]] UserLineScope {
 public:
  explicit UserLineScope(SourceSite site) noexcept;
  ~UserLineScope();
  UserLineScope(const UserLineScope&) = delete;
  UserLineScope& operator=(const UserLineScope&) = delete;

 private:
  SourceSite previous_;
};

// The part of the user's model that is running on this thread, "encoder.layers.0"; empty: none.
[[nodiscard]] const std::string& current_module_path() noexcept;
// Returns the previous path.
OPWRIGHT_EXPORT std::string set_module_path(std::string path) noexcept;

class [[nodiscard]] ModulePathScope {
 public:
  explicit ModulePathScope(std::string path) noexcept
      : previous_(set_module_path(std::move(path))) {}
  ~ModulePathScope() { set_module_path(std::move(previous_)); }
  ModulePathScope(const ModulePathScope&) = delete;
  ModulePathScope& operator=(const ModulePathScope&) = delete;

 private:
  std::string previous_;
};

}  // namespace opwright
