// c10::optional is std::optional.
#pragma once

#include <optional>

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
using std::in_place;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;  // as in PyTorch: every name of c10 is one of at
}  // namespace at
