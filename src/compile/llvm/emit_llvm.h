// Emits a nest as LLVM IR text in final form: vectors of fixed width, elementary functions as
// instructions, one function of one pointer.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/compile/fuse/nest.h"

namespace opwright {

// What the emitter knows about a machine.
struct EmitTarget {
  uint32_t vector_bytes = 64;  // register size: 64 or 32
  friend bool operator==(const EmitTarget&, const EmitTarget&) = default;
};

// The single function of each module: void @nest(ptr %context), a NestContext.
inline constexpr const char* kNestFunction = "nest";

struct EmittedNest {
  std::string ir;
  // A thread's scratch memory has this many bytes per point of a row (depth times columns), plus
  // kScratchSlack.
  int64_t scratch_bytes = 0;
};
inline constexpr int64_t kScratchSlack = 256;

[[nodiscard]] const FusionTarget& llvm_target() noexcept;

[[nodiscard]] EmittedNest emit_llvm(const Nest& nest, const EmitTarget& target);

}  // namespace opwright
