// Atomic additions to memory, for every element type.
#pragma once

#include <cuda_runtime.h>

#include "devices/cuda/kernels/number.h"

namespace opwright::cuda {

// A bool in memory; its sum is "or".
struct TruthByte {
  uint8_t value;
};

__device__ __forceinline__ void atomic_add(float* to, float value) { atomicAdd(to, value); }
__device__ __forceinline__ void atomic_add(double* to, double value) { atomicAdd(to, value); }
__device__ __forceinline__ void atomic_add(uint32_t* to, uint32_t value) { atomicAdd(to, value); }
__device__ __forceinline__ void atomic_add(uint64_t* to, uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void atomic_add(HalfBits* to, HalfBits value) {
  asm volatile("red.global.add.noftz.f16 [%0], %1;" : : "l"(to), "h"(value.bits) : "memory");
}
__device__ __forceinline__ void atomic_add(BFloatBits* to, BFloatBits value) {
  asm volatile("red.global.add.noftz.bf16 [%0], %1;" : : "l"(to), "h"(value.bits) : "memory");
}
template <class T>
__device__ __forceinline__ void atomic_add(ComplexParts<T>* to, ComplexParts<T> value) {
  atomicAdd(&to->real, value.real);
  atomicAdd(&to->imag, value.imag);
}

// Small ints: with the 32-bit word that holds them.
template <class T>
__device__ __forceinline__ void atomic_add_in_word(T* to, T value) {
  const auto address = reinterpret_cast<uintptr_t>(to);
  auto* word = reinterpret_cast<uint32_t*>(address & ~uintptr_t{3});
  const uint32_t shift = static_cast<uint32_t>(address & 3) * 8;
  constexpr uint32_t kOnes = sizeof(T) == 1 ? 0xffU : 0xffffU;
  uint32_t seen = *word;
  uint32_t expected;
  do {
    expected = seen;
    const uint32_t sum = ((expected >> shift) + value) & kOnes;
    seen = atomicCAS(word, expected, (expected & ~(kOnes << shift)) | sum << shift);
  } while (seen != expected);
}
__device__ __forceinline__ void atomic_add(uint8_t* to, uint8_t value) {
  atomic_add_in_word(to, value);
}
__device__ __forceinline__ void atomic_add(uint16_t* to, uint16_t value) {
  atomic_add_in_word(to, value);
}
__device__ __forceinline__ void atomic_add(TruthByte* to, TruthByte value) {
  if (value.value != 0) to->value = 1;  // all writers store the same value
}

}  // namespace opwright::cuda
