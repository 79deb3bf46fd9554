#include <memory>

#include "opwright/check/example_text.h"
#include "opwright/check/shrink.h"
#include "opwright/check/variation.h"

namespace opwright {
struct Variations::State {};
Variations::Variations(const Example& /*given*/, VariationOptions /*options*/) {}
Variations::~Variations() = default;
std::optional<Example> Variations::next() { return std::nullopt; }
Example shrink(Example example, const std::function<bool(const Example&)>& /*shows*/,
               int /*most*/) {
  return example;
}
std::string code_of(const Example& /*example*/) { return {}; }
}  // namespace opwright
