#include "opwright/run/plan.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/run/frame.h"
#include "opwright/run/frame_pool.h"
#include "opwright/run/input_reader.h"
#include "opwright/run/schedule.h"
#include "opwright/run/step_runner.h"
#include "opwright/run/write_in_place.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/storage_source.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// Lends a frame to a run. After a failed run the frame is cleared.
class FrameLoan {
 public:
  explicit FrameLoan(FramePool& pool) : pool_(pool), frame_(pool.take()) {}
  ~FrameLoan() {
    if (!is_clean_) {
      frame_->clear();
      frame_->memory.abandon();
    }
    pool_.give_back(std::move(frame_));
  }
  FrameLoan(const FrameLoan&) = delete;
  FrameLoan& operator=(const FrameLoan&) = delete;

  [[nodiscard]] Frame& frame() noexcept { return *frame_; }
  void set_clean() noexcept { is_clean_ = true; }

 private:
  FramePool& pool_;
  std::unique_ptr<Frame> frame_;
  bool is_clean_ = false;
};

Storage* storage_of(const GraphValue& input) {
  const Tensor& bound = input.node().bound();
  return bound.is_defined() ? impl(bound).storage : nullptr;
}

}  // namespace

// The graph that the steps run: writes happen early and in place where only the plan can notice.
struct Plan::EarlyWrites {
  explicit EarlyWrites(const GraphPtr& given) : graph(given) {
    if (!has_writes(*given)) return;
    const GraphPtr copy = given->copy();
    const std::vector<GraphValue*> inputs = copy->inputs();
    const auto is_apart = [&](const GraphValue& input) {
      Storage* own = storage_of(input);
      return own && std::ranges::count(
                        inputs, own, [](const GraphValue* each) { return storage_of(*each); }) == 1;
    };
    for (const GraphValue* input : write_in_place(*copy, is_apart)) {
      storages.push_back(storage_of(*input));
    }
    if (!storages.empty()) graph = copy;
  }

  static bool has_writes(const Graph& graph) {
    for (const Node* node = graph.first(); node; node = node->next()) {
      if (node->kind() == NodeKind::Call && node->op().writes_arguments()) return true;
    }
    return false;
  }
  // Whether the caller passes memory that is written before the end.
  [[nodiscard]] bool meet(std::span<const OpwValue> arguments) const {
    return std::ranges::any_of(arguments, [&](const OpwValue& argument) {
      return argument.tag == kOpwTensor && argument.as_tensor &&
             std::ranges::find(storages, impl(argument.as_tensor).storage) != storages.end();
    });
  }

  GraphPtr graph;
  std::vector<Storage*> storages;  // owned by the graph's bound tensors
};

struct Plan::Body {
  explicit Body(GraphPtr given)
      : graph(std::move(given)), early(graph), schedule(*early.graph), frames(schedule) {}

  [[nodiscard]] size_t num_outputs() const {
    return schedule.outputs.size() -
           std::min<size_t>(schedule.outputs.size(), schedule.num_random_states);
  }
  // False: nothing was done; the caller must use evaluate().
  [[nodiscard]] bool run(std::span<const OpwValue> arguments, std::span<OpwValue> results,
                         StepWatch* watch);
  void run_frame(Frame& frame, bool has_new_sizes, std::span<OpwValue> results, StepWatch* watch);

  GraphPtr graph;
  EarlyWrites early;
  Schedule schedule;
  FramePool frames;
  std::atomic<size_t> placed_bytes{0};
  std::atomic<size_t> value_bytes{0};
};

void Plan::Body::run_frame(Frame& frame, bool has_new_sizes, std::span<OpwValue> results,
                           StepWatch* watch) {
  if (has_new_sizes) schedule.arguments.put_early_numbers(frame.arguments, frame.numbers);
  {
    const StorageSourceScope source(frame.memory.begin(has_new_sizes));
    StepRunner(*early.graph, schedule, frame).run(results, watch);
  }
  frame.random_states.clear();
  frame.memory.end();
  placed_bytes.store(frame.memory.placed_bytes(), std::memory_order_relaxed);
  value_bytes.store(frame.memory.value_bytes(), std::memory_order_relaxed);
}

bool Plan::Body::run(std::span<const OpwValue> arguments, std::span<OpwValue> results,
                     StepWatch* watch) {
  if (!schedule.is_whole || !StepRunner::can_run_here()) return false;
  if (!early.storages.empty() && early.meet(arguments)) return false;
  FrameLoan loan(frames);
  const InputReader::Outcome outcome = schedule.inputs.read(arguments, loan.frame());
  if (outcome == InputReader::Outcome::Refused) return false;
  run_frame(loan.frame(), outcome == InputReader::Outcome::NewSizes, results, watch);
  loan.set_clean();
  return true;
}

Plan::Plan(GraphPtr graph) : body_(nullptr) {
  verify(*graph);
  body_ = new Body(std::move(graph));
}

Plan::~Plan() { delete body_; }

const Graph& Plan::graph() const noexcept { return *body_->graph; }

size_t Plan::num_outputs() const noexcept { return body_->num_outputs(); }

void Plan::run(std::span<const OpwValue> arguments, std::span<OpwValue> results,
               StepWatch* watch) const {
  OPWRIGHT_CHECK_VALUE(results.size() == num_outputs(), "plan: it returns ", num_outputs(),
                       " results, there is room for ", results.size());
  if (body_->run(arguments, results, watch)) return;
  size_t index = 0;
  for (Value& value : evaluate(*body_->graph, arguments)) results[index++] = value.give();
}

std::vector<Value> Plan::run(std::span<const OpwValue> arguments, StepWatch* watch) const {
  std::vector<Value> values(num_outputs());
  // A Value is an OpwValue that frees itself, so results are written in place.
  static_assert(sizeof(Value) == sizeof(OpwValue));
  const std::span results(reinterpret_cast<OpwValue*>(values.data()), values.size());
  run(arguments, results, watch);
  return values;
}

Plan::Memory Plan::memory() const {
  return {.placed_bytes = body_->placed_bytes.load(std::memory_order_relaxed),
          .value_bytes = body_->value_bytes.load(std::memory_order_relaxed)};
}

}  // namespace opwright
