#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "check/check_alone.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

Tensor one(float value) { return full({1}, value, DType::Float32); }

Tensor doubles(const Tensor& x) { return x + x; }
void adds_one(const Tensor& x) { *x.mutable_data<float>() += 1; }

// Scratch memory shared by all calls. Atomic, so that only the result is wrong.
std::atomic<float> scratch;
Tensor through_scratch(const Tensor& x) {
  scratch = 0;
  for (int i = 0; i < 10; ++i) {
    scratch = scratch + *x.data<float>();
    std::this_thread::yield();
  }
  return one(scratch);
}
Tensor through_guarded_scratch(const Tensor& x) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return through_scratch(x);
}

// In lockstep, calls on equal values would go unnoticed.
Tensor through_place(const Tensor& x) {
  static std::atomic<float> place;
  place = *x.data<float>();
  std::this_thread::yield();
  return one(2 * place);
}
Tensor leaves_new_memory(const Tensor& x) { return empty(x.sizes(), x.dtype()); }

std::atomic<int> users;
Tensor refuses_company(const Tensor& x) {
  struct Leaver {
    ~Leaver() { --users; }
  } leaver;
  const int others = users++;
  OPWRIGHT_CHECK(others == 0, "one at a time");
  for (int i = 0; i < 10; ++i) std::this_thread::yield();
  return x + x;
}
Tensor counts_by_threads(const Tensor& x) {
  static std::atomic<int> calls = 0;
  return x + ++calls;
}

OPWRIGHT_LIBRARY(threads_check_test, m) {
  m.def("doubles(Tensor x) -> Tensor", &doubles);
  m.def("adds_one(Tensor(a!) x) -> ()", &adds_one);
  m.def("through_scratch(Tensor x) -> Tensor", &through_scratch);
  m.def("through_guarded_scratch(Tensor x) -> Tensor", &through_guarded_scratch);
  m.def("refuses_company(Tensor x) -> Tensor", &refuses_company);
  m.def("through_place(Tensor x) -> Tensor", &through_place);
  m.def("leaves_new_memory(Tensor x) -> Tensor", &leaves_new_memory);
  m.def("counts(Tensor x) -> Tensor", &counts_by_threads);
}

std::string check_threads(const char* name) {
  return finding_of("threads", concatenate("threads_check_test::", name), {Value(one(3))});
}

TEST(ThreadsCheck, PassesSoundKernels) {
  EXPECT_EQ(check_threads("doubles"), "fine");
  EXPECT_EQ(check_threads("adds_one"), "fine");
  EXPECT_EQ(check_threads("through_guarded_scratch"), "fine");
}

TEST(ThreadsCheck, GivesEachCallAGeneratorOfItsOwn) {
  const Operator& op = Registry::get().require("aten::rand_like.generator");
  std::vector<Value> values(op.num_arguments());
  values[0] = Value(one(1));
  values[1] = Value(make_generator(kCpu));

  EXPECT_EQ(finding_of("threads", Example(op, values)), "fine");
}

TEST(ThreadsCheck, FindsMemoryThatCallsShare) {
  const std::string found = check_threads("through_scratch");

  EXPECT_TRUE(found.starts_with(
      "differs-in-threads: threads_check_test::through_scratch returns a different result while 4 "
      "threads call it at once: the result: element [0] is "))
      << found;
}

TEST(ThreadsCheck, FindsAPlaceThatCallsOnOtherValuesOverwrite) {
  EXPECT_TRUE(check_threads("through_place").starts_with("differs-in-threads: "));
}

TEST(ThreadsCheck, FindsAnErrorThatOnlyCompanyGives) {
  EXPECT_EQ(check_threads("refuses_company"),
            "differs-in-threads: threads_check_test::refuses_company returns a different result "
            "while 4 threads call it at once: it raises RuntimeError: one at a time");
}

TEST(ThreadsCheck, LeavesWhatDiffersByItselfToTheOtherCheck) {
  EXPECT_EQ(check_threads("counts"), "fine");
}

}  // namespace
}  // namespace opwright
