#include "opwright/check/opcheck/input_screen.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/check/memory/forked_run.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constexpr char kRefused = 'r';
constexpr char kTakenMark = 't';
constexpr char kFault = 'f';  // kind, a zero, message

std::string screen(const CheckInput& input, Check* apart) {
  // Before a plain call, which may corrupt memory unnoticed.
  const std::optional<Fault> fault = apart ? look_at(*apart, input) : std::nullopt;
  if (!fault) return {input.is_refused() ? kRefused : kTakenMark};
  std::string text{kFault};
  text += fault->kind;
  text += '\0';
  return text + fault->message;
}

Fault crash(const Operator& op, const ForkedAnswer& answer) {
  std::string how = "the call did not finish";
  if (answer.signal == kLeftWithoutSignal) {
    how = "the call exited the process\n  Raise an error instead.";
  } else if (!answer.is_late) {
    how = concatenate("the call ended the process with ", std::string(strsignal(answer.signal)),
                      "\n  Check sizes, strides and dtypes before reading memory.");
  }
  return {"crash", concatenate(op.name(), ": ", how)};
}

ScreenedInput read_answer(const std::optional<ForkedAnswer>& answer, const CheckInput& input) {
  ScreenedInput screened;
  if (!answer) {
    screened.is_missing = true;
  } else if (answer->is_late || answer->signal != 0) {
    screened.has_crashed = true;
    screened.fault = crash(input.op(), *answer);
  } else if (answer->text[0] == kRefused) {
    screened.is_refused = true;
  } else if (answer->text[0] == kFault) {
    const std::string_view rest = std::string_view(answer->text).substr(1);
    const size_t end = rest.find('\0');
    screened.fault = Fault{std::string(rest.substr(0, end)), std::string(rest.substr(end + 1))};
    // Such a call would corrupt this process.
    screened.has_crashed = screened.fault->kind == "writes-outside";
  }
  return screened;
}

}  // namespace

std::vector<ScreenedInput> screen_inputs(std::span<const CheckInput> inputs,
                                         const CheckEntry* apart) {
  std::vector<ScreenedInput> screened;
  const auto is_on_cpu = [](const CheckInput& input) { return input.example().is_on_cpu(); };
  if (!std::ranges::all_of(inputs, is_on_cpu)) {
    for (const CheckInput& input : inputs) screened.emplace_back().is_refused = input.is_refused();
    return screened;
  }
  const std::unique_ptr<Check> check = apart ? apart->make() : nullptr;
  const auto answers =
      run_forked(inputs.size(), [&](size_t i) { return screen(inputs[i], check.get()); });
  for (size_t i = 0; i < inputs.size(); ++i) screened.push_back(read_answer(answers[i], inputs[i]));
  return screened;
}

}  // namespace opwright
