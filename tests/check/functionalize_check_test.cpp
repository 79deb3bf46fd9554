#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

Tensor& increment_(Tensor& x) { return x.add_(1); }
Tensor wrong_increment(const Tensor& x) { return x.add(2); }
// Ignores gaps between elements.
Tensor& increment_flat_(Tensor& x) {
  for (int64_t i = 0; i < x.numel(); ++i) x.mutable_data<float>()[i] += 1;
  return x;
}
void swap_(Tensor& x, Tensor& y) {
  const Tensor kept = x.clone();
  x.copy_(y);
  y.copy_(kept);
}
Tensor sum_and_clear_(Tensor& x) {
  Tensor sum = x.sum();
  x.fill_(0);
  return sum;
}
FakeTensor sum_fake(const FakeTensor& x) { return x.sum(); }

Tensor first_row(const Tensor& x) { return x.select(0, 0); }
Tensor put_first(const Tensor& base, const Tensor& value) {
  return select_scatter(base, value, 0, 0);
}
Tensor put_last(const Tensor& base, const Tensor& value) {
  return select_scatter(base, value, 0, -1);
}

OPWRIGHT_LIBRARY(functionalize_check_test, m) {
  m.def("first_row(Tensor(a) x) -> Tensor(a)");
  m.def("misplaced_row(Tensor(a) x) -> Tensor(a)");
  m.register_scatter("first_row", &put_first);
  m.register_scatter("misplaced_row", &put_last);
  m.def("increment_(Tensor(a!) x) -> Tensor(a!)");
  m.def("wrong_(Tensor(a!) x) -> Tensor(a!)");
  m.def("flat_(Tensor(a!) x) -> Tensor(a!)");
  m.def("swap_(Tensor(a!) x, Tensor(b!) y) -> ()");
  m.def("clear_(Tensor(a!) x) -> Tensor");
  m.def("view_and_write(Tensor(a!) x, Tensor(b) y) -> Tensor(b)");
  m.register_fake("clear_", &sum_fake);
}
OPWRIGHT_LIBRARY_IMPL(functionalize_check_test, CPU, m) {
  m.impl("first_row", &first_row);
  m.impl("misplaced_row", &first_row);
  m.impl("increment_", &increment_);
  m.impl("wrong_", &increment_);
  m.impl("flat_", &increment_flat_);
  m.impl("swap_", &swap_);
  m.impl("clear_", &sum_and_clear_);
  m.impl(
      "view_and_write", +[](Tensor& x, const Tensor& y) {
        x.add_(1);
        return y.t();
      });
}

OPWRIGHT_LIBRARY_IMPL(functionalize_check_test, Functional, m) {
  m.impl("wrong_", &wrong_increment);
}

std::string look_at_functionalize(const char* op, std::initializer_list<Value> args) {
  return look("functionalize", (std::string("functionalize_check_test::") + op).c_str(), args);
}

TEST(FunctionalizeCheck, PassesSoundOperators) {
  EXPECT_EQ(look_at_functionalize("increment_", {Value(ones({3, 4}))}), "");
  EXPECT_EQ(look_at_functionalize("increment_", {Value(ones({4, 3}).t())}), "");
  EXPECT_EQ(look_at_functionalize("increment_", {Value(ones({}))}), "");
  EXPECT_EQ(look_at_functionalize("increment_", {Value(ones({0, 2}))}), "");
  EXPECT_EQ(look_at_functionalize("swap_", {Value(ones({2})), Value(zeros({2}))}), "");
  EXPECT_EQ(look_at_functionalize("clear_", {Value(ones({2, 3}))}), "");
  EXPECT_EQ(look_at_functionalize("first_row", {Value(ones({2, 3}))}), "");
}

TEST(FunctionalizeCheck, PassesBuiltInOperators) {
  EXPECT_EQ(look("functionalize", "aten::sin", {Value(ones({3}))}), "");
  EXPECT_EQ(look("functionalize", "aten::t", {Value(ones({3, 2}))}), "");
  EXPECT_EQ(look("functionalize", "aten::add_.Tensor", {Value(ones({3})), Value(ones({3}))}), "");
  EXPECT_EQ(look("functionalize", "aten::bernoulli_.float", {Value(ones({3})), Value(0.5)}), "");
}

TEST(FunctionalizeCheck, FindsAWrongFunctionalForm) {
  const std::string found = look_at_functionalize("wrong_", {Value(ones({3}, DType::Float32))});

  EXPECT_FAULT(found,
               "functionalize-differs: functionalize_check_test::wrong_ under functionalize "
               "differs from the call: the result: element [0] is 3 and should "
               "be 2 (3 of 3 elements differ); look at its functional form (");
}

TEST(FunctionalizeCheck, FindsWritesThatForgetTheStridesOfAView) {
  EXPECT_FAULT(
      look_at_functionalize("flat_", {Value(ones({3, 2}, DType::Float32))}),
      "functionalize-differs: functionalize_check_test::flat_ under functionalize, written "
      "through a transposed slice of a larger tensor, differs from the call: "
      "the result: element [");
}

TEST(FunctionalizeCheck, FindsAWrongScatterRule) {
  const std::string found =
      look_at_functionalize("misplaced_row", {Value(ones({2, 3}, DType::Float32))});

  EXPECT_FAULT(found,
               "misplaced_row under functionalize, with a write to its result, differs "
               "from the call: the result: element [0] is 1 and should be 2");
  EXPECT_FAULT(found, "; look at its scatter rule (");
}

TEST(FunctionalizeCheck, ShowsWhatFunctionalizeRefuses) {
  EXPECT_FAULT(look_at_functionalize("view_and_write", {Value(ones({2})), Value(ones({2, 3}))}),
               "functionalize-raised: functionalize_check_test::view_and_write under functionalize "
               "raises where the call does not: NotImplementedError: ");
}

TEST(FunctionalizeCheck, LeavesOutWhatSharesMemory) {
  const Tensor x = ones({2});
  EXPECT_EQ(look_at_functionalize("swap_", {Value(x), Value(x.slice(0, 0, 2))}), "");
}

}  // namespace
}  // namespace opwright::testing
