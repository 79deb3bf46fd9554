#include "opwright/check/example/example_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/example_of.h"
#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Without the import.
std::string lines_of(const Example& example) {
  const std::string code = code_of(example);
  const std::string head = "import opwright as ow\n\n";
  EXPECT_TRUE(code.starts_with(head)) << code;
  return code.substr(head.size());
}
std::string sin_of(const Tensor& x) { return lines_of(example_of("aten::sin", {Value(x)})); }

constexpr const char* kCall = "\now.ops.aten.sin.default(self)\n";

TEST(CodeOf, WritesSimpleTensorsByTheirFactories) {
  EXPECT_EQ(sin_of(ones({2, 3})), std::string("self = ow.ones(2, 3)") + kCall);
  EXPECT_EQ(sin_of(zeros({}, DType::Float64)),
            std::string("self = ow.zeros((), dtype=ow.float64)") + kCall);
  EXPECT_EQ(sin_of(full({2}, 0.5)), std::string("self = ow.full((2,), 0.5)") + kCall);
  EXPECT_EQ(sin_of(arange(6, DType::Float32).reshape({2, 3})),
            std::string("self = ow.arange(6, dtype=ow.float32).reshape(2, 3)") + kCall);
  EXPECT_EQ(sin_of(empty({0, 3}, DType::Bool)),
            std::string("self = ow.zeros(0, 3, dtype=ow.bool)") + kCall);
}

TEST(CodeOf, WritesNumbersAsShortAsTheDTypeAllows) {
  const float infinity = std::numeric_limits<float>::infinity();

  EXPECT_EQ(sin_of(floats({4}, {0.1F, NAN, -infinity, -0.0F})),
            std::string("self = ow.tensor([0.1, float(\"nan\"), float(\"-inf\"), -0.0])") + kCall);
}

TEST(CodeOf, WritesOtherOrdersOfMemory) {
  const Tensor x = arange(6, DType::Float32).reshape({2, 3});

  EXPECT_EQ(sin_of(x.t()),
            std::string("self = ow.arange(6, dtype=ow.float32).reshape(2, 3).t()") + kCall);
  EXPECT_EQ(sin_of(ones({2, 1}).expand({2, 3})),
            std::string("self = ow.ones(2, 1).expand((2, 3))") + kCall);
}

TEST(CodeOf, WritesSlicesOfABase) {
  const Tensor base = arange(8);
  const Tensor slice = make_view(base, std::vector<int64_t>{3}, std::vector<int64_t>{2}, 1);

  EXPECT_EQ(sin_of(slice), std::string("base = ow.arange(8)\nself = base[1:6:2]") + kCall);
}

TEST(CodeOf, WritesSharedMemoryAsViewsOfOneBase) {
  const Tensor base = arange(4);
  const Tensor first = make_view(base, std::vector<int64_t>{3}, std::vector<int64_t>{1}, 0);
  const Tensor second = make_view(base, std::vector<int64_t>{3}, std::vector<int64_t>{1}, 1);

  EXPECT_EQ(lines_of(example_of("aten::add.Tensor", {Value(first), Value(second)})),
            "base = ow.arange(4)\n"
            "self = base[0:3]\n"
            "other = base[1:4]\n"
            "ow.ops.aten.add.Tensor(self, other)\n");
}

TEST(CodeOf, WritesATensorThatIsGivenTwiceOnce) {
  const Tensor x = ones({2});

  EXPECT_EQ(lines_of(example_of("aten::add.Tensor", {Value(x), Value(x)})),
            "self = ow.ones(2)\now.ops.aten.add.Tensor(self, self)\n");
}

TEST(CodeOf, WritesThatATensorRequiresGrad) {
  const Tensor x = ones({2});
  set_requires_grad(x, true);

  EXPECT_EQ(sin_of(x), std::string("self = ow.ones(2).requires_grad_()") + kCall);
}

TEST(CodeOf, WritesArgumentsBehindADefaultByName) {
  const Example example =
      example_of("aten::sum.dim_IntList",
                 {Value(ones({2})), Value(std::vector<int64_t>{0}), Value(false)})
          .with_value(3, Value(DType::Float64));

  EXPECT_EQ(lines_of(example),
            "self = ow.ones(2)\now.ops.aten.sum.dim_IntList(self, [0], dtype=ow.float64)\n");
}

TEST(CodeOf, WritesAGeneratorWithItsState) {
  const Generator generator = make_generator(kCpu);
  random_state(generator).set_seed(5);
  const Example example =
      example_of("aten::bernoulli", {Value(ones({2}))}).with_value(1, Value(generator));

  EXPECT_EQ(lines_of(example),
            "self = ow.ones(2)\n"
            "generator = ow.Generator()\n"
            "generator.set_state(ow.tensor([5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "
            "dtype=ow.uint8))\n"
            "ow.ops.aten.bernoulli.default(self, generator=generator)\n");
}

}  // namespace
}  // namespace opwright
