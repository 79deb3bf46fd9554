// Errors for reading data that do not exist: of fakes, and of values inside a transform.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

class Operator;

// Called before an action that a trace cannot record. If a trace of this thread may end early
// (TraceBreaker), requests that; true: it has ended and its values are real tensors. `cause`
// describes the action in the user's words: "numpy() reads the data of a tensor". May throw what
// the breaker throws.
OPWRIGHT_EXPORT bool end_trace(const std::string& cause);

// Whether there is such a trace.
[[nodiscard]] OPWRIGHT_EXPORT bool may_trace_end() noexcept;

// The same before the data of this tensor are read. It may be a value of that trace, or an outside
// tensor with writes that the trace has not performed yet; others are not affected. `who`:
// "tolist".
OPWRIGHT_EXPORT void make_data_real(std::string_view who, const Tensor& tensor);

// The same before a backward() from these outputs that would continue outside the trace.
OPWRIGHT_EXPORT void make_history_real(std::span<const Tensor> outputs);

// Whether a trace of this thread has this tensor as a value: one of its own, or an outside tensor
// that its graph takes as an input (a parameter, a buffer, a constant). Not for samples of vmap.
[[nodiscard]] OPWRIGHT_EXPORT bool is_traced(const Tensor& tensor) noexcept;

// What users call an operator that reads data: "item".
[[nodiscard]] std::string data_reader_name(const Operator& op);

// Names the access (`who`, "item"), the tensor and the user's line, and suggests alternatives.
// `kind` is the kind of the error.
[[noreturn]] OPWRIGHT_EXPORT void throw_no_data(std::string_view who, const Tensor& tensor,
                                                const char* kind = "DataDependentError");

}  // namespace opwright
