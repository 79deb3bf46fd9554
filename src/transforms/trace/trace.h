// Trace: records every call as a node of a graph.
//
// Its values are wrappers around what its parent computes: real tensors where the parent is the
// caller's chain, fakes where it is a FakeMode. Foreign tensors become inputs of the graph.
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
#include "opwright/transforms/trace/fake.h"
#include "opwright/visibility.h"

namespace opwright {

// What may end a trace early, where it cannot go on (compile's graph breaks).
class OPWRIGHT_EXPORT TraceBreaker {
 public:
  struct Cause {
    std::string text;       // in the user's words: "numpy() reads the data of a tensor"
    bool is_error = false;  // the next call failed on fakes, as it may on data, too
  };
  // True: the trace has ended, and every value of it is a real tensor (end_early). False: it
  // refuses as ever.
  virtual bool end_trace(const Cause& cause) = 0;

 protected:
  ~TraceBreaker() = default;
};

// Which operators a trace takes apart instead of recording them.
struct TraceOptions {
  bool is_functional = false;     // a functionalize is above: the state of generators is threaded
  bool keeps_composites = false;  // aten's composites become nodes as others do
  std::unordered_set<const Operator*> decompose = {};  // by their decomposition or composite body
  std::unordered_set<const Operator*> whole = {};      // composites of aten that become nodes, too
  bool may_end_early = false;  // it knows its live values, which become real then
};

class OPWRIGHT_EXPORT Trace : public Interpreter, public RandomStates, public WrapperKeeper {
 public:
  // Above a FakeMode; `outside` is what was current where the trace was begun.
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

  // An input that the caller gives. `dynamic`: its sizes become symbols.
  [[nodiscard]] Tensor add_argument(const Tensor& given, const std::string& name, bool dynamic);
  // The same with sizes that are given; of a trace on fakes. The tensor itself, where the function
  // closes over it, is another value.
  [[nodiscard]] Tensor add_argument(const Tensor& given, const std::string& name,
                                    std::span<const SymInt> sizes);
  // An int that the caller gives, as a symbol.
  [[nodiscard]] SymInt add_int_argument(int64_t given, const std::string& name);
  // An input of any role whose value in this trace is `inner`, a tensor of the level below.
  Tensor add_input(const std::string& name, Tensor inner, InputRole role, Tensor bound);

  // This trace's own value for a tensor, which is lifted when it is foreign.
  [[nodiscard]] Tensor own(const Tensor& tensor);
  // The value that a wrapper of this trace stands for.
  [[nodiscard]] GraphValue& value_of(const OpwTensor* own) const;
  [[nodiscard]] bool owns(const OpwTensor* tensor) const noexcept;

  struct Twin {
    Tensor foreign;  // keeps its address taken
    Tensor own;
  };
  // All that was lifted, arguments too.
  [[nodiscard]] const std::unordered_map<OpwTensor*, Twin>& twins() const noexcept {
    return twins_;
  }

  // What the tensor is called in the graph when it is captured.
  void name_tensor(const Tensor& tensor, std::string name);
  // In a functional trace the state of the default generator is an input of the graph, and the last
  // one its last output; otherwise operators read and set it.
  Tensor read_state(RandomState& generator) override;
  void write_state(RandomState& generator, const Tensor& state) override;
  // Undefined: no random number was drawn.
  [[nodiscard]] const Tensor& random_state() const noexcept { return random_state_; }

  // Lets go of what it lifted; the trace is over.
  void finish() noexcept;

  // ---- Ending early; of a trace that may, on fakes ----

  // Asked before what cannot be recorded; null: nobody. It outlives the run of the function.
  [[nodiscard]] TraceBreaker* breaker() const noexcept { return breaker_; }
  void set_breaker(TraceBreaker* breaker) noexcept { breaker_ = breaker; }
  // Runs what was recorded, without recording it again, on `arguments`, the real values of the
  // inputs of role Argument, and on the captured tensors, which are written; every live value then
  // becomes its real tensor, in place, with the history that it has here. The trace is over: calls
  // go to the level outside. An error of the run leaves it as it was, but for what was written.
  void become_real(std::span<const OpwValue> arguments);

 private:
  void give_histories_back(std::span<const Tensor> live);
  void adopt(const Tensor& foreign, const Tensor& own);
  // Asks the breaker; LevelEnded where the trace ended.
  void end_for(const TraceBreaker::Cause& cause);
  void end_for(const Operator& op, const Error& error);
  OpwTensor* lift_tensor(OpwTensor* tensor);
  [[nodiscard]] Tensor capture(const Tensor& foreign, InputRole role);
  [[nodiscard]] Tensor wrap(Tensor inner, GraphValue& value);
  [[nodiscard]] NodeArgument argument_of(const OpwValue& value) const;
  [[nodiscard]] bool decomposes(const Operator& op) const;
  void refuse_reading_data(const Operator& op, Arguments args);
  void record(const Operator& op, Arguments args, Results results);
  void wrap_results(const Operator& op, Arguments args, Results results, Node& node);
  void refresh_written(const Operator& op, Arguments args);

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
  TraceBreaker* breaker_ = nullptr;
  std::vector<IntrusivePtr<Boundary>> boundaries_;  // of a trace that may end early
};

// The innermost trace that gets the calls of this thread; null: none.
[[nodiscard]] OPWRIGHT_EXPORT Trace* current_trace() noexcept;

}  // namespace opwright
