// Turns IR text into code: from memory, then from the disk cache, then by LLVM.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/object/object_code.h"
#include "opwright/visibility.h"

namespace opwright {

// Makes object code for this machine: relocatable, position-independent, small code model, code
// generation level 2, no optimiser.
struct ObjectMaker {
  std::string name;     // "llvmlite"
  std::string version;  // part of the cache key, known without loading LLVM
  // Thread-safe. RuntimeError for text that LLVM rejects; empty if it cannot work after all.
  std::function<std::vector<std::byte>(std::string_view ir)> make;
  std::function<std::string(std::string_view ir)> assembly;  // optional
};
// Called when code is first requested; must be fast, since cached code needs no LLVM. Returns one
// without `make` if there is none. The Python package sets one that imports llvmlite when an object
// has to be made; if it returns none, LLVM's C API is tried.
using FindObjectMaker = std::function<ObjectMaker()>;
OPWRIGHT_EXPORT void set_object_maker(FindObjectMaker find);

// What would make an object now, "llvmlite 0.50.0" or the path of LLVM's library; empty if nothing.
[[nodiscard]] OPWRIGHT_EXPORT std::string object_maker_name();

// The machine's features, limited by OPWRIGHT_CPU_LEVEL. False: no code is made on this machine
// (below x86-64-v3).
[[nodiscard]] OPWRIGHT_EXPORT bool find_emit_target(EmitTarget& target);

// The code of a module; the same text returns the same object. Null if nothing can make it, with
// one warning. Thread-safe.
[[nodiscard]] OPWRIGHT_EXPORT ObjectCodePtr code_for(const std::string& ir);
// Code stays in memory for later requests; this drops code that is not in use.
OPWRIGHT_EXPORT void drop_unused_code();
// Empty if not available.
[[nodiscard]] OPWRIGHT_EXPORT std::string assembly_for(const std::string& ir);

}  // namespace opwright
