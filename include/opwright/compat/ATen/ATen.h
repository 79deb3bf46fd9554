// All of ATen that there is. With the parts of the standard library that sources take from
// PyTorch's own header.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

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
