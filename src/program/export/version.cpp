#include "opwright/program/export/version.h"

namespace opwright {

const char* const kVersion = OPWRIGHT_VERSION;

}  // namespace opwright
