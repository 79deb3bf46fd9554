// The floor: the standard headers that a kernel's author includes anyway, and no operator.
#include <cmath>
#include <string>
#include <vector>
