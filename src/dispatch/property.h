// Properties of the core's own operators, for its passes and checks.
//
// functions.yaml states them (`properties:`); every operator in it is Builtin. An author's operator
// has none, and code must do the safe thing without them. They are stored above the tags that
// authors and plug-ins may set.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/dispatch/operator.h"
#include "opwright/tag.h"

namespace opwright {

enum class Property : uint8_t {
  Builtin,          // declared in functions.yaml, or the functional form of such an operator
  Internal,         // defined by the core for its own graphs: opwright::cond
  FunctionalForm,   // made from an operator that writes or draws (functional_sibling.h)
  Backward,         // the backward of another operator: its arguments depend on each other
  Cheap,            // copies or fills: recomputing it costs no more than a pointwise operator
  CompiledWhole,    // compile keeps the call: one kernel, or the reduction of a nest, computes it
  DrawsByElement,   // random: element i of the results is drawn for element i of the tensors
  DrawsBySize,      // random: only the sizes of the first tensor matter, not its values
  Factory,          // makes a tensor from the metadata of an argument: new_zeros, zeros_like
  FixesSizes,       // its sizes are not integer expressions, so fakes fix the sizes of the inputs
  ReadsStorage,     // reads elements of the storage that the argument does not show
  StrideDependent,  // its results depend on the strides of its arguments
  UniqueIndices,    // its gradient formula assumes that no location is written twice
  RaisesVersion,    // writes only sometimes; its kernel then raises the version of the storage
};

inline constexpr uint32_t kFirstPropertyBit = 32;

[[nodiscard]] constexpr Tags with_properties(Tags tags, std::initializer_list<Property> stated) {
  uint64_t bits = tags.bits();
  for (const Property each : stated) {
    bits |= uint64_t{1} << (kFirstPropertyBit + static_cast<uint8_t>(each));
  }
  return Tags::from_bits(bits);
}

// The tags without properties: all that an operator binary may set.
[[nodiscard]] constexpr Tags without_properties(Tags tags) {
  return Tags::from_bits(tags.bits() & ((uint64_t{1} << kFirstPropertyBit) - 1));
}

[[nodiscard]] inline bool has_property(const Operator& op, Property property) noexcept {
  const uint32_t bit = kFirstPropertyBit + static_cast<uint8_t>(property);
  return (op.tags().bits() >> bit & 1) != 0;
}

[[nodiscard]] inline bool is_builtin(const Operator& op) noexcept {
  return has_property(op, Property::Builtin);
}

// Whether the core defines the operator, for users or for itself.
[[nodiscard]] inline bool is_of_core(const Operator& op) noexcept {
  return is_builtin(op) || has_property(op, Property::Internal);
}

}  // namespace opwright
