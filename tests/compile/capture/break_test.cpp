// Covers: src/autograd/boundary.
#include "opwright/compile/capture/break.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/runtime/func.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright {
namespace {

using TensorFunction = std::function<Tensor(Tensor)>;

struct Captured {
  Tensor result;
  bool has_broken = false;
  std::optional<BreakReason> reason;
};

// Runs a function of one tensor as compile captures it.
Captured capture_with_breaks(const TensorFunction& f, const Tensor& x, BreakOptions options = {},
                             TracingMode mode = TracingMode::Fake) {
  TraceSessionOptions session_options;
  session_options.mode = mode;
  session_options.trace.may_end_early = true;
  TraceSession session(std::move(session_options));
  (void)session.enter(std::vector{session.add_tensor(x, "x")});
  std::vector<Value> arguments;
  arguments.emplace_back(x);
  BreakScope breaks(session, std::move(arguments), options);
  Captured captured;
  {
    const InterpreterScope scope(session.level());
    captured.result = f(x);
  }
  breaks.check();
  captured.has_broken = breaks.has_broken();
  captured.reason = breaks.reason();
  return captured;
}

Tensor floats(std::initializer_list<float> values) {
  Tensor made = opwright::empty(std::vector<SymInt>{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.mutable_data<float>());
  return made;
}

std::vector<float> values_of(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return {dense.data<float>(), dense.data<float>() + dense.numel()};
}

void run_backward(const Tensor& loss) {
  backward(std::vector{loss}, std::vector<Tensor>(1), {}, {});
}

bool is_positive(const Tensor& x) { return x.sum().item().to<double>() > 0; }

TEST(Break, MakesLiveValuesRealInPlace) {
  Tensor kept;
  const OpwTensor* address = nullptr;

  const Captured captured = capture_with_breaks(
      [&](const Tensor& x) {
        kept = x * 2;
        address = kept.get();
        return is_positive(kept) ? kept + 1 : kept - 1;
      },
      floats({1, 2}));

  EXPECT_TRUE(captured.has_broken);
  EXPECT_EQ(kept.get(), address);
  EXPECT_FALSE(impl(kept).is_wrapper());
  EXPECT_EQ(values_of(kept), (std::vector<float>{2, 4}));
  EXPECT_EQ(values_of(captured.result), (std::vector<float>{3, 5}));
}

TEST(Break, WritesInputsOnce) {
  const Tensor x = floats({1, 2});

  const Captured captured = capture_with_breaks(
      [](Tensor own) {
        own.mul_(3);
        return is_positive(own) ? own + 1 : own;
      },
      x);

  EXPECT_EQ(values_of(x), (std::vector<float>{3, 6}));
  EXPECT_EQ(version_of(x), 1u);
  EXPECT_EQ(values_of(captured.result), (std::vector<float>{4, 7}));
}

TEST(Break, KeepsViewsOfTheirBases) {
  Tensor base;
  Tensor view;

  (void)capture_with_breaks(
      [&](const Tensor& x) {
        base = x + 0;
        view = base.select(0, 1);
        (void)is_positive(x);
        view.add_(10);
        return base;
      },
      floats({1, 2}));

  EXPECT_EQ(values_of(base), (std::vector<float>{1, 12}));
  EXPECT_EQ(&storage_of(base), &storage_of(view));
}

TEST(Break, KeepsTheHistoryThatWasRecorded) {
  const Tensor x = floats({1, 2});
  set_requires_grad(x, true);

  const Captured captured = capture_with_breaks(
      [](Tensor own) {
        const Tensor y = own * own;
        return is_positive(y.detach()) ? (y * own).sum() : y.sum();
      },
      x);
  run_backward(captured.result);

  EXPECT_EQ(values_of(gradient_of(x)), (std::vector<float>{3, 12}));
}

TEST(Break, GivesGradientsToWhatWasComputedOutside) {
  const Tensor leaf = floats({1, 2});
  set_requires_grad(leaf, true);
  const Tensor x = leaf * 5;

  const Captured captured = capture_with_breaks(
      [](Tensor own) {
        const Tensor y = own * own;
        (void)is_positive(y.detach());
        return y.sum();
      },
      x);
  run_backward(captured.result);

  EXPECT_EQ(values_of(gradient_of(leaf)), (std::vector<float>{50, 100}));
}

TEST(Break, GivesAWrittenInputTheHistoryOfTheWrite) {
  const Tensor leaf = floats({1, 2});
  set_requires_grad(leaf, true);
  const Tensor x = leaf * 1;
  const Tensor view = x.select(0, 0);

  (void)capture_with_breaks(
      [](Tensor own) {
        own.mul_(own.detach().clone());
        (void)is_positive(own.detach());
        own.mul_(2);
        return own;
      },
      x);
  run_backward(x.sum() + view);

  EXPECT_EQ(values_of(gradient_of(leaf)), (std::vector<float>{4, 4}));
}

TEST(Break, FindsAValueThatWasWrittenAfterItWasSaved) {
  const Tensor x = floats({1, 2});
  set_requires_grad(x, true);

  const Captured captured = capture_with_breaks(
      [](Tensor own) {
        Tensor y = own * 2;
        const Tensor z = y * y;
        {
          const NoGradScope no_grad;
          y.add_(1);
        }
        (void)is_positive(y.detach());
        return z.sum();
      },
      x);

  EXPECT_ERROR_CONTAINS(run_backward(captured.result), "RuntimeError",
                        "modified by an in-place operation");
}

TEST(Break, DrawsTheRandomNumbersOfAnEagerRun) {
  const auto f = [](const Tensor& x) {
    const Tensor first = x + rand(std::vector<SymInt>{2});
    (void)is_positive(first);
    return first + rand(std::vector<SymInt>{2});
  };
  const Tensor x = floats({1, 2});
  default_generator(kCpu).set_seed(3);
  const Tensor expected = f(x);

  default_generator(kCpu).set_seed(3);
  const Captured captured = capture_with_breaks(f, x);

  EXPECT_EQ(values_of(captured.result), values_of(expected));
}

TEST(Break, LeavesTheLevelsInsideAlive) {
  const auto f = [](const Tensor& x) {
    return grad([](const Tensor& y) { return is_positive(y) ? (y * y).sum() : y.sum(); })(x * 2)[0];
  };

  const Captured captured = capture_with_breaks(f, floats({1, 2}));

  EXPECT_TRUE(captured.has_broken);
  EXPECT_EQ(values_of(captured.result), (std::vector<float>{4, 8}));
}

TEST(Break, AnswersAQuestionAboutANumberFromData) {
  const Captured captured = capture_with_breaks(
      [](const Tensor& x) {
        const Tensor places = x.nonzero();
        return places.sym_size(0) > 2 ? x + 1 : x - 1;
      },
      floats({1, 0, 2}));

  EXPECT_TRUE(captured.has_broken);
  EXPECT_EQ(values_of(captured.result), (std::vector<float>{0, -1, 1}));
}

TEST(Break, KeepsSymbolicSizesReadable) {
  SymInt size = 0;

  const Captured captured = capture_with_breaks(
      [&](const Tensor& x) {
        const Tensor y = x + 1;
        size = lifted(x).sym_size(0);
        (void)is_positive(x);
        return y.expand(std::vector<SymInt>{2, size}) + 1;
      },
      floats({1, 2, 3}), {}, TracingMode::Symbolic);

  EXPECT_TRUE(size.is_symbolic());
  EXPECT_EQ(captured.result.sizes()[1], 3);
}

TEST(Break, EndsNothingWithoutAReason) {
  const Captured captured = capture_with_breaks([](const Tensor& x) { return x + 1; }, floats({1}));

  EXPECT_FALSE(captured.has_broken);
  EXPECT_FALSE(captured.reason);
  EXPECT_TRUE(impl(captured.result).is_wrapper());
}

TEST(Break, IsRefusedWhereTheFunctionMustBeOneGraph) {
  const UserLineScope line({.file = "model.py", .line = 7});

  EXPECT_ERROR(capture_with_breaks(
                   [](const Tensor& x) {
                     make_data_real("numpy", x);
                     return x;
                   },
                   floats({1}), {.fullgraph = true}),
               "GraphBreakError",
               "compile: with fullgraph=True the function must be one graph, but numpy() reads the "
               "data of a tensor (float32[1]), at model.py:7\n  Put that code into an operator of "
               "its own with a fake kernel (opwright.library.custom_op, register_fake), or compile "
               "with fullgraph=False, which runs it as eager code.");
}

TEST(Break, IsRefusedAlsoWhereTheFunctionCatchesTheError) {
  const auto f = [](const Tensor& x) {
    try {
      (void)is_positive(x);
    } catch (const Error&) {
    }
    return x + 1;
  };

  EXPECT_ERROR_CONTAINS(capture_with_breaks(f, floats({1}), {.fullgraph = true}), "GraphBreakError",
                        "item() reads the data of a tensor");
}

TEST(Break, LeavesAnErrorOfTheFunctionToAnEagerRun) {
  const Tensor x = floats({1, 2});
  const Tensor other = floats({1, 2, 3});

  EXPECT_ERROR_CONTAINS(capture_with_breaks(
                            [&](Tensor own) {
                              own.add_(1);
                              return own + other;
                            },
                            x),
                        "ValueError", "aten::add");
  EXPECT_EQ(values_of(x), (std::vector<float>{2, 3}));
}

TEST(Break, LeavesNoTransformCurrent) {
  const Tensor x = floats({1, 2});
  Interpreter* inside = nullptr;

  (void)capture_with_breaks(
      [&](Tensor own) {
        (void)is_positive(own);
        inside = current_interpreter();
        return own;
      },
      x);

  EXPECT_EQ(inside, nullptr);
  EXPECT_EQ(current_interpreter(), nullptr);
}

}  // namespace
}  // namespace opwright
