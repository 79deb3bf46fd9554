// c10::complex is opwright::Complex: its parts are the members `real` and `imag`.
#pragma once

#include "opwright/complex.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class T>
using complex = opwright::Complex<T>;
}  // namespace c10
