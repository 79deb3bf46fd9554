// c10::string_view is std::string_view.
#pragma once

#include <string_view>

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
using std::string_view;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
