// Covers: src/transforms/functionalize/*.
#include "opwright/transforms/functionalize/functionalize.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/registry.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/functionalize/functional_pair.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "symbolic/test_owner.h"
#include "transforms/recorder.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::Recorder;
using Tensors = std::vector<Tensor>;

// The calls that reach the level below, one per line.
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

TEST(Functionalize, AnOperatorWithoutAPairBecomesItsSibling) {
  const Registration defined = Registry::get().define(
      "functionaltest::norm_(Tensor(a!) x, Tensor(b!)[] ys, Tensor? z) -> (Tensor(a!), Tensor)");
  const Registration kernel = Registry::get().implement(
      "functionaltest::norm_", Slot::Cpu,
      [](Tensor& x, std::span<const Tensor> ys, const std::optional<Tensor>&) {
        x.add_(1);
        for (Tensor y : ys) y.mul_(2);
        return std::tuple<Tensor, Tensor>(x, x.sum());
      });
  const auto f = [](const Tensors& x) {
    static OperatorHandle<std::tuple<Tensor, Tensor>(Tensor&, std::span<const Tensor>,
                                                     const std::optional<Tensor>&)>
        norm("functionaltest::norm_");
    Tensor target = x[0];
    return Tensors{std::get<1>(norm(target, {{x[1], x[2]}}, std::nullopt))};
  };
  const Tensors inputs{range({2}), range({2}), range({3})};

  EXPECT_EQ(calls_of(f, inputs),
            "functionaltest::_functional_norm_\n"
            "aten::copy_\n"
            "aten::copy_\n"
            "aten::copy_\n");
  EXPECT_EQ(floats(inputs[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(inputs[2]), (std::vector<float>{0, 2, 4}));
}

TEST(Functionalize, AResultIsConvertedWhereTheOperatorWouldPromote) {
  const auto f = [](Tensors x) {
    x[0].lt_(1);
    return Tensors{};
  };
  const Tensors inputs{range({2})};

  EXPECT_EQ(calls_of(f, inputs), "aten::lt.Scalar\naten::_to_copy\naten::copy_\n");
  EXPECT_EQ(floats(inputs[0]), (std::vector<float>{1, 0}));
}

TEST(Functionalize, AValueOfOtherStridesIsBroughtIntoThoseOfTheTensor) {
  const auto f = [](Tensors x) {
    x[0].t().copy_(x[1]);
    return Tensors{x[0].view({-1})};
  };
  const Tensors inputs{range({2, 3}).t().clone(MemoryFormat::Contiguous), range({2, 3})};

  (void)run_functionalized(f, inputs);

  EXPECT_EQ(floats(inputs[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(Functionalize, AListOfViewsIsOneStep) {
  const auto f = [](Tensors x) {
    Tensors rows = unbind(x[0], 0);
    rows[0].add_(1);
    rows[1].add_(rows[0]);
    return Tensors{};
  };

  EXPECT_EQ(calls_of(f, {range({2, 2})}),
            "aten::unbind.int\n"
            "aten::add.Scalar\n"
            "aten::select_scatter\n"
            "aten::unbind.int\n"
            "aten::add.Tensor\n"
            "aten::select_scatter\n"
            "aten::copy_\n");
}

TEST(Functionalize, AnImplicitCompositeIsSeenThrough) {
  const auto f = [](Tensors x) {
    x[0].flatten().add_(1);
    return Tensors{};
  };

  EXPECT_EQ(calls_of(f, {range({2, 2})}),
            "aten::view\naten::add.Scalar\naten::view\naten::copy_\n");
}

TEST(Functionalize, SymbolicSizesStaySymbolic) {
  testing::TestOwner owner;
  const SymInt sizes[] = {owner.backed("s0", 6), 4};
  const Tensors inputs{make_fake(sizes, DType::Float32, kCpu)};
  const auto f = [](Tensors x) {
    x[0].slice(0, 1).t().add_(1);
    x[0].select(1, 0).zero_();
    return Tensors{x[0].add(x[0]), x[0].t()};
  };

  const Tensors outputs = run_functionalized(f, inputs);

  EXPECT_EQ(concatenate(outputs[0], " ", outputs[1]), "float32[s0, 4] float32[4, s0]");
  EXPECT_EQ(&storage_of(outputs[1]), &storage_of(inputs[0]));
  EXPECT_TRUE(owner.specialisations.empty());
}

// ---- Identity and versions ----

TEST(Functionalize, ViewsHaveTheStorageAndTheVersionOfTheirBase) {
  const Tensors inputs{range({4})};
  const uint64_t before = version_of(inputs[0]);
  const auto f = [&](Tensors x) {
    Tensor view = x[0].slice(0, 1);
    EXPECT_EQ(&storage_of(view), &storage_of(x[0]));
    EXPECT_NE(&storage_of(view), &storage_of(inputs[0]));
    EXPECT_EQ(version_of(x[0]), before);
    view.add_(1);
    EXPECT_EQ(version_of(x[0]), before + 1);
    EXPECT_NE(&storage_of(x[0].clone()), &storage_of(x[0]));
    return Tensors{};
  };

  (void)run_functionalized(f, inputs);

  EXPECT_EQ(version_of(inputs[0]), before + 1);
}

TEST(Functionalize, AWrittenResultIsTheArgumentAsItWasPassed) {
  Tensor captured = range({2});
  const auto f = [&](const Tensors&) {
    const Operator& op = Registry::get().require("aten::neg_");
    const OpwValue arg = ValueOf<Tensor>::lend(captured);
    OpwValue result{};
    call(op, {&arg, 1}, {&result, 1});
    EXPECT_EQ(result.as_tensor, captured.get());
    release_value(result);
    return Tensors{};
  };

  (void)run_functionalized(f, {});

  EXPECT_EQ(floats(captured), (std::vector<float>{0, -1}));
}

TEST(Functionalize, LetsGoOfEverything) {
  const Tensors inputs{range({2, 2})};
  const int64_t before = live_counts().tensors;

  (void)run_functionalized(
      [](Tensors x) {
        x[0].t().add_(1);
        return Tensors{};
      },
      inputs);

  EXPECT_EQ(live_counts().tensors, before);
}

// ---- Random numbers ----

// Keeps generator states like a trace.
class StateKeeper : public Recorder, public RandomStates {
 public:
  using Recorder::Recorder;
  Tensor read_state(RandomState& generator) override {
    ++reads;
    return generator.state();
  }
  void write_state(RandomState& /*generator*/, const Tensor& state) override {
    written.push_back(state);
  }
  int reads = 0;
  Tensors written;
};

TEST(Functionalize, StatesOfGeneratorsComeFromTheLevelBelow) {
  seed_default_generators(3);
  const Tensor before = default_generator(kCpu).state();
  const auto keeper = IntrusivePtr<StateKeeper>::take(new StateKeeper(nullptr));
  {
    const InterpreterScope scope(keeper.get());
    (void)run_functionalized(
        [](const Tensors&) {
          Tensor x = rand({2});
          x.normal_();
          return Tensors{};
        },
        {});
  }

  EXPECT_EQ(keeper->text(), "aten::_functional_rand\naten::_functional_normal_\n");
  EXPECT_EQ(keeper->reads, 1);
  EXPECT_EQ(keeper->written.size(), 1U);
  EXPECT_EQ(testing::elements<uint8_t>(default_generator(kCpu).state()),
            testing::elements<uint8_t>(before));
}

TEST(FunctionalSibling, OfEveryOperatorOfAtenHasASchema) {
  for (const Operator* op : Registry::get().list("aten")) {
    if (!has_functional_sibling(*op)) continue;
    const Operator& sibling = functional_sibling(*op);
    EXPECT_EQ(&Registry::get().require(sibling.name()), &sibling);
    EXPECT_FALSE(sibling.writes_arguments()) << sibling.name();
    EXPECT_EQ(to_text(Registry::get().parse(to_text(sibling.schema()))), to_text(sibling.schema()));
  }
}

TEST(FunctionalSibling, RefusesAWriteBesideAView) {
  const Registration defined =
      Registry::get().define("functionaltest::both_(Tensor(a!) x, Tensor(b) y) -> Tensor(b)");

  EXPECT_ERROR_CONTAINS(
      (void)functional_sibling(Registry::get().require("functionaltest::both_")),
      "NotImplementedError",
      "functionaltest::both_ writes an argument and returns a view of 'y', which has no "
      "functional form");
}

TEST(FunctionalPair, OfEveryInPlaceAndOutFormOfAten) {
  const auto pair_of = [](const char* name) {
    const Operator* pair = find_functional_pair(Registry::get().require(name));
    return pair ? pair->name() : "none";
  };

  EXPECT_EQ(pair_of("aten::add_.Tensor"), "aten::add.Tensor");
  EXPECT_EQ(pair_of("aten::pow_.Scalar"), "aten::pow.Tensor_Scalar");
  EXPECT_EQ(pair_of("aten::copy_"), "aten::copy");
  EXPECT_EQ(pair_of("aten::zero_"), "aten::zero");
  EXPECT_EQ(pair_of("aten::mm.out"), "aten::mm");
  EXPECT_EQ(pair_of("aten::resize_"), "none");
}

}  // namespace
}  // namespace opwright
