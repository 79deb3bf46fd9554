// Trace: records every call as a node of a graph.
//
// Its values wrap what its parent computes: real tensors if the parent is the caller's chain, fakes
// if it is a FakeMode. Foreign tensors become inputs of the graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "opwright/autograd/boundary.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/tensor/wrapper_keeper.h"
#include "opwright/transforms/trace/constant_values.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/visibility.h"

namespace opwright {

// Can end a trace early when it cannot continue (compile's graph breaks).
class OPWRIGHT_EXPORT TraceBreaker {
 public:
  struct Cause {
    std::string text;       // in the user's words: "numpy() reads the data of a tensor"
    bool is_error = false;  // the next call failed on fakes and might fail on data too
  };
  // True: the trace has ended, and all its values are real tensors (become_real). False: the trace
  // raises its usual error.
  virtual bool end_trace(const Cause& cause) = 0;

 protected:
  ~TraceBreaker() = default;
};

// Which operators a trace decomposes instead of recording.
struct TraceOptions {
  bool is_functional = false;     // a functionalize is above: generator states are threaded through
  bool keeps_composites = false;  // aten composites become nodes like other operators
  std::unordered_set<const Operator*> decompose = {};  // by decomposition or composite body
  std::unordered_set<const Operator*> whole = {};      // aten composites that also become nodes
  bool may_end_early = false;  // it tracks its live values, so that they can become real
};

class OPWRIGHT_EXPORT Trace : public Interpreter, public RandomStates, public WrapperKeeper {
 public:
  // Above a FakeMode; `outside` was current when the trace began.
  Trace(IntrusivePtr<FakeMode> fake, Interpreter* outside, GraphPtr graph,
        TraceOptions options = {});
  // Above the caller's own chain, on real values.
  Trace(Interpreter* outside, GraphPtr graph, TraceOptions options = {});

  [[nodiscard]] const char* name() const override { return "make_fx"; }
  [[nodiscard]] const char* advice() const override {
    return "Return it from the traced function instead of storing it.";
  }
  void process(const Operator& op, Arguments args, Results results) override;
  void lift(std::span<OpwValue> args) override;
  [[nodiscard]] OpwTensor* find_twin(const OpwTensor* foreign) const override;
  [[nodiscard]] bool keeps_whole(const Operator& op) const override;

  [[nodiscard]] Graph& graph() const noexcept { return *graph_; }
  // Null: the trace runs on real values.
  [[nodiscard]] FakeMode* fake() const noexcept { return fake_.get(); }

  // Adds an input that the caller provides. `dynamic`: its sizes become symbols.
  [[nodiscard]] Tensor add_argument(const Tensor& given, const std::string& name, bool dynamic);
  // The same with given sizes; for a trace on fakes. If the function also closes over the tensor
  // itself, that is a separate value.
  [[nodiscard]] Tensor add_argument(const Tensor& given, const std::string& name,
                                    std::span<const SymInt> sizes);
  // Adds an int that the caller provides, as a symbol.
  [[nodiscard]] SymInt add_int_argument(int64_t given, const std::string& name);
  // Adds an input of any role whose value in this trace is `inner`, a tensor of the level below.
  Tensor add_input(const std::string& name, Tensor inner, InputRole role, Tensor bound);

  // This trace's value for a tensor; foreign tensors are lifted.
  [[nodiscard]] Tensor own(const Tensor& tensor);
  // The graph value that a wrapper of this trace represents.
  [[nodiscard]] GraphValue& value_of(const OpwTensor* own) const;
  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept;

  struct Twin {
    Tensor foreign;  // keeps its address valid
    Tensor own;
  };
  // All lifted tensors, including arguments.
  [[nodiscard]] const std::unordered_map<OpwTensor*, Twin>& twins() const noexcept {
    return twins_;
  }

  // Sets the tensor's name in the graph for when it is captured.
  void name_tensor(const Tensor& tensor, std::string name);
  // In a functional trace the default generator's state is an input of the graph, and the final
  // state is its last output; otherwise operators read and set the generator.
  Tensor read_state(RandomState& generator) override;
  void write_state(RandomState& generator, const Tensor& state) override;
  // Undefined: no random numbers were drawn.
  [[nodiscard]] const Tensor& random_state() const noexcept { return random_state_; }

  // Releases everything it lifted; the trace is over.
  void finish() noexcept;

  // ---- Ending early: for a trace on fakes with may_end_early ----

  // Called before anything that cannot be recorded; null: none. It outlives the function's run.
  [[nodiscard]] TraceBreaker* breaker() const noexcept { return breaker_; }
  void set_breaker(TraceBreaker* breaker) noexcept { breaker_ = breaker; }
  // Runs the recorded graph, without recording it again, on `arguments`, the real values of the
  // inputs of role Argument, and on the captured tensors, to which writes are applied. Every live
  // value then becomes its real tensor in place and keeps its history. The trace is over: calls go
  // to the level outside. If the run fails, the trace is unchanged, except for writes already
  // performed.
  void become_real(std::span<const OpwValue> arguments);

 private:
  void give_histories_back(std::span<const Tensor> live);
  void adopt(const Tensor& foreign, const Tensor& own);
  // Calls the breaker; throws LevelEnded if the trace ended.
  void end_for(const TraceBreaker::Cause& cause);
  void end_for(const Operator& op, const Error& error);
  OpwTensor* lift_tensor(OpwTensor* tensor);
  [[nodiscard]] Tensor capture(const Tensor& foreign, InputRole role);
  [[nodiscard]] Tensor wrap(Tensor inner, GraphValue& value);
  [[nodiscard]] NodeArgument argument_of(const OpwValue& value) const;
  [[nodiscard]] bool decomposes(const Operator& op) const;
  // False: the rule declined; the call is recorded as it is.
  bool run_decomposition(const Operator& op, const OpwRecord& rule, Arguments args,
                         Results results);
  void refuse_reading_data(const Operator& op, Arguments args);
  void record(const Operator& op, Arguments args, Results results);
  void wrap_results(const Operator& op, Arguments args, Results results, Node& node);
  void refresh_written(const Operator& op, Arguments args);

  // ---- Constants (trace_constants.cpp) ----

  [[nodiscard]] OpwTensor* find_constant(OpwTensor* own) const;
  // Whether all its tensors are constants that are not large, and every run computes the same from
  // them.
  [[nodiscard]] bool is_constant_call(const Operator& op, Arguments args) const;
  // The constants of such a call in the order of its tensors; written ones are copied. Taken before
  // the call, which may write them.
  [[nodiscard]] std::vector<Tensor> take_constants(const Operator& op, Arguments args) const;
  // The results of such a call on its constants.
  [[nodiscard]] static std::vector<Value> run_on_constants(const Operator& op, Arguments args,
                                                           const std::vector<Tensor>& constants);
  // Whether note_constants would keep results like these.
  [[nodiscard]] static bool may_note(Results results);
  // After the call of a literal's copy was recorded.
  void note_literal(const OpwValue& given, const OpwValue& result);
  // After a constant call was recorded. `computed` is empty in a trace on real values.
  void note_constants(Results results, const std::vector<Value>& computed);

  IntrusivePtr<FakeMode> fake_;
  Interpreter* outside_;
  GraphPtr graph_;
  TraceOptions options_;
  Tensor random_state_;
  struct Name {
    Tensor tensor;
    std::string name;
  };
  std::unordered_map<OpwTensor*, Name> names_;
  std::unordered_map<OpwTensor*, Twin> twins_;
  std::vector<Value> lifted_lists_;  // valid until the trace is over
  ConstantValues constants_;         // none in a trace that may end early
  TraceBreaker* breaker_ = nullptr;
  std::vector<IntrusivePtr<Boundary>> boundaries_;  // for a trace that may end early
};

// The innermost trace that receives the calls of this thread; null: none.
[[nodiscard]] OPWRIGHT_EXPORT Trace* current_trace() noexcept;

}  // namespace opwright
