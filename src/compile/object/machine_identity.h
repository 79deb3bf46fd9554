// What this machine is, as far as code made for it depends on it; asked of the machine itself.
#pragma once

#include <string>

namespace opwright {

// The same text: code made here runs there, and would be made the same there.
[[nodiscard]] const std::string& machine_identity();

}  // namespace opwright
