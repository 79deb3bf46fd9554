// Functionalize: programs without writes.
//
// Its tensors have storages of their own. A write replaces the value of a storage
// (functional_storage.h), so that what reaches the level below neither writes nor draws random
// numbers; at the end foreign tensors that were written get their new values by one copy_ each, and
// generators their new states.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/tensor.h"
#include "opwright/tensor/random_state.h"
#include "opwright/transforms/functionalize/functional_storage.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Functionalize : public Interpreter, public RandomStates {
 public:
  // Null: eager values are below. `records`: it is the capture's own one, so that its tensors have
  // the histories of what they stand for; else the levels below record.
  explicit Functionalize(Interpreter* parent, bool records = false);
  ~Functionalize() override;

  [[nodiscard]] const char* name() const override { return "functionalize"; }
  void lift(std::span<OpwValue> args) override;
  [[nodiscard]] OpwTensor* find_twin(const OpwTensor* foreign) const override;
  void process(const Operator& op, Arguments args, Results results) override;

  // Operators that the capture below keeps whole stay so here, recorded or not; else their bodies
  // run.
  void keep_whole() noexcept { keeps_whole_ = true; }
  [[nodiscard]] bool keeps_whole(const Operator& op) const override {
    return keeps_whole_ && parent()->keeps_whole(op);
  }
  [[nodiscard]] bool keeps_whole_while_recording(const Operator& op) const override {
    return keeps_whole(op);
  }

  // Twins of foreign tensors, which the function is called with. Those that share memory become
  // views of the one that all others are parts of, if there is such a one.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> inputs);
  // The twin of one tensor, the same each time; a tensor of this level is its own.
  [[nodiscard]] Tensor lift(const Tensor& tensor);

  struct Twin {
    Tensor foreign;
    Tensor value;  // at the level below
    Tensor wrapper;
    bool is_replayed = false;  // a view of another twin, and not of the foreign tensor
  };
  [[nodiscard]] const std::unordered_map<OpwTensor*, Twin>& twins() const noexcept {
    return twins_;
  }

  // The value at the level below.
  [[nodiscard]] const Tensor& sync(const Tensor& tensor);
  // Copies the values of written foreign tensors to these and gives generators their states.
  // Nothing may be written afterwards; views of foreign tensors are views of the real ones from
  // here on.
  void write_back();
  // All that ends a run: what the outputs are at the level below, after write_back. end() follows.
  [[nodiscard]] std::vector<Tensor> finish(std::span<const Tensor> outputs);
  // Lets go of all twins; also when the function failed.
  void end() noexcept;

  // The states as a functionalize above has them.
  Tensor read_state(RandomState& generator) override;
  void write_state(RandomState& generator, const Tensor& state) override;

 private:
  struct Plan;
  struct GeneratorState {
    Generator generator;
    Tensor value;
  };

  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept;
  [[nodiscard]] static FunctionalView& view_of(const OpwTensor* tensor);
  [[nodiscard]] bool can_lift(const OpwTensor* tensor) const noexcept;
  [[nodiscard]] Tensor value_below(OpwTensor* tensor) const;
  [[nodiscard]] Tensor make_twin(const Tensor& foreign, const Tensor& value);
  [[nodiscard]] const Plan& plan(const Operator& op);

  [[nodiscard]] Tensor wrap(FunctionalView view, const Tensor& inner);
  [[nodiscard]] Tensor wrap_fresh(Tensor inner);
  [[nodiscard]] OpwValue wrap_value(Value value);

  void view(const Operator& op, const Plan& plan, Arguments args, Arguments inner, Results results);
  [[nodiscard]] OpwValue wrap_view(const IntrusivePtr<ViewStep>& step);
  [[nodiscard]] OpwValue wrap_outside(const ViewStep& step);
  void write(const Operator& op, Arguments args, Arguments inner, Results results);
  void write_all(const Operator& op, uint32_t argument, const OpwValue& target, const Value& value);
  void write_one(const Operator& op, uint32_t argument, OpwTensor* target, const Tensor& value);
  void check_writes(const Operator& op, Arguments args) const;
  void refuse_tracked_writes(const Operator& op, Arguments args) const;
  void refuse_tracked_write(const Operator& op, uint32_t index, OpwTensor* written,
                            bool has_tracked_argument) const;
  [[nodiscard]] GeneratorState& current_state(RandomState& generator);
  void draw(const Operator& op, Arguments args, Arguments inner, Results results);
  void give_results(const Operator& op, Arguments args, std::span<Value> fresh, Results results);

  bool keeps_whole_ = false;
  std::unordered_map<OpwTensor*, Twin> twins_;
  std::vector<FunctionalStoragePtr> sources_;  // storages of foreign tensors
  std::vector<Value> lists_;                   // lifted lists of arguments
  std::unordered_map<RandomState*, GeneratorState> states_;
  std::unordered_map<const Operator*, std::unique_ptr<Plan>> plans_;
};

using FunctionalizePtr = IntrusivePtr<Functionalize>;

// Calls f(twins of inputs) -> outputs, a function of std::vector<Tensor>, with writes to inputs and
// captured tensors at the end only.
template <class F>
std::vector<Tensor> run_functionalized(const F& f, std::span<const Tensor> inputs) {
  const auto level = FunctionalizePtr::take(new Functionalize(current_interpreter()));
  struct End {
    Functionalize& level;
    ~End() { level.end(); }
  } end{*level};
  const std::vector<Tensor> twins = level->enter(inputs);
  std::vector<Tensor> outputs;
  {
    const InterpreterScope scope(level.get());
    outputs = f(twins);
  }
  return level->finish(outputs);
}
// The same function without writes on the way.
template <class F>
auto functionalize(F f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) {
    return run_functionalized(f, inputs);
  };
}

}  // namespace opwright
