// The floor: only the standard headers that a kernel needs anyway.
#include <cmath>
#include <string>
#include <vector>
