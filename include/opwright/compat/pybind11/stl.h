// Lists and optionals are passed as values. Exists so that sources can include it.
#pragma once

#include "opwright/compat/pybind11/cast.h"
