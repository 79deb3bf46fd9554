// Loads the given operator binaries, describes each, and prints the result: for tests in Python.
//
//   load_binary libfirst.so libsecond.so
#include <cstdio>

#include "opwright/runtime/runtime.h"

int main(int argc, char** argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    try {
      std::printf("%s", opwright::to_text(opwright::describe_library(argv[i])).c_str());
      opwright::load_library(argv[i]);
      std::printf("loaded\n");
    } catch (const opwright::Error& error) {
      std::printf("%s: %s\n", error.kind(), error.message().c_str());
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
