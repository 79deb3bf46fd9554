// The refusal to read data that are not there: of fakes, and of values inside of a transform.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Before what a trace cannot record. If a trace of this thread may end early (TraceBreaker), it is
// asked to: true, it has ended and its values are real tensors. `cause` says in the user's words
// what comes next: "numpy() reads the data of a tensor". May throw what the breaker throws.
OPWRIGHT_EXPORT bool end_trace(const std::string& cause);

// Whether there is such a trace.
[[nodiscard]] OPWRIGHT_EXPORT bool may_trace_end() noexcept;

// The same before the data of this tensor are read, be it a value of that trace or a tensor from
// outside, whose writes the trace may still hold; `who`: "tolist". Nothing happens to others.
OPWRIGHT_EXPORT void make_data_real(std::string_view who, const Tensor& tensor);

// The same before a backward() from these outputs that would go on outside of the trace.
OPWRIGHT_EXPORT void make_history_real(std::span<const Tensor> outputs);

// Names what was asked for (`who`, "item"), the tensor, the user's line, and the ways out. `kind`
// is that of the error.
[[noreturn]] OPWRIGHT_EXPORT void throw_no_data(std::string_view who, const Tensor& tensor,
                                                const char* kind = "RuntimeError");

}  // namespace opwright
