// The line of the user's program that is being run, as the host language knows it.
//
// The core asks for it when it records something that the user may later want to find: a node of a
// graph, a guard on a size, an error. A program in C++ has no such language; a scope tells the line.
#pragma once

#include "opwright/base/source_site.h"

namespace opwright {

// Finds the innermost line of the user's own code on this thread; unknown where there is none.
using UserLineFinder = SourceSite (*)();
// The finder of the host language; stays until the end of the process.
void set_user_line_finder(UserLineFinder finder) noexcept;

// What the finder says, else the innermost UserLineScope of this thread, else unknown.
[[nodiscard]] SourceSite current_user_line();

// Names the line for the length of the scope, for programs in C++.
class [[nodiscard]] UserLineScope {
 public:
  explicit UserLineScope(SourceSite site) noexcept;
  ~UserLineScope();
  UserLineScope(const UserLineScope&) = delete;
  UserLineScope& operator=(const UserLineScope&) = delete;

 private:
  SourceSite previous_;
};

}  // namespace opwright
