// Lists and optionals cross as values; the header is there for those who include it.
#pragma once

#include "opwright/compat/pybind11/cast.h"
