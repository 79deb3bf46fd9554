// TORCH_CHECK and related macros. They throw opwright::Error; its kind is the Python exception that
// PyTorch raises.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "opwright/compat/c10/macros/Macros.h"
#include "opwright/compat/c10/util/StringUtil.h"
#include "opwright/error.h"

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::Error;

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void throw_check(const char* kind, const char* condition,
                                                        const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0) {
    opwright::throw_error(kind, "expected ", condition, " to be true");
  } else {
    opwright::throw_error(kind, str(parts...));
  }
}

[[gnu::cold, gnu::noinline]] inline void warn(const char* file, uint32_t line,
                                              const std::string& text) {
  std::fprintf(stderr, "%s:%u: warning: %s\n", file, line, text.c_str());
}
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at

// An `if` without `do`, like PyTorch's: sources may omit the semicolon.
#define TORCH_CHECK_KIND_(kind, condition, ...)                      \
  if (C10_UNLIKELY(!(condition))) {                                  \
    ::c10::throw_check(kind, #condition __VA_OPT__(, ) __VA_ARGS__); \
  }
#define TORCH_CHECK(condition, ...) TORCH_CHECK_KIND_("RuntimeError", condition, __VA_ARGS__)
#define TORCH_CHECK_WITH(type, condition, ...) TORCH_CHECK_KIND_(#type, condition, __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK_KIND_("ValueError", condition, __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK_KIND_("TypeError", condition, __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK_KIND_("IndexError", condition, __VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) TORCH_CHECK_KIND_("LinAlgError", condition, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TORCH_CHECK_KIND_("NotImplementedError", condition, __VA_ARGS__)
// Requires a condition instead of deciding it, so that a symbolic size stays symbolic.
#define TORCH_SYM_CHECK(condition, ...) ::opwright::check((condition), ::c10::str(__VA_ARGS__))

#define TORCH_INTERNAL_ASSERT(condition, ...)                             \
  TORCH_CHECK_KIND_("RuntimeError", condition,                            \
                    "internal assert failed: " #condition " at " __FILE__ \
                    ":" C10_STRINGIZE(__LINE__) " " __VA_OPT__(, ) __VA_ARGS__)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) static_cast<void>(sizeof(!(condition)))
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) \
  TORCH_INTERNAL_ASSERT(condition, __VA_ARGS__)
#endif
#define AT_ASSERT(condition) TORCH_INTERNAL_ASSERT(condition)
#define AT_ASSERTM(condition, ...) TORCH_INTERNAL_ASSERT(condition, __VA_ARGS__)
#define AT_ERROR(...) ::c10::throw_check("RuntimeError", "AT_ERROR" __VA_OPT__(, ) __VA_ARGS__)
#define C10_THROW_ERROR(type, text) ::c10::throw_check(#type, #type, text)

// Writes to stderr: a host has no channel for warnings.
#define TORCH_WARN(...) ::c10::warn(__FILE__, __LINE__, ::c10::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...)                                                 \
  [[maybe_unused]] static const bool C10_ANONYMOUS_VARIABLE(torch_warned_) = \
      (TORCH_WARN(__VA_ARGS__), true)
