// Random numbers on devices that draw them: docs/concepts/device_plugin.md, "Random numbers".
#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/value.h"

namespace opwright {

// A parameter of a distribution; a Scalar does not hold every int.
struct RandomNumber {
  // NOLINTBEGIN(google-explicit-constructor)
  RandomNumber(double number) : value(ValueOf<double>::lend(number)) {}
  RandomNumber(int64_t number) : value(ValueOf<int64_t>::lend(number)) {}
  // NOLINTEND(google-explicit-constructor)
  OpwValue value;
};

// Fills `self`, whatever its strides, with the elements that the CPU would draw, each of so many
// words; a complex number is two of them. Counters are reserved as the CPU does, none for a tensor
// without elements. RuntimeError where elements of `self` meet, NotImplementedError for `who` where
// the device draws no random numbers.
void fill_random_on_device(const char* who, const Tensor& self, RandomState& state,
                           const char* distribution, int64_t words,
                           std::initializer_list<RandomNumber> numbers);

}  // namespace opwright
