#include <memory>

#include "opwright/check/example_text.h"
#include "opwright/check/forked_run.h"
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
std::vector<std::optional<ForkedAnswer>> run_forked(size_t count,
                                                    const std::function<std::string(size_t)>& work,
                                                    double /*seconds*/, int /*most_children*/) {
  std::vector<std::optional<ForkedAnswer>> answers;
  for (size_t i = 0; i < count; ++i) answers.push_back(ForkedAnswer{.text = work(i)});
  return answers;
}
}  // namespace opwright
