// One loop as its kernel gets it.
#pragma once

#include "devices/cuda/kernels/index_space.h"

namespace opwright::cuda {

// A number as every type that is computed in.
struct LoopNumber {
  double as_double;
  int64_t as_int;

  template <class C>
  OPWRIGHT_ANYWHERE C get() const {
    if constexpr (kIsFloating<C>)
      return static_cast<C>(as_double);
    else
      return convert<C>(as_int);
  }
};

struct LoopOperand {
  const void* data;  // null: `number` is every element
  Element element;
  Element through;  // None: elements are taken as they are
  LoopNumber number;
  int64_t strides[kMostDimensions];

  template <class C>
  OPWRIGHT_ANYWHERE C load(int64_t place) const {
    const C value = data ? load_as<C>(data, element, place) : number.get<C>();
    return through == Element::None ? value : round_through<C>(value, through);
  }
};

struct LoopArguments {
  IndexSpace space;
  LoopOperand operands[3];
  LoopNumber numbers[3];
  void* result;
  Element result_element;
  int64_t result_strides[kMostDimensions];
};

}  // namespace opwright::cuda
