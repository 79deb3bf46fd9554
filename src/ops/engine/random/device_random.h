// Random numbers on devices that generate them: docs/concepts/device_plugin.md, "Random numbers".
#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/value.h"

namespace opwright {

// A parameter of a distribution; a Scalar cannot hold every int.
struct RandomNumber {
  // NOLINTBEGIN(google-explicit-constructor)
  RandomNumber(double number) : value(ValueOf<double>::lend(number)) {}
  RandomNumber(int64_t number) : value(ValueOf<int64_t>::lend(number)) {}
  // NOLINTEND(google-explicit-constructor)
  OpwValue value;
};

// Fills `self`, whatever its strides, with the same elements that the CPU would draw, with the
// given number of words each; a complex number is two elements. Counters are reserved as on the
// CPU, none for an empty tensor. RuntimeError if elements of `self` overlap, NotImplementedError
// for `who` if the device generates no random numbers.
void fill_random_on_device(const char* who, const Tensor& self, RandomState& state,
                           const char* distribution, int64_t words,
                           std::initializer_list<RandomNumber> numbers);

}  // namespace opwright
