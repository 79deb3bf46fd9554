// Exists so that sources can include it.
#pragma once

#include "opwright/compat/ATen/Functions.h"
