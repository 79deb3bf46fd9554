// The errors of a call, in the caller's terms: the operator, the argument, what was wrong, what to
// do.
#pragma once

#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// "audio::soft_clip(x=float32[4, 256], limit=0.5)": the call as it was made.
std::string call_text(const Operator& op, Arguments args);

[[noreturn]] void throw_wrong_number(const Operator& op, size_t num_args, size_t num_results);
[[noreturn]] void throw_missing_tensor(const Operator& op, Arguments args);
[[noreturn]] void throw_missing_kernel(const Operator& op, Slot slot, Arguments args);
[[noreturn]] void throw_two_devices(const Operator& op, Arguments args);
[[noreturn]] void throw_escaped(const Operator& op, uint32_t argument, OpwTensor* tensor);
[[noreturn]] void throw_overlap(const Operator& op, uint32_t written, uint32_t other);
// An inference tensor is written outside inference mode.
[[noreturn]] void throw_inference_write(const Operator& op, uint32_t written);
// The written argument has a history that the operator cannot continue.
[[noreturn]] void throw_nondifferentiable_write(const Operator& op, uint32_t written);
// A call of an out variant would have to be recorded.
[[noreturn]] void throw_recorded_out(const Operator& op);
[[noreturn]] void throw_read_only(const Operator& op, uint32_t written);

// Fake and real tensors in one call; a real one under FakeTensorMode.
[[noreturn]] void throw_mixed(const Operator& op, uint32_t argument, OpwTensor* real);
[[noreturn]] void throw_real_in_fake_mode(const Operator& op, uint32_t argument, OpwTensor* real);
// A fake kernel returned a tensor with memory; releases the results.
[[noreturn]] void throw_real_result(const Operator& op, Results results, uint32_t index);
// Adds to an error of a fake kernel its operator and the line that called it.
void note_fake_kernel(Error& error, const Operator& op);

// Throws the error that the function passed, with a note of the call; releases the results that it
// set.
[[noreturn]] void throw_failed_call(const Operator& op, Arguments args, Results results);

// Throws unless result `index` is a valid value of its type, including types without a single tag
// (None of an optional).
void check_result(const Operator& op, Arguments args, Results results, uint32_t index);

// Marks an error as caused by results that do not match the schema, and adds the schema;
// is_wrong_result distinguishes it from rejected arguments.
OPWRIGHT_EXPORT void note_wrong_result(Error& error, const Operator& op);
[[nodiscard]] bool is_wrong_result(const Error& error) noexcept;

}  // namespace opwright
