// One C++ function over every element: the typed loops of elementwise kernels.
//
// Operands of dense runs take a loop that the compiler turns into vector code. A written operand
// may be a read one as well (in place): an element is read before it is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/ops/cpu/strided_loop.h"

// The iterations of the next loop do not depend on each other. Clang finds out when it runs.
#ifdef __clang__
#define OPWRIGHT_INDEPENDENT_ITERATIONS
#else
#define OPWRIGHT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace opwright {

template <class T>
inline T load(const std::byte* pointer) {
  return *reinterpret_cast<const T*>(pointer);
}
template <class T>
inline void store(std::byte* pointer, T value) {
  *reinterpret_cast<T*>(pointer) = value;
}

// output = value everywhere.
template <class Out>
void apply_constant(const Tensor& output, Out value) {
  StridedLoop({&output}).for_each_run([value](const StridedLoop::Pointers& pointers,
                                              const StridedLoop::ByteStrides& strides,
                                              int64_t count) {
    if (strides[0] == sizeof(Out)) {
      Out* out = reinterpret_cast<Out*>(pointers[0]);
      for (int64_t i = 0; i < count; ++i) out[i] = value;
    } else {
      for (int64_t i = 0; i < count; ++i) store<Out>(pointers[0] + i * strides[0], value);
    }
  });
}

// output = op(input), of these element types.
template <class Out, class In, class Op>
void apply_unary(const Tensor& output, const Tensor& input, const Op& op) {
  StridedLoop({&output, &input})
      .for_each_run([&op](const StridedLoop::Pointers& pointers,
                          const StridedLoop::ByteStrides& strides, int64_t count) {
        if (strides[0] == sizeof(Out) && strides[1] == sizeof(In)) {
          Out* out = reinterpret_cast<Out*>(pointers[0]);
          const In* in = reinterpret_cast<const In*>(pointers[1]);
          OPWRIGHT_INDEPENDENT_ITERATIONS
          for (int64_t i = 0; i < count; ++i) out[i] = op(in[i]);
        } else {
          for (int64_t i = 0; i < count; ++i) {
            store<Out>(pointers[0] + i * strides[0], op(load<In>(pointers[1] + i * strides[1])));
          }
        }
      });
}

// output = op(a, b), of these element types.
template <class Out, class In, class Op>
void apply_binary(const Tensor& output, const Tensor& a, const Tensor& b, const Op& op) {
  StridedLoop({&output, &a, &b})
      .for_each_run([&op](const StridedLoop::Pointers& pointers,
                          const StridedLoop::ByteStrides& strides, int64_t count) {
        const int64_t item = sizeof(In);
        Out* out = reinterpret_cast<Out*>(pointers[0]);
        const In* x = reinterpret_cast<const In*>(pointers[1]);
        const In* y = reinterpret_cast<const In*>(pointers[2]);
        if (strides[0] == sizeof(Out) && strides[1] == item && strides[2] == item) {
          OPWRIGHT_INDEPENDENT_ITERATIONS
          for (int64_t i = 0; i < count; ++i) out[i] = op(x[i], y[i]);
        } else if (strides[0] == sizeof(Out) && strides[1] == item && strides[2] == 0) {
          const In same = *y;
          OPWRIGHT_INDEPENDENT_ITERATIONS
          for (int64_t i = 0; i < count; ++i) out[i] = op(x[i], same);
        } else if (strides[0] == sizeof(Out) && strides[1] == 0 && strides[2] == item) {
          const In same = *x;
          OPWRIGHT_INDEPENDENT_ITERATIONS
          for (int64_t i = 0; i < count; ++i) out[i] = op(same, y[i]);
        } else {
          for (int64_t i = 0; i < count; ++i) {
            store<Out>(pointers[0] + i * strides[0], op(load<In>(pointers[1] + i * strides[1]),
                                                        load<In>(pointers[2] + i * strides[2])));
          }
        }
      });
}

}  // namespace opwright
