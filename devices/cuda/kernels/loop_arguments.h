// The arguments of a loop kernel.
#pragma once

#include "devices/cuda/kernels/index_space.h"

namespace opwright::cuda {

// A number in every compute type.
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

// Elements of the innermost dimension that a thread processes at once if the result is contiguous.
inline constexpr int kRunLength = 4;

struct LoopOperand {
  const void* data;  // null: every element is `number`
  Element element;
  Element through;    // None: elements are not rounded first
  bool lies_in_runs;  // contiguous and aligned runs
  LoopNumber number;
  int64_t step;  // from an element of a run to the next
  int64_t strides[kMostDimensions];

  template <class C>
  OPWRIGHT_ANYWHERE C load(int64_t place) const {
    const C value = data ? load_as<C>(data, element, place) : number.get<C>();
    return through == Element::None ? value : round_through<C>(value, through);
  }
  template <class C>
  OPWRIGHT_ANYWHERE void load_run(int64_t place, C (&values)[kRunLength]) const {
    if (!data || step == 0) {
      const C value = load<C>(place);
      for (C& each : values) each = value;
      return;
    }
    if (lies_in_runs) {
      load_run_as<C>(data, element, place, values);
    } else {
      for (int e = 0; e < kRunLength; ++e) values[e] = load_as<C>(data, element, place + e * step);
    }
    if (through == Element::None) return;
    for (C& each : values) each = round_through<C>(each, through);
  }
};

// A loop by runs counts runs in its space; strides stay in elements.
struct LoopArguments {
  IndexSpace space;
  LoopOperand operands[3];
  LoopNumber numbers[3];
  void* result;
  Element result_element;
  int64_t result_strides[kMostDimensions];
};

}  // namespace opwright::cuda
