#include "opwright/program/version.h"

#include <string_view>

namespace opwright {

const std::string_view kVersion = OPWRIGHT_VERSION;

}  // namespace opwright
