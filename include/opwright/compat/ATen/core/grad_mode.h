#pragma once

#include "opwright/compat/c10/core/GradMode.h"
