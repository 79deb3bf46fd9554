// Loops of IR that carry values.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright {

using IrValues = std::vector<IrValue>;

// for (i = begin; i < end; i += step) state = body(i, state). The last state. Bounds are i64; with
// constant ones no test is made before the loop, and none at all where it runs once.
IrValues emit_loop(IrBuilder& builder, const IrValue& begin, const IrValue& end, int64_t step,
                   IrValues state,
                   const std::function<IrValues(const IrValue& index, const IrValues&)>& body);

// while (condition(state)) state = body(state). The last state; `condition` gives an i1 scalar.
IrValues emit_while(IrBuilder& builder, IrValues state,
                    const std::function<IrValue(const IrValues&)>& condition,
                    const std::function<IrValues(const IrValues&)>& body);

}  // namespace opwright
