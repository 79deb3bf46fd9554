#include "bindings/opcheck/captured_example.h"

#include <optional>

#include <nanobind/nanobind.h>

#include "opwright/check/example/example.h"
#include "opwright/dispatch/mode.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Captures the first call instead of running it: by then Python has bound its arguments, chosen the
// overload, and filled in defaults.
class CaptureCall : public Mode {
 public:
  bool process(const Operator& op, Arguments args, Results /*results*/) override {
    captured_.emplace(op, args);
    throw Error("RuntimeError", "the call was captured");
  }
  [[nodiscard]] const std::optional<Example>& captured() const noexcept { return captured_; }

 private:
  std::optional<Example> captured_;
};

}  // namespace

Example capture_example(const char* who, const nb::callable& op, const nb::tuple& args,
                        const nb::dict& kwargs) {
  CaptureCall mode;
  try {
    const ModeScope scope(mode);
    op(*args, **kwargs);
  } catch (nb::python_error&) {
    if (!mode.captured()) throw;
  }
  OPWRIGHT_CHECK_TYPE(mode.captured(), who, ": the first argument must be an operator, got ",
                      nb::repr(op).c_str());
  return *mode.captured();
}

}  // namespace opwright::python
