// An interpreter that forwards calls and records the names of their operators.
#pragma once

#include <string>

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"

namespace opwright::testing {

class Recorder : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "recorder"; }
  void process(const Operator& op, Arguments args, Results results) override {
    text_ += op.name() + "\n";
    const ParentScope scope(*this);
    call(op, args, results);
  }
  // One line per call.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace opwright::testing
