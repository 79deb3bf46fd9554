// NVRTC, found at run time.
#pragma once

#include <string>
#include <vector>

namespace opwright::cuda {

// Compiles a text to machine code for a compute capability, e.g. 90. RuntimeError with the
// compiler's log if the text is wrong, or if there is no NVRTC.
std::vector<char> compile_source(const std::string& source, const std::string& name,
                                 const std::string& options, int capability);

}  // namespace opwright::cuda
