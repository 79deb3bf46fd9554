// Builds pointwise kernels from functors: a loop over dense elements per dtype and CPU level.
//
// A functor is a class template over the element type T. It is called with one to three T, or with
// a condition (a bool, read as uint8_t) and two T, and returns the output element; its call
// operator is OPWRIGHT_INLINE. It may have
//   explicit F(std::span<const Scalar>)   for the numbers of the call
//   kIsModular                            ints wrap around: signed ones use the unsigned code
//   kIsBitwise                            all non-complex types use the code of unsigned ints
//   kIsScalar                             computes nothing, or calls functions: no vector code
//   bool is_special(T...), Out special(T...)   values that the main path does not cover
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

template <class... T>
struct TypeList {};
template <class... A, class... B>
constexpr TypeList<A..., B...> operator+(TypeList<A...>, TypeList<B...>) {
  return {};
}

using IntTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>;
using FloatTypes = TypeList<float, double>;  // halves are computed as float
using ComplexTypes = TypeList<Complex<float>, Complex<double>>;
using DiscreteTypes = decltype(TypeList<bool>{} + IntTypes{});
using RealTypes = decltype(IntTypes{} + FloatTypes{});
using OrderedTypes = decltype(DiscreteTypes{} + FloatTypes{});
using InexactTypes = decltype(FloatTypes{} + ComplexTypes{});
using NumberTypes = decltype(RealTypes{} + ComplexTypes{});
using AllTypes = decltype(OrderedTypes{} + ComplexTypes{});

// Few tensors have these dtypes: one loop serves all levels, unless it is shared with other dtypes.
template <class T>
inline constexpr bool kIsRare =
    std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>;

template <class F>
OPWRIGHT_INLINE F make_functor(std::span<const Scalar> numbers) {
  if constexpr (std::is_constructible_v<F, std::span<const Scalar>>)
    return F(numbers);
  else
    return F{};
}

template <class F, class... In>
struct Kernel {
  using Out = std::invoke_result_t<const F&, In...>;
  static constexpr bool kHasSpecial = requires(const F& f, In... in) { f.is_special(in...); };

  static void run(std::span<const Scalar> numbers, std::byte* output,
                  const std::byte* const* inputs, int64_t count) {
    loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }
  // The inputs after the first are a single element each.
  static void run_repeated(std::span<const Scalar> numbers, std::byte* output,
                           const std::byte* const* inputs, int64_t count) {
    repeated_loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }
  OPWRIGHT_AVX2 static void run_repeated_avx2(std::span<const Scalar> numbers, std::byte* output,
                                              const std::byte* const* inputs, int64_t count) {
    repeated_loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }
  OPWRIGHT_AVX512 static void run_repeated_avx512(std::span<const Scalar> numbers,
                                                  std::byte* output, const std::byte* const* inputs,
                                                  int64_t count) {
    repeated_loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }
  OPWRIGHT_AVX2 static void run_avx2(std::span<const Scalar> numbers, std::byte* output,
                                     const std::byte* const* inputs, int64_t count) {
    loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }
  OPWRIGHT_AVX512 static void run_avx512(std::span<const Scalar> numbers, std::byte* output,
                                         const std::byte* const* inputs, int64_t count) {
    loop(numbers, output, inputs, count, std::index_sequence_for<In...>{});
  }

 private:
  template <size_t... I>
  OPWRIGHT_INLINE static void loop(std::span<const Scalar> numbers, std::byte* output,
                                   const std::byte* const* inputs, int64_t count,
                                   std::index_sequence<I...>) {
    const F f = make_functor<F>(numbers);
    compute(f, count, reinterpret_cast<Out*>(output), reinterpret_cast<const In*>(inputs[I])...);
  }

  template <size_t kFirst, size_t... kRest>
  OPWRIGHT_INLINE static void repeated_loop(std::span<const Scalar> numbers, std::byte* output,
                                            const std::byte* const* inputs, int64_t count,
                                            std::index_sequence<kFirst, kRest...>) {
    using T = std::tuple_element_t<0, std::tuple<In...>>;
    const F f = make_functor<F>(numbers);
    const auto* in = reinterpret_cast<const T*>(inputs[0]);
    auto* out = reinterpret_cast<Out*>(output);
    const std::array<T, sizeof...(kRest)> rest{*reinterpret_cast<const T*>(inputs[kRest])...};
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) out[i] = f(in[i], rest[kRest - 1]...);
  }

  OPWRIGHT_INLINE static void compute(const F& f, int64_t count, Out* out, const In*... in) {
    if constexpr (kHasSpecial) {
      constexpr int64_t kBlock = 512;
      for (int64_t at = 0; at < count; at += kBlock)
        compute_block(f, std::min(kBlock, count - at), out + at, (in + at)...);
    } else {
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]...);
    }
  }

  OPWRIGHT_INLINE static void compute_block(const F& f, int64_t count, Out* out, const In*... in) {
    uint32_t specials = 0;
    for (int64_t i = 0; i < count; ++i) specials |= f.is_special(in[i]...) ? 1U : 0U;
    if (specials == 0) {
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]...);
    } else {
      for (int64_t i = 0; i < count; ++i)
        out[i] = f.is_special(in[i]...) ? f.special(in[i]...) : f(in[i]...);
    }
  }
};

template <class F, class... In>
constexpr LeveledKernel make_kernel() {
  using Loop = Kernel<F, In...>;
  using T = std::tuple_element_t<sizeof...(In) - 1, std::tuple<In...>>;
  constexpr bool kIsScalar = requires { requires F::kIsScalar; } || kIsComplex<T>;
  LeveledKernel kernel{};
  kernel.output = dtype_of<typename Loop::Out>();
  kernel.by_level = {&Loop::run, &Loop::run, &Loop::run};
  constexpr bool kHasRepeated =
      sizeof...(In) > 1 && !kIsScalar && !Loop::kHasSpecial && (std::is_same_v<In, T> && ...);
  if constexpr (kHasRepeated)
    kernel.repeated_by_level = {&Loop::run_repeated, &Loop::run_repeated, &Loop::run_repeated};
#ifdef OPWRIGHT_HAS_CPU_LEVELS
  constexpr bool kIsShared =
      requires { requires F::kIsModular; } || requires { requires F::kIsBitwise; };
  if constexpr (!kIsScalar && (kIsShared || !kIsRare<T>)) {
    kernel.by_level[1] = kernel.by_level[2] = &Loop::run_avx2;
    if constexpr (std::is_floating_point_v<T>) kernel.by_level[2] = &Loop::run_avx512;
    if constexpr (kHasRepeated)
      kernel.repeated_by_level[1] = kernel.repeated_by_level[2] = &Loop::run_repeated_avx2;
    if constexpr (kHasRepeated && std::is_floating_point_v<T>)
      kernel.repeated_by_level[2] = &Loop::run_repeated_avx512;
  }
#endif
  return kernel;
}

template <size_t kBytes>
using UnsignedOf = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

template <template <class> class F, class T>
constexpr LeveledKernel make_kernel_of() {
  if constexpr (requires { requires F<T>::kIsBitwise; } && !kIsComplex<T> &&
                !std::is_same_v<T, UnsignedOf<sizeof(T)>>) {
    LeveledKernel kernel = make_kernel_of<F, UnsignedOf<sizeof(T)>>();
    kernel.output = dtype_of<T>();
    return kernel;
  } else if constexpr (requires { requires F<T>::kIsModular; } && kIsInt<T> &&
                       std::is_signed_v<T>) {
    LeveledKernel kernel = make_kernel_of<F, std::make_unsigned_t<T>>();
    kernel.output = dtype_of<T>();
    return kernel;
  } else if constexpr (requires { requires F<T>::kHasCondition; }) {
    return make_kernel<F<T>, uint8_t, T, T>();
  } else if constexpr (std::is_invocable_v<const F<T>&, T>) {
    return make_kernel<F<T>, T>();
  } else if constexpr (std::is_invocable_v<const F<T>&, T, T>) {
    return make_kernel<F<T>, T, T>();
  } else {
    return make_kernel<F<T>, T, T, T>();
  }
}

template <template <class> class F, class... T>
constexpr KernelTable make_kernel_table(TypeList<T...>) {
  KernelTable table{};
  ((table[kernel_index(dtype_of<T>())] = make_kernel_of<F, T>()), ...);
  return table;
}

// The kernels of a functor for these element types.
template <template <class> class F, class Types>
inline constexpr KernelTable kKernels = make_kernel_table<F>(Types{});

inline constexpr const char* kTakesReal = "real dtypes but bool";

// The operation of a functor over floating-point numbers.
template <template <class> class F>
constexpr PointwiseOp floating_op(uint8_t arity, const char* formula = nullptr) {
  return {.arity = arity,
          .kernels = &kKernels<F, FloatTypes>,
          .takes = "floating dtypes",
          .formula = formula};
}

}  // namespace opwright
