#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/look.h"
#include "opwright/dynamic_size.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"
#include "opwright/library.h"

namespace opwright::testing {
namespace {

// Two elements of a row are added.
Tensor pairs(const Tensor& x) {
  const int64_t half = x.size(1) / 2;
  return x.slice(1, 0, 2 * half, 2).add(x.slice(1, 1, 2 * half, 2)).contiguous();
}
FakeTensor pairs_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{x.size(0), x.size(1) / 2});
}
FakeTensor whole_fake(const FakeTensor& x) { return empty_like(x); }
FakeTensor baked_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{x.size(0).specialise(), x.size(1) / 2});
}
FakeTensor branching_fake(const FakeTensor& x) {
  const SymInt rows = x.size(0) == 3 ? SymInt(3) : x.size(0);
  return x.new_empty(std::vector<SymInt>{rows, x.size(1) / 2});
}
FakeTensor square_fake(const FakeTensor& x) {  // right if there are half as many rows as columns
  return x.new_empty(std::vector<SymInt>{x.size(0), x.size(0)});
}
FakeTensor double_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{x.size(0), x.size(1) / 2}, DType::Float64);
}
FakeTensor transposed_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{x.size(1) / 2, x.size(0)}).t();
}
FakeTensor refusing_fake(const FakeTensor& x) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 3, "x must have 3 dimensions, got ", x.dim());
  return x;
}
FakeTensor reading_fake(const FakeTensor& x) {
  (void)reinterpret_cast<const Tensor&>(x).data<float>();
  return x;
}

Tensor positive(const Tensor& x) { return x.masked_select(x.gt(0)); }
FakeTensor positive_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{new_dynamic_size()});
}
FakeTensor few_positive_fake(const FakeTensor& x) {
  return x.new_empty(std::vector<SymInt>{new_dynamic_size(0, 2)});
}

Tensor tail(const Tensor& x) { return x.slice(0, 1, INT64_MAX); }
FakeTensor tail_fake(const FakeTensor& x) { return x.slice(0, 1, INT64_MAX); }
FakeTensor head_fake(const FakeTensor& x) { return x.slice(0, 0, x.size(0) - 1); }
FakeTensor copy_fake(const FakeTensor& x) { return x.slice(0, 1, INT64_MAX).clone(); }

std::tuple<Tensor, int64_t> with_count(const Tensor& x) { return {x.clone(), x.numel()}; }
std::tuple<FakeTensor, SymInt> with_count_fake(const FakeTensor& x) {
  return {empty_like(x), x.numel()};
}
std::tuple<FakeTensor, SymInt> with_rows_fake(const FakeTensor& x) {
  return {empty_like(x), x.size(0)};
}

void halve_(Tensor& x) { x.mul_(0.5); }
Tensor fake_branch(const Tensor& x) {
  return x.sum().item().to<double>() > 0 ? x.neg() : x.clone();
}
Tensor unfinished(const Tensor& x) {
  if (x.is_fake()) throw Error("NotImplementedError", "not for fake tensors");
  return x.clone();
}
Tensor sum_of(std::span<const Tensor> tracks, const std::optional<Tensor>& bias) {
  Tensor sum = tracks[0].clone();
  for (const Tensor& track : tracks.subspan(1)) sum = sum.add(track);
  return bias ? sum.add(*bias) : sum;
}
FakeTensor sum_of_fake(std::span<const FakeTensor> tracks, const std::optional<FakeTensor>&) {
  return empty_like(tracks[0]);
}

OPWRIGHT_LIBRARY(fake_check_test, m) {
  for (const char* name : {"missing", "right", "whole", "baked", "square", "branching", "double",
                           "transposed", "refusing", "reading"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor");
  }
  m.register_fake("right", &pairs_fake);
  m.register_fake("whole", &whole_fake);
  m.register_fake("baked", &baked_fake);
  m.register_fake("square", &square_fake);
  m.register_fake("branching", &branching_fake);
  m.register_fake("double", &double_fake);
  m.register_fake("transposed", &transposed_fake);
  m.register_fake("refusing", &refusing_fake);
  m.register_fake("reading", &reading_fake);
  m.def("positive(Tensor x) -> Tensor");
  m.def("few_positive(Tensor x) -> Tensor");
  m.register_fake("positive", &positive_fake);
  m.register_fake("few_positive", &few_positive_fake);
  for (const char* name : {"tail", "shifted", "copied"})
    m.def(std::string(name) + "(Tensor(a) x) -> Tensor(a)");
  m.register_fake("tail", &tail_fake);
  m.register_fake("shifted", &head_fake);
  m.register_fake("copied", &copy_fake);
  m.def("counted(Tensor x) -> (Tensor, int)");
  m.def("miscounted(Tensor x) -> (Tensor, int)");
  m.register_fake("counted", &with_count_fake);
  m.register_fake("miscounted", &with_rows_fake);
  m.def("halve_(Tensor(a!) x) -> ()");
  m.def("sum_of(Tensor[] tracks, Tensor? bias=None) -> Tensor");
  m.register_fake("sum_of", &sum_of_fake);
  m.def("branch(Tensor x) -> Tensor", &fake_branch);
  m.def("unfinished(Tensor x) -> Tensor", &unfinished);
}
OPWRIGHT_LIBRARY_IMPL(fake_check_test, CPU, m) {
  for (const char* name : {"missing", "right", "whole", "baked", "square", "branching", "double",
                           "transposed", "refusing", "reading"}) {
    m.impl(name, &pairs);
  }
  m.impl("positive", &positive);
  m.impl("few_positive", &positive);
  for (const char* name : {"tail", "shifted", "copied"}) m.impl(name, &tail);
  m.impl("counted", &with_count);
  m.impl("miscounted", &with_count);
  m.impl("halve_", &halve_);
  m.impl("sum_of", &sum_of);
}

std::string look_at_fake(const char* op, const Tensor& x) {
  return look("fake", (std::string("fake_check_test::") + op).c_str(), {Value(x)});
}

TEST(FakeCheck, PassesSoundFakeKernels) {
  EXPECT_EQ(look_at_fake("right", ones({3, 6})), "");
  EXPECT_EQ(look_at_fake("right", ones({3, 1})), "");
  EXPECT_EQ(look_at_fake("right", ones({0, 4})), "");
  EXPECT_EQ(look_at_fake("right", ones({6, 3}).t()), "");
  EXPECT_EQ(look_at_fake("tail", ones({3, 6})), "");
  EXPECT_EQ(look_at_fake("tail", ones({7, 3}).t().slice(0, 1, 3)), "");
  EXPECT_EQ(look_at_fake("counted", ones({3, 6})), "");
}

TEST(FakeCheck, PassesOperatorsThatNeedNoFakeKernel) {
  EXPECT_EQ(look_at_fake("halve_", ones({3, 6})), "");
  EXPECT_EQ(look("fake", "aten::sin", {Value(ones({3}))}), "");
}

TEST(FakeCheck, PassesListsAndWhatIsNotGiven) {
  const std::vector<Tensor> tracks{ones({2, 3}), ones({2, 3})};
  EXPECT_EQ(look("fake", "fake_check_test::sum_of", {Value(tracks)}), "");
  EXPECT_EQ(look("fake", "fake_check_test::sum_of", {Value(tracks), Value(ones({2, 3}))}), "");
}

TEST(FakeCheck, PassesSizesThatOnlyTheDataTell) {
  EXPECT_EQ(look_at_fake("positive", ones({2, 3})), "");
  EXPECT_EQ(look("fake", "aten::nonzero", {Value(ones({2, 3}))}), "");
}

TEST(FakeCheck, LeavesReadingOfDataInABodyToTheTrace) {
  EXPECT_EQ(look_at_fake("branch", ones({2, 3})), "");
}

TEST(FakeCheck, TellsHowToRegisterAMissingFakeKernel) {
  EXPECT_FAULT(look_at_fake("missing", ones({3, 6})),
               "missing-fake: fake_check_test::missing has no "
               "fake kernel");
  EXPECT_FAULT(look_at_fake("missing", ones({3, 6})),
               "Register one with m.register_fake(\"missing\"");
}

TEST(FakeCheck, DoesNotAskForAFakeKernelOfAComposite) {
  EXPECT_FAULT(look_at_fake("unfinished", ones({3, 6})),
               "fake-refuses: fake_check_test::unfinished: its own function, run on fake tensors, "
               "rejects what the kernel accepts: NotImplementedError: not for fake tensors");
}

TEST(FakeCheck, ShowsTheErrorOfAFakeKernelAndItsLine) {
  EXPECT_FAULT(look_at_fake("refusing", ones({3, 6})),
               "fake-refuses: fake_check_test::refusing: the fake kernel (");
  EXPECT_FAULT(look_at_fake("refusing", ones({3, 6})),
               "rejects what the kernel accepts: ValueError: x must have 3 dimensions, got 2");
  EXPECT_FAULT(look_at_fake("reading", ones({3, 6})), "the data of a fake tensor was read");
}

TEST(FakeCheck, FindsWrongSizes) {
  EXPECT_FAULT(look_at_fake("whole", ones({3, 6})),
               "gives the result sizes [3, 6] and the kernel gives [3, 3]");
}

TEST(FakeCheck, FindsWrongDtypes) {
  EXPECT_FAULT(look_at_fake("double", ones({3, 6}, DType::Float32)),
               "fake-dtype: fake_check_test::double: the fake kernel (");
}

TEST(FakeCheck, FindsWrongStrides) {
  EXPECT_FAULT(look_at_fake("transposed", ones({3, 6})),
               "gives the result strides [1, 3] and the kernel gives [3, 1]");
}

TEST(FakeCheck, TellsTheLineThatFixesASize) {
  const std::string found = look_at_fake("baked", ones({3, 6}));

  EXPECT_FAULT(found, "fake-specialises: fake_check_test::baked: the fake kernel (");
  EXPECT_FAULT(found, "fixes dimension 0 of 'x' to 3 (s0 == 3 at ");
  EXPECT_FAULT(found, "fake_check_test.cpp:25), but the kernel also accepts 4");
}

TEST(FakeCheck, FindsQuestionsThatOneSizeAnswers) {
  EXPECT_FAULT(look_at_fake("branching", ones({3, 6})),
               "fixes dimension 0 of 'x' to 3 (s0 == 3 at ");
  EXPECT_EQ(look_at_fake("branching", ones({4, 6})), "");
}

TEST(FakeCheck, LeavesSizesOfOneAndNumbersToAskFor) {
  const std::vector<int64_t> pads{0, -2, 0, -1};
  EXPECT_EQ(look("fake", "aten::constant_pad_nd", {Value(ones({2, 5})), Value(pads)}), "");
  EXPECT_EQ(look("fake", "aten::unbind.int", {Value(ones({5, 5}))}), "");
}

TEST(FakeCheck, FindsWhatIsRightForTheGivenSizesAlone) {
  const std::string found = look_at_fake("square", ones({3, 6}));

  EXPECT_FAULT(found, "fake-other-size: fake_check_test::square: the fake kernel (");
  EXPECT_FAULT(found,
               "is right for the sizes given, but where dimension 0 of 'x' is 4, dimension "
               "1 of 'x' is 7 it gives the result sizes [4, 4], which is [s0, s0] here, and "
               "the kernel gives [4, 3]");
}

TEST(FakeCheck, FindsSizesOutsideOfTheirRange) {
  EXPECT_FAULT(look_at_fake("few_positive", ones({2, 3})),
               "says that dimension 0 of the result lies in [0, 2], and the kernel gives 6");
}

TEST(FakeCheck, FindsViewsThatTheFakeKernelCopies) {
  EXPECT_FAULT(look_at_fake("copied", ones({3, 6})),
               "gives the result as a tensor with memory of its own, and the kernel gives a view "
               "of 'x'");
}

TEST(FakeCheck, FindsViewsOfOtherElements) {
  EXPECT_FAULT(look_at_fake("shifted", ones({3, 6})),
               "gives the result as a view from element 0 of its storage on, and the kernel gives "
               "one from 6");
}

TEST(FakeCheck, FindsWrongNumbers) {
  EXPECT_FAULT(look_at_fake("miscounted", ones({3, 6})),
               "gives 3 as result 2, and the kernel gives 18");
}

}  // namespace
}  // namespace opwright::testing
