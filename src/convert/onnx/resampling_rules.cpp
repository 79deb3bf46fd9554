#include <span>

#include "opwright/convert/onnx/rules.h"

namespace opwright::onnx {

std::span<const BuiltinRule> resampling_rules() { return {}; }

}  // namespace opwright::onnx
