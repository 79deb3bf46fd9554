// The header is there for those who include it.
#pragma once

#include "opwright/compat/ATen/Functions.h"
