// Random programs: a plan returns what evaluate() returns, bit for bit, on every run.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/run/plan.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/poison.h"
#include "opwright/transforms/control_flow/control_flow.h"
#include "run/plan_runs.h"

namespace opwright {
namespace {

using Tensors = std::vector<Tensor>;

// Draws calls on square matrices. The same seed gives the same program.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : dice_(seed) {}

  Tensors run(std::span<const Tensor> inputs) {
    values_.assign(inputs.begin(), inputs.end());
    for (int i = 0; i < 25; ++i) values_.push_back(call());
    if (draw(2) == 0) values_[0].copy_(pick());
    return {values_.back(), pick(), values_[values_.size() / 2]};
  }

 private:
  uint32_t draw(uint32_t bound) { return static_cast<uint32_t>(dice_()) % bound; }
  const Tensor& pick() { return values_[draw(static_cast<uint32_t>(values_.size()))]; }

  Tensor call() {
    const Tensor x = pick();
    switch (draw(12)) {
      case 0:
        return x + pick();
      case 1:
        return tanh(x * pick());
      case 2:
        return relu(x);
      case 3:
        return x.t();
      case 4:
        return flatten(x);
      case 5:
        return tanh(mm(x, pick()));
      case 6:
        return halves(x);
      case 7:
        return x.sum(std::vector<int64_t>{1}, true) + pick();
      case 8:
        return x.softmax(1);
      case 9:
        return write(x);
      case 10:
        return x.transpose(0, 1).contiguous();
      default:
        return branch(x);
    }
  }

  static Tensor flatten(const Tensor& x) {
    const SymInt rows = x.sym_size(0);
    const std::vector<SymInt> flat{rows * rows};
    const std::vector<SymInt> square{rows, rows};
    return x.reshape(flat).view(square) * 0.5;
  }
  Tensor halves(const Tensor& x) {
    const Tensors parts = split_with_sizes(x, std::vector<SymInt>{1, x.sym_size(0) - 1});
    return cat(Tensors{parts[1], parts[0]});
  }
  Tensor write(const Tensor& x) {
    Tensor copied = x.clone();
    Tensor view = copied.t();
    view.add_(pick());
    return draw(2) == 0 ? copied : view;
  }
  Tensor branch(const Tensor& x) {
    const auto yes = [](std::span<const Tensor> given) { return Tensors{given[0] * 2}; };
    const auto no = [](std::span<const Tensor> given) { return Tensors{given[0].t().neg()}; };
    return cond(gt(x.sum(), 0), yes, no, Tensors{x})[0];
  }

  std::mt19937 dice_;
  Tensors values_;
};

Tensor random_square(int64_t rows, std::mt19937& dice) {
  std::uniform_real_distribution<float> number(-1, 1);
  Tensor made = empty({rows, rows}, DType::Float32);
  for (int64_t i = 0; i < made.numel(); ++i) made.mutable_data<float>()[i] = number(dice);
  return made;
}

std::vector<Value> copies(const Tensors& tensors) {
  std::vector<Value> values;
  for (const Tensor& tensor : tensors) values.emplace_back(tensor.clone());
  return values;
}

// Sizes, strides and bytes.
std::string bytes_text(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) {
    const Tensor tensor = Tensor::borrow(value.get().as_tensor);
    text += concatenate(tensor.sizes()[0], " ", tensor.strides()[0], " ", tensor.strides()[1], " ");
    const Tensor dense = tensor.contiguous();
    text.append(reinterpret_cast<const char*>(dense.data<float>()),
                static_cast<size_t>(dense.numel()) * sizeof(float));
  }
  return text;
}

void expect_agreement(const Plan& plan, int64_t rows, std::mt19937& dice) {
  const Tensors inputs{random_square(rows, dice), random_square(rows, dice)};
  const std::vector<Value> wanted_inputs = copies(inputs);
  const std::string wanted = bytes_text(evaluate(plan.graph(), testing::lent(wanted_inputs)));
  for (int i = 0; i < 4; ++i) {
    const std::vector<Value> given = copies(inputs);
    EXPECT_EQ(bytes_text(testing::run(plan, given)), wanted);
    EXPECT_EQ(bytes_text(given), bytes_text(wanted_inputs));
  }
}

PlanPtr plan_of(uint32_t seed, TracingMode mode) {
  std::mt19937 dice(seed);
  const auto program = [&](const Tensor& x, const Tensor& y) {
    return RandomProgram(seed).run(Tensors{x, y});
  };
  const TracedGraph graph =
      make_fx(program, mode)(random_square(18, dice), random_square(18, dice));
  return testing::make_plan(graph.text());
}

class PlanAgreement : public ::testing::TestWithParam<uint32_t> {};

TEST_P(PlanAgreement, WithEvaluateOnFixedSizes) {
  const PoisonScope poison(0xFF);
  const PlanPtr plan = plan_of(GetParam(), TracingMode::Fake);
  std::mt19937 dice(GetParam() + 1);

  expect_agreement(*plan, 18, dice);
  expect_agreement(*plan, 18, dice);

  EXPECT_GT(plan->memory().placed_bytes, 0);
  EXPECT_LT(plan->memory().placed_bytes, plan->memory().value_bytes);
}

TEST_P(PlanAgreement, WithEvaluateOnDynamicSizes) {
  const PoisonScope poison(0xFF);
  const PlanPtr plan = plan_of(GetParam(), TracingMode::Symbolic);
  std::mt19937 dice(GetParam() + 1);

  for (const int64_t rows : {18, 33, 18, 5, 33}) expect_agreement(*plan, rows, dice);

  EXPECT_GT(plan->memory().placed_bytes, 0);
}

TEST_P(PlanAgreement, LeavesNothingBehind) {
  const NoGradScope no_grad;
  const PlanPtr plan = plan_of(GetParam(), TracingMode::Fake);
  std::mt19937 dice(GetParam() + 1);
  expect_agreement(*plan, 18, dice);
  const LiveCounts before = live_counts();

  expect_agreement(*plan, 18, dice);

  EXPECT_EQ(live_counts(), before);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlanAgreement, ::testing::Range(0U, 40U));

}  // namespace
}  // namespace opwright
