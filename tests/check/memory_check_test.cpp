#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/check_alone.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

Tensor sum_near(const Tensor& x, int64_t first, int64_t last, int64_t unwritten = -1) {
  const Tensor result = empty(x.sizes(), x.dtype());
  const float* in = x.data<float>();
  float* out = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    float sum = 0;
    for (int64_t near = i + first; near <= i + last; ++near) sum += in[near];
    if (i != unwritten) out[i] = sum;
  }
  return result;
}

// Ignores strides, which is a fault for tensors that are not contiguous.
Tensor memory_twice(const Tensor& x) { return sum_near(x, 0, 0); }
Tensor reads_after(const Tensor& x) { return sum_near(x, 0, 1); }
Tensor reads_before(const Tensor& x) { return sum_near(x, -1, 0); }
Tensor leaves_last(const Tensor& x) { return sum_near(x, 0, 0, x.numel() - 1); }
Tensor by_strides(const Tensor& x) { return sum_near(x.contiguous(), 0, 0); }
Tensor two(const Tensor& /*x*/, const Tensor& y) { return sum_near(y, 0, 0); }

// Reads one element too many and discards it.
Tensor reads_and_drops(const Tensor& x) {
  const volatile float* data = x.data<float>();
  (void)data[x.numel()];
  return sum_near(x, 0, 0);
}
// Multiplies outside values by zero.
Tensor masks(const Tensor& x) {
  const Tensor result = sum_near(x, 0, 0);
  result.mutable_data<float>()[0] += 0.0F * x.data<float>()[-1];
  return result;
}
Tensor writes_after(const Tensor& x) {
  x.mutable_data<float>()[x.numel()] = 1;
  return sum_near(x, 0, 0);
}
void writes_between(const Tensor& x) {
  for (int64_t i = 0; i < x.numel(); ++i) x.mutable_data<float>()[i] = 1;
}
void writes_before(const Tensor& x) { x.mutable_data<float>()[-1] = 1; }
Tensor adds_to_new_memory(const Tensor& x) {
  const Tensor result = empty(x.sizes(), x.dtype());
  for (int64_t i = 0; i < x.numel(); ++i) result.mutable_data<float>()[i] += x.data<float>()[i];
  return result;
}
Tensor counts_in_memory(const Tensor& x) {
  static float calls = 0;
  const Tensor result = sum_near(x, 0, 0);
  result.mutable_data<float>()[0] = ++calls;
  return result;
}
Tensor makes_empty(const Tensor& x) { return empty(x.sizes(), x.dtype()); }
Tensor ends(const Tensor& x) {
  *reinterpret_cast<volatile char*>(0x1230) = 1;
  return x.clone();
}
Tensor aborts(const Tensor& /*x*/) { std::abort(); }

OPWRIGHT_LIBRARY(memory_check_test, m) {
  m.def("twice(Tensor x) -> Tensor", &memory_twice);
  m.def("reads_after(Tensor x) -> Tensor", &reads_after);
  m.def("reads_before(Tensor x) -> Tensor", &reads_before);
  m.def("leaves_last(Tensor x) -> Tensor", &leaves_last);
  m.def("by_strides(Tensor x) -> Tensor", &by_strides);
  m.def("two(Tensor x, Tensor y) -> Tensor", &two);
  m.def("reads_and_drops(Tensor x) -> Tensor", &reads_and_drops);
  m.def("masks(Tensor x) -> Tensor", &masks);
  m.def("writes_after(Tensor x) -> Tensor", &writes_after);
  m.def("writes_between(Tensor(a!) x) -> ()", &writes_between);
  m.def("writes_before(Tensor(a!) x) -> ()", &writes_before);
  m.def("adds_to_new_memory(Tensor x) -> Tensor", &adds_to_new_memory);
  m.def("counts(Tensor x) -> Tensor", &counts_in_memory);
  m.def("makes_empty(Tensor x) -> Tensor", &makes_empty);
  m.def("is_empty_by_nature(Tensor x) -> Tensor", &makes_empty, {Tag::Nondeterministic});
  m.def("ends(Tensor x) -> Tensor", &ends);
  m.def("aborts(Tensor x) -> Tensor", &aborts);
}

Tensor memory_range(int64_t count) {
  const Tensor made = empty({count}, DType::Float32);
  for (int64_t i = 0; i < count; ++i) made.mutable_data<float>()[i] = static_cast<float>(i);
  return made;
}
Tensor every_second(int64_t count) {
  return make_view(memory_range(2 * count), {{count}}, {{2}}, 0);
}
Tensor slice(int64_t count) { return make_view(memory_range(count + 4), {{count}}, {{1}}, 2); }

std::string check_memory(const char* name, std::initializer_list<Value> args) {
  return finding_of("memory", concatenate("memory_check_test::", name), args);
}

TEST(MemoryCheck, PassesSoundKernels) {
  EXPECT_EQ(check_memory("twice", {Value(memory_range(3))}), "fine");
  EXPECT_EQ(check_memory("twice", {Value(memory_range(0))}), "fine");
  EXPECT_EQ(check_memory("by_strides", {Value(every_second(3))}), "fine");
  EXPECT_EQ(check_memory("by_strides", {Value(slice(3))}), "fine");
}

TEST(MemoryCheck, PassesAResultThatIsGivenOtherMemory) {
  const Operator& relu_out = Registry::get().require("aten::relu.out");

  EXPECT_EQ(
      finding_of("memory", Example(relu_out, {Value(memory_range(3)), Value(memory_range(0))})),
      "fine");
}

TEST(MemoryCheck, LetsAsStridedReadTheWholeStorage) {
  EXPECT_EQ(finding_of("memory", "aten::as_strided",
                       {Value(every_second(2)), Value(std::vector<int64_t>{3}),
                        Value(std::vector<int64_t>{1})}),
            "fine");
}

TEST(MemoryCheck, FindsAReadAfterTheLastElement) {
  EXPECT_EQ(check_memory("reads_after", {Value(memory_range(3))}),
            "reads-outside: memory_check_test::reads_after reads outside of 'x', right after the "
            "last element");
}

TEST(MemoryCheck, FindsAReadBeforeTheFirstElement) {
  EXPECT_EQ(check_memory("reads_before", {Value(memory_range(3))}),
            "reads-outside: memory_check_test::reads_before reads outside of 'x', 4 bytes before "
            "the first element");
}

TEST(MemoryCheck, FindsAReadWhoseValueIsDropped) {
  EXPECT_EQ(check_memory("reads_and_drops", {Value(memory_range(5))}),
            "reads-outside: memory_check_test::reads_and_drops reads outside of 'x', right after "
            "the last element");
}

TEST(MemoryCheck, FindsAReadPastASlice) {
  EXPECT_EQ(
      check_memory("reads_after", {Value(slice(2))}),
      "reads-outside: memory_check_test::reads_after reads memory after the last element of "
      "'x', which its result depends on: the result: element [1] is -3e+09 and should be 7 (1 "
      "of 2 elements differ)");
}

TEST(MemoryCheck, FindsAReadBeforeASlice) {
  EXPECT_EQ(
      check_memory("reads_before", {Value(slice(1))}),
      "reads-outside: memory_check_test::reads_before reads memory before the first element "
      "of 'x', which its result depends on: the result: element [0] is -3e+09 and should be 3 "
      "(1 of 1 element differs)");
}

TEST(MemoryCheck, FindsThatStridesAreIgnored) {
  EXPECT_EQ(
      check_memory("twice", {Value(every_second(2))}),
      "reads-outside: memory_check_test::twice reads memory between the elements of 'x', "
      "which its result depends on: the result: element [1] is -3e+09 and should be 1 (1 of 2 "
      "elements differ)");
}

TEST(MemoryCheck, NamesTheArgumentThatIsReadOutside) {
  const std::string found = check_memory("two", {Value(every_second(2)), Value(every_second(2))});

  EXPECT_NE(found.find("between the elements of 'y'"), std::string::npos) << found;
}

TEST(MemoryCheck, FindsAReadThatIsMultipliedByZero) {
  EXPECT_EQ(
      check_memory("masks", {Value(slice(1))}),
      "reads-outside: memory_check_test::masks reads memory before the first element of "
      "'x', which its result depends on: the result: element [0] is nan and should be 2 (1 of "
      "1 element differs)");
}

TEST(MemoryCheck, FindsAWriteAfterTheLastElement) {
  EXPECT_EQ(check_memory("writes_after", {Value(memory_range(3))}),
            "writes-outside: memory_check_test::writes_after writes outside of 'x', right after "
            "the last element");
}

TEST(MemoryCheck, FindsAWriteAfterTheLastElementOfASlice) {
  EXPECT_EQ(check_memory("writes_after", {Value(slice(3))}),
            "writes-outside: memory_check_test::writes_after writes 4 bytes outside of 'x', right "
            "after the last element");
}

TEST(MemoryCheck, FindsAWriteBetweenTheElements) {
  EXPECT_EQ(check_memory("writes_between", {Value(every_second(2))}),
            "writes-outside: memory_check_test::writes_between writes 4 bytes outside of 'x', "
            "between the elements");
}

TEST(MemoryCheck, FindsAWriteBeforeTheFirstElement) {
  EXPECT_EQ(check_memory("writes_before", {Value(memory_range(2))}),
            "writes-outside: memory_check_test::writes_before writes 4 bytes outside of 'x', right "
            "before the first element");
}

TEST(MemoryCheck, FindsAnElementThatIsNotWritten) {
  EXPECT_EQ(check_memory("leaves_last", {Value(memory_range(3))}),
            "unwritten-result: memory_check_test::leaves_last uses new memory that it did not "
            "write: the result: element [2] depends on its previous contents");
}

TEST(MemoryCheck, FindsASumThatStartsFromNewMemory) {
  EXPECT_TRUE(check_memory("adds_to_new_memory", {Value(memory_range(3))})
                  .starts_with("unwritten-result: "));
}

TEST(MemoryCheck, FindsAResultThatNobodyWrites) {
  EXPECT_TRUE(
      check_memory("makes_empty", {Value(memory_range(3))}).starts_with("unwritten-result: "));
}

TEST(MemoryCheck, LetsAnOperatorLeaveItsResultThatSaysSo) {
  EXPECT_EQ(check_memory("is_empty_by_nature", {Value(memory_range(3))}), "fine");
}

TEST(MemoryCheck, LeavesWhatDiffersByItselfToTheOtherCheck) {
  EXPECT_EQ(check_memory("counts", {Value(memory_range(3))}), "fine");
}

TEST(MemoryCheck, FindsACallThatEndsTheProcess) {
  EXPECT_TRUE(
      check_memory("ends", {Value(memory_range(3))}).starts_with("crash: memory_check_test::ends"));
  EXPECT_TRUE(check_memory("aborts", {Value(memory_range(3))})
                  .starts_with("crash: memory_check_test::aborts"));
}

}  // namespace
}  // namespace opwright
