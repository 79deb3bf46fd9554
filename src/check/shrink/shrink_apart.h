// Shrinking in a child process: a smaller example may be one that ends it.
#pragma once

#include <functional>

#include "opwright/check/example/example.h"

namespace opwright {

// As shrink, with the questions asked in a child; a question that ends the child counts as no.
// Nothing that `shows` changes is seen here. Tensors of another device than the CPU allow no child:
// then in this process.
[[nodiscard]] Example shrink_apart(const Example& example,
                                   const std::function<bool(const Example&)>& shows, int most);

}  // namespace opwright
