// From IR text to code: memory, then the folder of kept objects, then LLVM.
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

// Makes object bytes for this machine: relocatable, position-independent, small code model, code
// generation level 2, no optimiser.
struct ObjectMaker {
  std::string name;     // "llvmlite"
  std::string version;  // part of the key of kept objects, told without loading LLVM
  // Any thread. RuntimeError for a text that LLVM refuses; nothing where it cannot work after all.
  std::function<std::vector<std::byte>(std::string_view ir)> make;
  std::function<std::string(std::string_view ir)> assembly;  // may be missing
};
// Called when code is asked for the first time, and quick: kept code needs no LLVM. Gives one
// without `make` where there is none. The package sets one that imports llvmlite when an object has
// to be made; where it gives none, LLVM's C API is looked for.
using FindObjectMaker = std::function<ObjectMaker()>;
OPWRIGHT_EXPORT void set_object_maker(FindObjectMaker find);

// Who would make an object now, "llvmlite 0.50.0" or the path of LLVM's library; empty: nobody.
[[nodiscard]] OPWRIGHT_EXPORT std::string object_maker_name();

// What code is made for: what the machine has, at most what OPWRIGHT_CPU_LEVEL names. False: no
// code is made on this machine (below x86-64-v3).
[[nodiscard]] OPWRIGHT_EXPORT bool find_emit_target(EmitTarget& target);

// The code of a module; the same text gives the same object. Null where nothing can make it, told
// once by a warning. Any thread.
[[nodiscard]] OPWRIGHT_EXPORT ObjectCodePtr code_for(const std::string& ir);
// Code is kept in memory for whoever asks next; this drops what nobody uses now.
OPWRIGHT_EXPORT void drop_unused_code();
// Empty where nothing can tell.
[[nodiscard]] OPWRIGHT_EXPORT std::string assembly_for(const std::string& ir);

}  // namespace opwright
