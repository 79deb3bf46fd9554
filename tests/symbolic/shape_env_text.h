// A ShapeEnv with a text interface: conditions and expressions in, answers out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright::testing {

class TextEnv {
 public:
  explicit TextEnv(ShapeEnvOptions options = {}) : env(make_intrusive<ShapeEnv>(options)) {}

  // How the text is parsed, without facts.
  [[nodiscard]] std::string form(std::string_view text) const {
    return concatenate(env->parse(text));
  }
  [[nodiscard]] std::string simplify(std::string_view text) const {
    return concatenate(env->simplify(env->parse(text)));
  }
  [[nodiscard]] std::string decide(std::string_view text) const {
    const std::optional<bool> answer = env->decide(env->parse(text));
    return answer ? (*answer ? "true" : "false") : "unknown";
  }
  [[nodiscard]] std::string range(std::string_view text) const {
    const SymRange range = env->range(env->parse(text));
    const std::string greatest =
        range.greatest == INT64_MAX ? "inf" : std::to_string(range.greatest);
    return (range.least == INT64_MIN ? "-inf" : std::to_string(range.least)) + " to " + greatest;
  }
  TextEnv& learn(std::string_view text) {
    env->learn(env->parse(text));
    return *this;
  }
  // Queries at line 7 of "kernel.cpp".
  [[nodiscard]] bool guard(std::string_view text, OpwIfUnknown if_unknown = kOpwUnknownIsError) {
    return env->guard(env->parse(text).word(), if_unknown, "kernel.cpp", 7);
  }
  void check(std::string_view text, const char* message) {
    env->check(env->parse(text).word(), message, "kernel.cpp", 9);
  }
  [[nodiscard]] std::string guards() const {
    std::string text;
    for (const Guard& guard : env->guards()) {
      text.append(text.empty() ? "" : "; ").append(concatenate(guard.condition));
    }
    return text;
  }
  [[nodiscard]] std::string asserts() const {
    std::string text;
    for (const RuntimeAssert& assertion : env->runtime_asserts()) {
      text.append(text.empty() ? "" : "; ").append(concatenate(assertion.condition));
    }
    return text;
  }

  ShapeEnvPtr env;
};

}  // namespace opwright::testing
