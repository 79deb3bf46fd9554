// The location of the sample operator binaries, and helpers for tests of loading.
#pragma once

#include <string>

#include "opwright/runtime/runtime.h"

namespace opwright::testing {

inline std::string operator_binary(const std::string& name) {
  return std::string(OPWRIGHT_TEST_OPERATORS) + "/lib" + name + ".so";
}

// A binary that is loaded for the duration of a test.
class LoadedFor {
 public:
  explicit LoadedFor(const std::string& name) : path_(operator_binary(name)) {
    load_library(path_);
  }
  ~LoadedFor() { unload_library(path_); }
  LoadedFor(const LoadedFor&) = delete;
  LoadedFor& operator=(const LoadedFor&) = delete;

 private:
  std::string path_;
};

}  // namespace opwright::testing
