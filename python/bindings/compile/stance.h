// Stance: how calls of compiled functions behave now, for all threads (torch.compiler.set_stance).
#pragma once

#include <cstdint>
#include <string>

namespace nanobind {
class module_;
}

namespace opwright::python {

enum class Stance : uint8_t {
  Default,
  ForceEager,        // the functions themselves are called
  EagerOnRecompile,  // compiled code that is valid is used, nothing is compiled
  FailOnRecompile,   // the same, but a call that needs a compilation raises RuntimeError
};

// Read by every compiled call; under the GIL.
inline Stance current_stance = Stance::Default;

// Raises for a call of `function` that would be compiled under FailOnRecompile.
[[noreturn]] void throw_compile_refused(const std::string& function);

void bind_stance(nanobind::module_& m);

}  // namespace opwright::python
