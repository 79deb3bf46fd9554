// Three small transforms that together cover every part of the chain: one passes calls on, one
// wraps values and computes with them, one writes to what it wraps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opwright/dispatch/call.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/wrapper.h"

namespace opwright::testing {

// Counts calls and passes them on unchanged.
class PassThrough : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "pass_through"; }
  void process(const Operator& op, Arguments args, Results results) override {
    ++calls;
    const ParentScope scope(*this);
    call(op, args, results);
  }
  int calls = 0;
};

// Shared by wrapping transforms: wraps and unwraps their values.
class Wrapping : public Interpreter {
 public:
  using Interpreter::Interpreter;
  const char* name() const override { return "wrapping"; }

  Tensor wrap(Tensor inner) { return make_wrapper(this, std::move(inner)); }
  bool owns(const OpwTensor* tensor) const {
    return (tensor->flags & kOpwFlagWrapped) != 0 &&
           impl(const_cast<OpwTensor*>(tensor)).level == this;
  }
  static Tensor unwrap(const Tensor& tensor) { return wrapper(tensor).inner; }

  // Runs the call on the inner values with the parent current, and wraps the results. Stores the
  // names of the operators.
  void process(const Operator& op, Arguments args, Results results) override {
    seen.push_back(op.name());
    bool is_mine = false;
    std::vector<OpwValue> inner(args.begin(), args.end());
    for (OpwValue& value : inner) {
      if (value.tag != kOpwTensor || !owns(value.as_tensor)) continue;
      is_mine = true;
      value.as_tensor = static_cast<WrapperImpl&>(impl(value.as_tensor)).inner.get();
    }
    {
      const ParentScope scope(*this);
      call(op, inner, results);
    }
    if (!is_mine) return;
    for (uint32_t i = 0; i < results.size(); ++i) {
      if (op.gives_argument(i)) {
        release_value(results[i]);
        results[i] = copy_value(args[op.argument_of_result(i)]);
      } else if (results[i].tag == kOpwTensor) {
        results[i].as_tensor = wrap(Tensor::take(results[i].as_tensor)).give();
      }
    }
  }

  std::vector<std::string> seen;
};

// Turns every foreign tensor into its own before the call, like trace and functionalize.
class Lifting : public Wrapping {
 public:
  explicit Lifting(Interpreter* parent) : Wrapping(parent, {.lifts = true}) {}
  const char* name() const override { return "lifting"; }
  void lift(std::span<OpwValue> args) override {
    for (OpwValue& value : args) {
      if (value.tag != kOpwTensor || owns(value.as_tensor)) continue;
      lifted.push_back(wrap(Tensor::borrow(value.as_tensor)));
      value.as_tensor = lifted.back().get();
    }
  }
  std::vector<Tensor> lifted;
};

// Adds one in place to every fresh float32 result, with the parent current: a write that lower
// levels see.
class Mutating : public Wrapping {
 public:
  using Wrapping::Wrapping;
  const char* name() const override { return "mutating"; }
  void process(const Operator& op, Arguments args, Results results) override {
    Wrapping::process(op, args, results);
    if (op.writes_arguments()) return;
    static OperatorHandle<Tensor&(Tensor&)> increment("test::increment_");
    for (const OpwValue& result : results) {
      if (result.tag != kOpwTensor || !owns(result.as_tensor)) continue;
      Tensor inner = unwrap(BorrowedTensor(result.as_tensor));
      const ParentScope scope(*this);
      increment(inner);
    }
  }
};

}  // namespace opwright::testing
