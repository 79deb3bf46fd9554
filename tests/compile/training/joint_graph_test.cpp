#include "opwright/compile/training/joint_graph.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/train_function.h"
#include "opwright/autograd/backward.h"
#include "opwright/autograd/history.h"

namespace opwright {
namespace {

using testing::capture_joint;
using Kind = JointOutput::Kind;
using Tensors = std::vector<Tensor>;

Tensor leaf(std::vector<SymInt> sizes) {
  Tensor made = ones(sizes);
  set_requires_grad(made, true);
  return made;
}

TEST(JointGraph, HasOutputsThenGradients) {
  const JointGraph joint = capture_joint([](auto in) { return Tensors{sin(in[0] * in[1])}; },
                                         Tensors{leaf({2}), ones(std::vector<SymInt>{2})});

  EXPECT_EQ(
      to_text(*joint.graph),
      "graph(%x: float32[2] grad, %x_1: float32[2], %tangent_1: float32[2]) -> (%sin, %mul_2) {\n"
      "  %mul: float32[2] = aten::mul.Tensor(%x, %x_1)\n"
      "  %sin: float32[2] = aten::sin(%mul)\n"
      "  %cos: float32[2] = aten::cos(%mul), no_grad\n"
      "  %mul_1: float32[2] = aten::mul.Tensor(%tangent_1, %cos), no_grad\n"
      "  %mul_2: float32[2] = aten::mul.Tensor(%mul_1, %x_1), no_grad\n"
      "}\n");
  EXPECT_EQ(joint.targets, std::vector<uint32_t>{0});
  ASSERT_EQ(joint.tangents.size(), 1);
  EXPECT_EQ(joint.tangents[0].input, 2);
}

TEST(JointGraph, KnowsWhatItsOutputsAre) {
  const JointGraph joint = capture_joint(
      [](auto in) {
        const Tensor h = in[0] * 2;
        return Tensors{in[0], in[0].view({4}), h, h, h.t(), in[0].detach(), in[1] + 1};
      },
      Tensors{leaf({2, 2}), ones(std::vector<SymInt>{2})});

  std::vector<Kind> kinds;
  for (const JointOutput& output : joint.outputs) kinds.push_back(output.kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Input, Kind::ViewOfInput, Kind::Value, Kind::Same,
                                      Kind::ViewOfOutput, Kind::ViewOfInput, Kind::Value}));
  EXPECT_EQ(joint.tangents.size(), 1);
}

TEST(JointGraph, HasATangentForAWrittenInput) {
  const JointGraph joint = capture_joint(
      [](auto in) {
        Tensor buffer = in[0];
        buffer.add_(in[1]);
        return Tensors{};
      },
      Tensors{ones(std::vector<SymInt>{2}), leaf({2})});

  ASSERT_EQ(joint.tangents.size(), 1);
  EXPECT_TRUE(joint.tangents[0].is_written_input);
  EXPECT_EQ(joint.tangents[0].of, 0);
}

TEST(JointGraph, HasNoTangentsWhereNothingRequiresGrad) {
  const JointGraph joint = capture_joint([](auto in) { return Tensors{in[0] * 2}; },
                                         Tensors{ones(std::vector<SymInt>{2})});

  EXPECT_FALSE(joint.has_gradients());
}

TEST(JointGraph, KeepsAGradientThatTheFunctionAsksFor) {
  const Tensor x = leaf({2});
  const JointGraph joint = capture_joint(
      [](auto in) {
        const Tensor y = (in[0] * in[0] * in[0]).sum();
        return grad(Tensors{y}, Tensors{in[0]}, {}, {.create_graph = true});
      },
      Tensors{x});

  EXPECT_EQ(joint.tangents.size(), 1);
  EXPECT_EQ(joint.targets.size(), 1);
}

TEST(JointGraph, NotesThatTheFunctionFreedItsHistory) {
  const JointGraph joint = capture_joint(
      [](auto in) {
        const Tensor loss = (in[0] * in[0]).sum();
        backward(Tensors{loss}, {}, {});
        return Tensors{loss};
      },
      Tensors{leaf({2})});

  EXPECT_EQ(joint.error_kind, "RuntimeError");
  EXPECT_NE(joint.error.find("were freed by an earlier backward"), std::string::npos);
}

TEST(JointGraph, RefusesHooksOfTheFunction) {
  const auto f = [](auto in) {
    const Tensor h = in[0] * 2;
    edge_of(h).node->add_hook(0, [](const Tensor& gradient) { return gradient; });
    return Tensors{h * 3};
  };

  EXPECT_ERROR_CONTAINS((void)capture_joint(f, Tensors{leaf({2})}), "RuntimeError",
                        "the function put a hook on a gradient, or retain_grad (aten::mul.Scalar)");
}

TEST(JointGraph, RefusesALeafThatTheFunctionMakes) {
  const auto f = [](auto in) {
    Tensor made = zeros_like(in[0]);
    set_requires_grad(made, true);
    return Tensors{made, in[0] * 2};
  };

  EXPECT_ERROR_CONTAINS((void)capture_joint(f, Tensors{leaf({2})}), "RuntimeError",
                        "returns a leaf that requires grad and that it made itself");
}

TEST(JointGraph, RefusesToAskForGradientsOfAnInput) {
  const auto f = [](auto in) {
    set_requires_grad(in[0], true);
    return Tensors{in[0] * 2};
  };

  EXPECT_ERROR_CONTAINS((void)capture_joint(f, Tensors{ones(std::vector<SymInt>{2})}),
                        "RuntimeError", "requested gradients of its input 'x' (requires_grad_)");
}

}  // namespace
}  // namespace opwright
