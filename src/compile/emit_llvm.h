// A nest as LLVM IR text, in final form: vectors of fixed width, elementary functions as
// instructions, one function of one pointer.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/compile/nest.h"

namespace opwright {

// What the emitter knows of a machine.
struct EmitTarget {
  uint32_t vector_bytes = 64;  // of its registers: 64, 32
  friend bool operator==(const EmitTarget&, const EmitTarget&) = default;
};

// The one function of each module: void @nest(ptr %context), a NestContext.
inline constexpr const char* kNestFunction = "nest";

struct EmittedNest {
  std::string ir;
  // The scratch of a thread has so many bytes for each point of a row (depth times columns), and
  // kScratchSlack beside.
  int64_t scratch_bytes = 0;
};
inline constexpr int64_t kScratchSlack = 256;

// Whether lanes of the operation can be emitted; fusion leaves others out. `dtype` is that of the
// arguments (of a Load or a Cast: of the memory, of what is converted).
[[nodiscard]] bool can_emit(LaneOp op, DType dtype) noexcept;
// Whether it takes some ten instructions or more: rather kept than computed again.
[[nodiscard]] bool is_costly(LaneOp op) noexcept;

[[nodiscard]] EmittedNest emit_llvm(const Nest& nest, const EmitTarget& target);

}  // namespace opwright
