#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

Tensor scale(const Tensor& x) { return x.mul(2); }
FakeTensor same_form(const FakeTensor& x) { return empty_like(x); }
Tensor turned(const Tensor& x) { return x.mul(2).t().contiguous().t(); }
Tensor shortened(const Tensor& x) { return x.slice(0, 1, x.size(0)).clone(); }
Tensor& increment_(Tensor& x) { return x.add_(1); }
Tensor forget(const Tensor& x) { return x.clone(); }
// Writes through a view.
void clear_first_(Tensor& x) { x.select(0, 0).zero_(); }

OPWRIGHT_LIBRARY(compile_check_test, m) {
  for (const char* name : {"scale", "missing_fake", "turned", "shortened"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor");
  }
  for (const char* name : {"scale", "turned", "shortened"}) m.register_fake(name, &same_form);
  m.def("increment_(Tensor(a!) x) -> Tensor(a!)");
  m.def("clear_first_(Tensor(a!) x) -> ()", &clear_first_);
  m.def("forgets_(Tensor(a!) x) -> Tensor(a!)");
}
OPWRIGHT_LIBRARY_IMPL(compile_check_test, CPU, m) {
  for (const char* name : {"scale", "missing_fake"}) m.impl(name, &scale);
  m.impl("turned", &turned);
  m.impl("shortened", &shortened);
  m.impl("increment_", &increment_);
  m.impl("forgets_", &increment_);
}
OPWRIGHT_LIBRARY_IMPL(compile_check_test, Functional, m) { m.impl("forgets_", &forget); }

std::string look_at(const char* op, const Tensor& x) {
  return look("compile", (std::string("compile_check_test::") + op).c_str(), {Value(x)});
}

TEST(CompileCheck, PassesSoundOperators) {
  EXPECT_EQ(look_at("scale", ones({3, 4})), "");
  EXPECT_EQ(look_at("scale", ones({0, 1})), "");
  EXPECT_EQ(look_at("increment_", ones({3, 4})), "");
  EXPECT_EQ(look_at("increment_", ones({4, 3}).t().slice(0, 1, 3)), "");
  EXPECT_EQ(look_at("clear_first_", ones({3, 4})), "");
}

TEST(CompileCheck, PassesBuiltInOperators) {
  const Tensor x = ones({3, 4});
  EXPECT_EQ(look("compile", "aten::sin", {Value(x)}), "");
  EXPECT_EQ(look("compile", "aten::mul.Tensor", {Value(x), Value(x)}), "");
  EXPECT_EQ(look("compile", "aten::_softmax", {Value(x), Value(int64_t{1}), Value(false)}), "");
  EXPECT_EQ(look("compile", "aten::t", {Value(x)}), "");
}

TEST(CompileCheck, TellsOfAnOperatorWithoutAFakeKernelThatItBreaksTheGraph) {
  const std::string found = look_at("missing_fake", ones({3, 4}));
  EXPECT_NE(found.find("compile-breaks"), std::string::npos) << found;
}

TEST(CompileCheck, TellsOfAFakeKernelWithOtherStridesOrSizes) {
  EXPECT_NE(look_at("turned", ones({3, 4})).find("compile-wrong-fake"), std::string::npos);
  EXPECT_NE(look_at("shortened", ones({3, 4})).find("compile-wrong-fake"), std::string::npos);
}

TEST(CompileCheck, TellsOfAWriteThatTheFunctionalFormForgets) {
  const std::string found = look_at("forgets_", ones({3, 4}));
  EXPECT_NE(found.find("compile-misses-write"), std::string::npos) << found;
}

}  // namespace
}  // namespace opwright::testing
