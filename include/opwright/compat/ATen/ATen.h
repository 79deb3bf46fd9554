// All available parts of ATen, and the parts of the standard library that sources get from
// PyTorch's header.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef OPWRIGHT_COMPAT_LEAN  // set by cpp_extension for sources that use none of these
#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#endif

#include "opwright/compat/ATen/Dispatch.h"
#include "opwright/compat/ATen/Functions.h"
#include "opwright/compat/ATen/core/List.h"
#include "opwright/compat/ATen/core/Tensor.h"
#include "opwright/compat/ATen/core/dispatch/Dispatcher.h"
#include "opwright/compat/c10/core/DispatchKey.h"
#include "opwright/compat/c10/core/GradMode.h"
#include "opwright/compat/c10/util/SmallVector.h"
#include "opwright/compat/c10/util/irange.h"
#include "opwright/compat/c10/util/string_view.h"
