// Everything that an operator needs: include this one header.
#pragma once

#include "opwright/autograd.h"
#include "opwright/dynamic_size.h"
#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/parallel.h"
