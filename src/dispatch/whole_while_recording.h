// A transform that keeps composite operators intact even when gradients are recorded.
//
// Recording runs the body of a composite that has no formula, since that is how it is trained. A
// capture whose result is trained later, from outside, needs the operator itself; a backward inside
// it then raises an error at such an operator.
#pragma once

namespace opwright {

class Operator;

class WholeWhileRecording {
 public:
  [[nodiscard]] virtual bool keeps_whole_while_recording(const Operator& op) const = 0;

 protected:
  ~WholeWhileRecording() = default;
};

}  // namespace opwright
