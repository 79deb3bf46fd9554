#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

Tensor give_only(std::vector<Value> results) {
  EXPECT_EQ(results.size(), 1U);
  return ValueOf<Tensor>::take(results.at(0).give());
}

TEST(FakeCall, KeepsTheNamesOfSizes) {
  FakeCall call;
  const Tensor x = FakeCall::tensor(DType::Float32, std::vector<SymInt>{call.size("rows"), 4});
  const std::vector<OpwValue> args{ValueOf<Tensor>::lend(x)};

  const Tensor y = give_only(call.run("aten::sin", args));

  EXPECT_EQ(concatenate(y), "float32[rows, 4]");
  EXPECT_TRUE(call.is_predicted(y.sym_size(0)));
  EXPECT_FALSE(call.has_decided());
}

TEST(FakeCall, TheSameNameIsTheSameSize) {
  FakeCall call;

  EXPECT_EQ(call.size("n").word(), call.size("n").word());
  EXPECT_NE(call.size("n").word(), call.size("m").word());
  EXPECT_EQ(concatenate(call.size("n") * 2), "2*n");
}

TEST(FakeCall, TellsWhereASizeWasDecided) {
  FakeCall call;

  const bool is_large = call.size("n") > 7;

  EXPECT_TRUE(is_large);
  EXPECT_TRUE(call.has_decided());
}

TEST(FakeCall, KnowsASizeThatOnlyTheDataTell) {
  FakeCall call;
  const Tensor x = FakeCall::tensor(DType::Float32, std::vector<SymInt>{call.size("n")});
  const std::vector<OpwValue> args{ValueOf<Tensor>::lend(x)};

  const Tensor places = give_only(call.run("aten::nonzero", args));

  EXPECT_FALSE(call.is_predicted(places.sym_size(0)));
  EXPECT_TRUE(call.is_predicted(places.sym_size(1)));
}

}  // namespace
}  // namespace opwright
