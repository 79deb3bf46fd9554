// A second host of the same binary in the same process, written against c_api.h only: its records,
// its allocator, its operators.
#include <cmath>
#include <deque>
#include <string>

#include <gtest/gtest.h>

#include "dispatch/test_operators.h"
#include "host/test_host.h"
#include "opwright/base/given_error.h"
#include "opwright/functions.h"
#include "opwright/host/binary.h"

namespace opwright::testing {
namespace {

// Counts the binary's requests; answers with the core's own operators.
class CountingHost : public OpwHost {
 public:
  explicit CountingHost(const OpwBinary& binary) : OpwHost(core_host()) {
    instance = this;
    OpwHost::call = &count_call;
    std::vector<const OpwImport*> by_index(binary.num_imports);
    for (const OpwImport* each = binary.imports; each; each = each->next)
      by_index[each->index] = each;
    for (const OpwImport* each : by_index) imports_.emplace_back(each->name, each->signature);
    contents_ = collect_binary(binary, *this);
  }

  Tensor call_kernel(const char* slot, const Tensor& x, double limit) {
    for (const BlockFunction& each : contents_.functions) {
      if (each.slot != slot) continue;
      const OpwRecord record{
          sizeof(OpwRecord), each.function.function, each.function.self, nullptr, nullptr, this};
      const OpwValue args[] = {ValueOf<Tensor>::lend(x), ValueOf<double>::lend(limit)};
      OpwValue result{};
      require_ok(record.function(&record, args, 2, &result, 1));
      return ValueOf<Tensor>::take(result);
    }
    return {};
  }

  int calls = 0;

 private:
  static int count_call(const OpwHost* host, uint32_t index, const OpwValue* args,
                        uint32_t num_args, OpwValue* results, uint32_t num_results) {
    return status_of([&] {
      auto* self = static_cast<CountingHost*>(host->instance);
      ++self->calls;
      self->imports_[index].call(args, num_args, results, num_results);
    });
  }

  std::deque<HostOperator> imports_;
  BlockContents contents_;
};

TEST(TwoHosts, UseOneBinaryWithTheirOwnOperatorsEach) {
  const std::string path = operator_binary("soft_clip");
  const OpwBinary& binary = open_binary(path);
  CountingHost first(binary);
  CountingHost second(binary);
  const LoadedFor core("soft_clip");  // the core is a third
  const Tensor x = tensor({1});

  const Tensor a = first.call_kernel("CPU", x, 1);
  EXPECT_GT(first.calls, 0);
  EXPECT_EQ(second.calls, 0);
  const Tensor b = second.call_kernel("CPU", x, 1);
  EXPECT_EQ(second.calls, first.calls);
  OperatorHandle<Tensor(const Tensor&, double)> in_core("audio::soft_clip");
  const Tensor c = in_core(x, 1);

  EXPECT_EQ(second.calls, first.calls);  // the core called neither
  for (const Tensor& result : {a, b, c}) EXPECT_FLOAT_EQ(values_of(result)[0], std::tanh(1.0F));
}

TEST(TwoHosts, GetTheErrorsOfTheirOwnCalls) {
  CountingHost host(open_binary(operator_binary("soft_clip")));
  EXPECT_THROW((void)host.call_kernel("CPU", tensor({1}), -1), Error);
  EXPECT_EQ(take_error(), nullptr);
}

TEST(TwoHosts, SeeTheListsOfTwoBinariesApart) {
  const std::string first_path = operator_binary("soft_clip");
  const std::string second_path = operator_binary("dual_residual");
  const OpwBinary& first = open_binary(first_path);
  const OpwBinary& second = open_binary(second_path);
  EXPECT_NE(&first, &second);
  EXPECT_NE(first.libraries, second.libraries);
  EXPECT_EQ(std::string(first.libraries->name_space), "audio");
  EXPECT_EQ(second.libraries->next, nullptr);
}

}  // namespace
}  // namespace opwright::testing
