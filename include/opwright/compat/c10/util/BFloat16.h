#pragma once

#include "opwright/compat/c10/util/Half.h"  // both
