// The macros of c10 that sources written for PyTorch use.
#pragma once

#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(text) C10_CONCATENATE(text, __COUNTER__)

#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_NOINLINE __attribute__((noinline))
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_FALLTHROUGH [[fallthrough]]
#define C10_RESTRICT __restrict

#ifdef __CUDACC__
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#else
#define C10_HOST
#define C10_DEVICE
#define C10_HOST_DEVICE
#endif

// A binary exports only opw_binary.
#define C10_API
#define C10_EXPORT
#define C10_HIDDEN
#define TORCH_API
