#pragma once
#include "opwright/operator_handle.h"
