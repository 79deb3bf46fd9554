#include <span>

#include "opwright/convert/onnx/rules.h"

namespace opwright::onnx {

std::span<const BuiltinRule> activation_rules() { return {}; }

}  // namespace opwright::onnx
