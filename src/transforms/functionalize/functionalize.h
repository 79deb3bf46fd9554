// Functionalize: runs programs without performing writes.
//
// Its tensors have their own storages. A write replaces the value of a storage
// (functional_storage.h), so calls at the level below neither write nor draw random numbers. At the
// end each written foreign tensor gets its new value with one copy_, and generators get their new
// states.
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
#include "opwright/transforms/functionalize/view_copy.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

class OPWRIGHT_EXPORT Functionalize : public Interpreter, public RandomStates {
 public:
  // `parent` null: eager values are below. `records`: this level belongs to a capture and its
  // tensors carry the autograd history; otherwise the levels below record.
  explicit Functionalize(Interpreter* parent, bool records = false);
  // With copies of views at the levels below.
  explicit Functionalize(ViewCopiesPtr views);
  ~Functionalize() override;

  [[nodiscard]] const char* name() const override { return "functionalize"; }
  void lift(std::span<OpwValue> args) override;
  [[nodiscard]] OpwTensor* find_twin(const OpwTensor* foreign) const override;
  void process(const Operator& op, Arguments args, Results results) override;

  // Operators that the capture below keeps whole are kept here too, whether recorded or not;
  // otherwise their bodies run.
  void keep_whole() noexcept { keeps_whole_ = true; }
  [[nodiscard]] bool keeps_whole(const Operator& op) const override {
    return keeps_whole_ && parent()->keeps_whole(op);
  }
  [[nodiscard]] bool keeps_whole_while_recording(const Operator& op) const override {
    return keeps_whole(op);
  }

  // Returns the counterparts of foreign tensors, with which to call the function. Tensors that
  // share memory become views of the one that contains all others, if there is one.
  [[nodiscard]] std::vector<Tensor> enter(std::span<const Tensor> inputs);
  // The counterpart of one tensor, always the same; a tensor of this level is its own counterpart.
  [[nodiscard]] Tensor lift(const Tensor& tensor);

  struct Twin {
    Tensor foreign;
    Tensor value;  // at the level below
    Tensor wrapper;
    bool is_replayed = false;  // a view of another counterpart, and not of the foreign tensor
  };
  [[nodiscard]] const std::unordered_map<OpwTensor*, Twin>& twins() const noexcept {
    return twins_;
  }

  // The value at the level below.
  [[nodiscard]] const Tensor& sync(const Tensor& tensor);
  // Copies the values of written foreign tensors to these and sets the generators' states. No
  // writes may follow; views of foreign tensors become views of the real ones.
  void write_back();
  // Ends a run: calls write_back and returns the outputs' values at the level below. end() follows.
  [[nodiscard]] std::vector<Tensor> finish(std::span<const Tensor> outputs);
  // Releases all counterparts; also called when the function failed.
  void end() noexcept;

  // The states for a functionalize above this one.
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
  ViewCopiesPtr views_;  // null: views stay views
  std::unordered_map<OpwTensor*, Twin> twins_;
  std::vector<FunctionalStoragePtr> sources_;  // storages of foreign tensors
  std::vector<Value> lists_;                   // lifted list arguments
  std::unordered_map<RandomState*, GeneratorState> states_;
  std::unordered_map<const Operator*, std::unique_ptr<Plan>> plans_;
};

using FunctionalizePtr = IntrusivePtr<Functionalize>;

// Calls f(counterparts of inputs) -> outputs, a function of std::vector<Tensor>, and performs
// writes to inputs and captured tensors only at the end.
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
// Returns a function that does the same, with its writes deferred to the end.
template <class F>
auto functionalize(F f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) {
    return run_functionalized(f, inputs);
  };
}

}  // namespace opwright
