// The plug-in's error messages as functions of plain values, so that every sentence can be tested
// on a machine without a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace opwright::cuda {

// "1.5 GiB"; whole bytes below 1 KiB.
std::string size_text(size_t bytes);
// "13.0" for CUDA's 13000.
std::string version_text(int version);

// Why there is no device. `driver` and `needed` are CUDA's version numbers, 0 without a driver;
// `problem` is CUDA's own error text.
enum class Absence { Nothing, NoDriver, OldDriver, NoDevice, Other };
struct AbsenceFacts {
  Absence absence = Absence::Nothing;
  int driver = 0;
  int needed = 0;
  std::string problem{};
};
std::string absence_text(const AbsenceFacts& facts);

struct MemoryFacts {
  size_t total;  // of the device
  size_t free;
  size_t allocated;  // by this process's tensors
  size_t cached;     // cached by it
};
// The host adds the size of the allocation in front.
std::string no_room_text(int32_t index, const MemoryFacts& facts);

// An earlier kernel broke the device's context. `what` is the action that detected it; `waits`
// means that every call is waited for, so that the operator is known.
std::string fault_text(int32_t index, const std::string& problem, const std::string& what,
                       bool waits);
// Code of ours that the device cannot run.
std::string no_code_text(int32_t index, int capability);
std::string forked_text();

}  // namespace opwright::cuda
