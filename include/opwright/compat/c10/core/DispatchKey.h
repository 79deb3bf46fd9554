// c10::DispatchKey: the slots of an operator's row that PyTorch's keys name.
#pragma once

#include "opwright/compat/c10/core/DeviceType.h"

namespace c10 OPWRIGHT_VISIBILITY {
enum class DispatchKey : uint8_t {
  CPU,
  CUDA,
  Meta,
  XLA,
  MPS,
  XPU,
  IPU,
  HPU,
  PrivateUse1,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  Autograd,
  AutogradCPU,
  AutogradCUDA,
  AutogradXLA,
  AutogradMPS,
  AutogradXPU,
  AutogradIPU,
  AutogradHPU,
  AutogradPrivateUse1,
  AutogradOther,
};

// The spelling used in a registration.
constexpr const char* toString(DispatchKey key) {
  constexpr const char* kNames[] = {"CPU",
                                    "CUDA",
                                    "Meta",
                                    "XLA",
                                    "MPS",
                                    "XPU",
                                    "IPU",
                                    "HPU",
                                    "PrivateUse1",
                                    "CompositeImplicitAutograd",
                                    "CompositeExplicitAutograd",
                                    "Autograd",
                                    "AutogradCPU",
                                    "AutogradCUDA",
                                    "AutogradXLA",
                                    "AutogradMPS",
                                    "AutogradXPU",
                                    "AutogradIPU",
                                    "AutogradHPU",
                                    "AutogradPrivateUse1",
                                    "AutogradOther"};
  return kNames[static_cast<uint8_t>(key)];
}
}  // namespace c10
