#include "opwright/transforms/functionalize.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/registry.h"
#include "opwright/tensor/wrapper.h"
#include "transforms/recorder.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::Recorder;
using Tensors = std::vector<Tensor>;

// What reaches the level below, a line for each call.
template <class F>
std::string calls_of(const F& f, const Tensors& inputs) {
  const auto recorder = IntrusivePtr<Recorder>::take(new Recorder(nullptr));
  const InterpreterScope scope(recorder.get());
  (void)run_functionalized(f, inputs);
  return recorder->text();
}

// ---- What reaches the level below ----

TEST(Functionalize, AWriteBecomesTheOperatorWithoutItAndOneCopyBack) {
  const auto f = [](Tensors x) {
    x[0].add_(1);
    x[0].mul_(2);
    return x;
  };

  EXPECT_EQ(calls_of(f, {range({3})}),
            "aten::add.Scalar\n"
            "aten::mul.Scalar\n"
            "aten::copy_\n");
}

TEST(Functionalize, AWriteToAViewGoesThroughItsScatterRule) {
  const auto f = [](Tensors x) {
    x[0].slice(0, 1).select(1, 0).add_(1);
    return Tensors{x[0].sum()};
  };

  EXPECT_EQ(calls_of(f, {range({3, 2})}),
            "aten::slice.Tensor\n"
            "aten::select.int\n"
            "aten::add.Scalar\n"
            "aten::select_scatter\n"
            "aten::slice_scatter\n"
            "aten::sum\n"
            "aten::copy_\n");
}

TEST(Functionalize, AStaleViewIsReplayedWhenItIsRead) {
  const auto f = [](Tensors x) {
    const Tensor view = x[0].t();
    x[0].zero_();
    return Tensors{view.sum()};
  };

  EXPECT_EQ(calls_of(f, {range({3, 2})}),
            "aten::t\n"
            "aten::zero\n"
            "aten::t\n"
            "aten::sum\n"
            "aten::copy_\n");
}

TEST(Functionalize, NothingIsCopiedBackToWhatTheFunctionMade) {
  const auto f = [](const Tensors&) {
    Tensor made = zeros({2});
    made.select(0, 1).fill_(1);
    return Tensors{made};
  };

  EXPECT_EQ(calls_of(f, {}),
            "aten::zeros\n"
            "aten::select.int\n"
            "aten::fill.Scalar\n"
            "aten::select_scatter\n");
}

TEST(Functionalize, AFormWithOutBecomesTheOperatorItself) {
  const auto f = [](const Tensors& x) {
    static OperatorHandle<Tensor&(const Tensor&, const Tensor&, Tensor&)> mm_out("aten::mm.out");
    Tensor out = x[1];
    mm_out(x[0], x[0], out);
    return Tensors{};
  };

  EXPECT_EQ(calls_of(f, {range({2, 2}), range({2, 2})}), "aten::mm\naten::copy_\n");
}

}  // namespace
}  // namespace opwright
