// The line of the user's program that is being run, as the host language knows it.
//
// The core asks for it when it records something that the user may later want to find: a node of a
// graph, a guard on a size, an error. A program in C++ has no such language; a scope tells the
// line.
#pragma once

#include <string>
#include <utility>

#include "opwright/base/source_site.h"
#include "opwright/visibility.h"

namespace opwright {

// Finds the innermost line of the user's own code on this thread; unknown where there is none.
using UserLineFinder = SourceSite (*)();
// The finder of the host language; stays until the end of the process.
OPWRIGHT_EXPORT void set_user_line_finder(UserLineFinder finder) noexcept;

// What the innermost UserLineScope of this thread says, else the finder, else unknown.
[[nodiscard]] OPWRIGHT_EXPORT SourceSite current_user_line();

// Names the line for the length of the scope: for programs in C++, and for the run of a graph,
// whose nodes know their lines.
class [[nodiscard]] UserLineScope {
 public:
  explicit UserLineScope(SourceSite site) noexcept;
  ~UserLineScope();
  UserLineScope(const UserLineScope&) = delete;
  UserLineScope& operator=(const UserLineScope&) = delete;

 private:
  SourceSite previous_;
};

// The part of the user's model that is being run on this thread, "encoder.layers.0"; empty: none.
[[nodiscard]] const std::string& current_module_path() noexcept;
// Gives the previous path.
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
