// Reductions in device code: a state for a number of elements, adding an element, merging two
// states, and the result.
//
// A reduction F over values of type C has State, identity(), step(state, value, number), merge(a,
// b) and finish(state, numbers). A state takes elements in the order of their numbers; states may
// be merged in any order.
#pragma once

#include "devices/cuda/kernels/formula_functions.h"
#include "devices/cuda/kernels/number.h"

namespace opwright::cuda {

// The same for every result.
struct FoldNumbers {
  double count;   // elements of one result
  double number;  // the correction of a variance, the order of a norm
};

template <bool kFirst, class A, class B>
struct Chosen {
  using Type = A;
};
template <class A, class B>
struct Chosen<false, A, B> {
  using Type = B;
};

// Ints wrap.
template <class C>
using SumState = typename Chosen<kIsFloating<C>, C, uint64_t>::Type;

template <class C>
struct SumFold {
  using Value = C;
  using State = SumState<C>;
  OPWRIGHT_ANYWHERE static State identity() { return State(0); }
  OPWRIGHT_ANYWHERE static State step(State sum, C value, int64_t /*number*/) {
    return sum + static_cast<State>(value);
  }
  OPWRIGHT_ANYWHERE static State merge(State a, State b) { return a + b; }
  OPWRIGHT_ANYWHERE static C finish(State sum, const FoldNumbers& /*numbers*/) {
    return static_cast<C>(sum);
  }
};

template <class C>
struct MeanFold : SumFold<C> {
  OPWRIGHT_ANYWHERE static C finish(C sum, const FoldNumbers& numbers) {
    return sum / static_cast<C>(numbers.count);
  }
};

template <class C>
struct ProductFold {
  using Value = C;
  using State = SumState<C>;
  OPWRIGHT_ANYWHERE static State identity() { return State(1); }
  OPWRIGHT_ANYWHERE static State step(State product, C value, int64_t /*number*/) {
    return product * static_cast<State>(value);
  }
  OPWRIGHT_ANYWHERE static State merge(State a, State b) { return a * b; }
  OPWRIGHT_ANYWHERE static C finish(State product, const FoldNumbers& /*numbers*/) {
    return static_cast<C>(product);
  }
};

// The first of the largest or smallest values. NaN is beyond both.
template <class C>
struct Found {
  C value;
  int64_t number;
};
inline constexpr int64_t kNoNumber = 9223372036854775807LL;

template <class C, bool kIsLargest>
struct ExtremumFold {
  using Value = C;
  using State = Found<C>;
  OPWRIGHT_ANYWHERE static State identity() { return {C(0), kNoNumber}; }
  OPWRIGHT_ANYWHERE static bool is_nan(C value) { return value != value; }
  OPWRIGHT_ANYWHERE static State step(State found, C value, int64_t number) {
    const bool is_not_within = kIsLargest ? !(value <= found.value) : !(value >= found.value);
    const bool is_beyond = is_not_within && !is_nan(found.value);
    return is_beyond || found.number == kNoNumber ? State{value, number} : found;
  }
  OPWRIGHT_ANYWHERE static State merge(State a, State b) {
    if (a.number == kNoNumber) return b;
    if (b.number == kNoNumber) return a;
    const bool exceeds = kIsLargest ? b.value > a.value : b.value < a.value;
    const bool is_beyond = exceeds || (is_nan(b.value) && !is_nan(a.value));
    const bool is_equal = a.value == b.value || (is_nan(a.value) && is_nan(b.value));
    return is_beyond || (is_equal && b.number < a.number) ? b : a;
  }
  OPWRIGHT_ANYWHERE static C finish(State found, const FoldNumbers& /*numbers*/) {
    return found.value;
  }
};
template <class C>
using LargestFold = ExtremumFold<C, true>;
template <class C>
using SmallestFold = ExtremumFold<C, false>;

template <bool kIsAll>
struct TruthFold {
  using Value = bool;
  using State = uint32_t;
  OPWRIGHT_ANYWHERE static State identity() { return kIsAll ? 1 : 0; }
  OPWRIGHT_ANYWHERE static State step(State found, bool value, int64_t /*number*/) {
    return merge(found, value ? 1 : 0);
  }
  OPWRIGHT_ANYWHERE static State merge(State a, State b) { return kIsAll ? a & b : a | b; }
  OPWRIGHT_ANYWHERE static bool finish(State found, const FoldNumbers& /*numbers*/) {
    return found != 0;
  }
};

// Mean and squared deviations in double, by Welford's and Chan's algorithms.
struct MomentState {
  double mean;
  double deviations;
  double count;
};
template <class C>
struct VarianceFold {
  using Value = C;
  using State = MomentState;
  OPWRIGHT_ANYWHERE static State identity() { return {0, 0, 0}; }
  OPWRIGHT_ANYWHERE static State step(State state, C given, int64_t /*number*/) {
    const double value = given;
    const double count = state.count + 1;
    const double distance = value - state.mean;
    const double mean = state.mean + distance / count;
    return {mean, state.deviations + distance * (value - mean), count};
  }
  OPWRIGHT_ANYWHERE static State merge(const State& a, const State& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count;
    const double share = b.count / count;
    const double distance = b.mean - a.mean;
    return {a.mean + distance * share,
            a.deviations + b.deviations + distance * distance * a.count * share, count};
  }
  OPWRIGHT_ANYWHERE static C finish(const State& state, const FoldNumbers& numbers) {
    const double left = numbers.count - numbers.number;
    return static_cast<C>(state.deviations / (left > 0 ? left : 0.0));
  }
};

// Order 2 or 1: the root of the squares, or the sum of the magnitudes.
template <class C, int kOrder>
struct NormFold : SumFold<C> {
  OPWRIGHT_ANYWHERE static C step(C sum, C value, int64_t /*number*/) {
    return sum + (kOrder == 2 ? value * value : formula::absolute(value));
  }
  OPWRIGHT_ANYWHERE static C finish(C sum, const FoldNumbers& /*numbers*/) {
    return kOrder == 2 ? formula::sqrt(sum) : sum;
  }
};

}  // namespace opwright::cuda
