#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/generator.h"
#include "opwright/library.h"
#include "opwright/tensor/random_state.h"

namespace opwright::testing {
namespace {

Tensor scale(const Tensor& x) { return x.mul(2); }
FakeTensor scale_fake(const FakeTensor& x) { return empty_like(x); }
// Fixes the first size.
FakeTensor fixing_fake(const FakeTensor& x) {
  std::vector<SymInt> sizes{SymInt(x.size(0).specialise())};
  for (int64_t dim = 1; dim < x.dim(); ++dim) sizes.push_back(x.size(dim));
  return x.new_empty(sizes);
}
Tensor& increment_(Tensor& x) { return x.add_(1); }
Tensor forget(const Tensor& x) { return x.clone(); }
Tensor draw(const Tensor& x, const std::optional<Generator>& generator) {
  return x.mul(0.5).bernoulli(generator);
}
// A body whose graph has the number of rows that it was traced with.
Tensor mean_of_rows(const Tensor& x) {
  return x.sum().div(static_cast<double>(x.sym_size(0).specialise()));
}
// Writes through a view.
void clear_first_(Tensor& x) { x.select(0, 0).zero_(); }

OPWRIGHT_LIBRARY(export_check_test, m) {
  for (const char* name : {"scale", "missing_fake", "fixing"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor");
  }
  m.register_fake("scale", &scale_fake);
  m.register_fake("fixing", &fixing_fake);
  m.def("increment_(Tensor(a!) x) -> Tensor(a!)");
  m.def("clear_first_(Tensor(a!) x) -> ()", &clear_first_);
  m.def("forgets_(Tensor(a!) x) -> Tensor(a!)");
  m.def("draw(Tensor x, Generator? generator=None) -> Tensor", &draw);
  m.def("mean_of_rows(Tensor x) -> Tensor", &mean_of_rows);
}
OPWRIGHT_LIBRARY_IMPL(export_check_test, CPU, m) {
  for (const char* name : {"scale", "missing_fake", "fixing"}) m.impl(name, &scale);
  m.impl("increment_", &increment_);
  m.impl("forgets_", &increment_);
}
OPWRIGHT_LIBRARY_IMPL(export_check_test, Functional, m) { m.impl("forgets_", &forget); }

std::string look_at(const char* op, std::initializer_list<Value> args) {
  return look("export", (std::string("export_check_test::") + op).c_str(), args);
}
std::string look_at(const char* op, const Tensor& x) { return look_at(op, {Value(x)}); }

TEST(ExportCheck, PassesSoundOperators) {
  EXPECT_EQ(look_at("scale", ones({3, 4})), "");
  EXPECT_EQ(look_at("scale", ones({0, 1})), "");
  EXPECT_EQ(look_at("increment_", ones({3, 4})), "");
  EXPECT_EQ(look_at("increment_", ones({4, 3}).t().slice(0, 1, 3)), "");
  EXPECT_EQ(look_at("clear_first_", ones({3, 4})), "");
}

TEST(ExportCheck, PassesBuiltInOperators) {
  EXPECT_EQ(look("export", "aten::sin", {Value(ones({3, 4}))}), "");
  EXPECT_EQ(look("export", "aten::add_.Tensor", {Value(ones({3, 4})), Value(ones({4}))}), "");
  EXPECT_EQ(look("export", "aten::split.Tensor", {Value(ones({5, 4})), Value(int64_t{2})}), "");
  EXPECT_EQ(look("export", "aten::nonzero", {Value(ones({3, 4}))}), "");
  const std::vector<Tensor> parts{ones({3}), ones({3})};
  EXPECT_EQ(look("export", "aten::stack", {Value(parts)}), "");
}

TEST(ExportCheck, TakesATensorThatIsGivenTwice) {
  const Tensor x = ones({3, 4});
  EXPECT_EQ(look("export", "aten::mul.Tensor", {Value(x), Value(x)}), "");
}

TEST(ExportCheck, LeavesOutArgumentsThatShareWhatIsWritten) {
  const Tensor x = ones({3, 4});
  EXPECT_EQ(look("export", "aten::add_.Tensor", {Value(x), Value(x)}), "");
}

TEST(ExportCheck, ComparesRandomNumbersOfOneSeed) {
  EXPECT_EQ(look("export", "aten::bernoulli", {Value(ones({3, 4}).mul(0.5))}), "");
}

TEST(ExportCheck, LeavesOutWhatAProgramCannotHold) {
  const Generator generator = make_generator(kCpu);
  EXPECT_EQ(look_at("draw", {Value(ones({3})), Value(generator)}), "");
}

TEST(ExportCheck, SkipsNumbersOfTheData) {
  EXPECT_EQ(look("export", "aten::item", {Value(ones({}))}),
            "skipped: its results are numbers read from data");
}

TEST(ExportCheck, TellsWhyAnOperatorCannotBeExported) {
  EXPECT_FAULT(look_at("missing_fake", ones({3, 4})),
               "export-raised: export_check_test::missing_fake cannot be exported: "
               "NotImplementedError: export_check_test::missing_fake has no fake kernel");
}

TEST(ExportCheck, TellsWhichSizeAFakeKernelFixesAndWhere) {
  const std::string found = look_at("fixing", ones({3, 4}));

  EXPECT_FAULT(found,
               "export-fixes-size: export of export_check_test::fixing fixes dimension 0 of 'x' "
               "to 3 (");
  EXPECT_FAULT(found, "export_check_test.cpp:");
  EXPECT_FAULT(found, "but the operator also accepts 4");
}

TEST(ExportCheck, TellsWhichSizeABodyFixes) {
  EXPECT_FAULT(look_at("mean_of_rows", ones({3, 4})),
               "export-fixes-size: export of export_check_test::mean_of_rows fixes dimension 0 of "
               "'x' to 3");
}

TEST(ExportCheck, FindsWritesThatTheProgramLacks) {
  EXPECT_FAULT(look_at("forgets_", ones({3, 4})),
               "export-misses-write: the program of export_check_test::forgets_ leaves 'x' as it "
               "was, and the call writes it");
}

}  // namespace
}  // namespace opwright::testing
