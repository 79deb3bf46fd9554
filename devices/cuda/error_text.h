// What the plug-in says when something is wrong, as text of plain values, so that every sentence
// can be read and tested on a machine without a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace opwright::cuda {

// "1.5 GiB"; whole bytes below 1 KiB.
std::string size_text(size_t bytes);
// "13.0" for CUDA's 13000.
std::string version_text(int version);

// Why there is no device. `driver` and `needed` are versions as CUDA counts them, 0 without a
// driver; `problem` is CUDA's own word for what it met.
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
  size_t cached;     // and what it keeps for later
};
// The allocation's own size stands in what the host puts before.
std::string no_room_text(int32_t index, const MemoryFacts& facts);

// A kernel that ran earlier broke the device's context. `what` is what was tried when it was seen;
// `waits` tells that every call is waited for, so that the operator is known.
std::string fault_text(int32_t index, const std::string& problem, const std::string& what,
                       bool waits);
// Code of ours that the device cannot run.
std::string no_code_text(int32_t index, int capability);
std::string forked_text();

}  // namespace opwright::cuda
