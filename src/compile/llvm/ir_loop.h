// Emits IR loops with loop-carried values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {

using IrValues = std::vector<IrValue>;

// for (i = begin; i < end; i += step) state = body(i, state). Returns the last state. Bounds are
// i64; constant ones need no test before the loop, and no test at all if it runs once.
IrValues emit_loop(IrBuilder& builder, const IrValue& begin, const IrValue& end, int64_t step,
                   IrValues state,
                   const std::function<IrValues(const IrValue& index, const IrValues&)>& body);

// while (condition(state)) state = body(state). Returns the last state; `condition` returns an i1.
IrValues emit_while(IrBuilder& builder, IrValues state,
                    const std::function<IrValue(const IrValues&)>& condition,
                    const std::function<IrValues(const IrValues&)>& body);

}  // namespace opwright
