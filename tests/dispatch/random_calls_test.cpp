// Random operators called with random values: arguments arrive, the kernel's results are returned,
// nothing leaks.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/schema/bind.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/parser.h"
#include "opwright/tensor/device/live_counts.h"
#include "schema/schema_generator.h"

namespace opwright::testing {
namespace {

// A kernel that stores its arguments and returns preset results.
struct Echo {
  std::vector<Value> got;
  std::vector<Value> gives;

  static int run(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                 OpwValue* results, uint32_t num_results) {
    auto* self = static_cast<Echo*>(record->self);
    for (uint32_t i = 0; i < num_args; ++i) self->got.push_back(Value::copy_of(args[i]));
    for (uint32_t i = 0; i < num_results; ++i) results[i] = copy_value(self->gives[i].get());
    return 0;
  }
};

// Whether an operator of that schema can be defined, and called without a tensor.
bool can_be_called(const Schema& schema) {
  try {
    (void)parse_definition(to_text(schema));
  } catch (const Error&) {
    return false;
  }
  for (const Argument& argument : schema.arguments) {
    if (argument.type.kind() == TypeKind::Tensor || argument.is_written()) return false;
  }
  return true;
}

TEST(RandomCalls, CarryEveryValueToTheKernelAndBack) {
  SchemaGenerator generator(3);
  const LiveCounts before = live_counts();
  int64_t num_called = 0;
  for (int64_t i = 0; i < num_cases() / 4; ++i) {
    const Schema schema = generator.schema();
    if (!can_be_called(schema)) continue;
    const auto given = generator.call(schema);
    if (!given) continue;
    Echo echo;
    bool has_results = true;
    for (const Return& result : schema.returns) {
      auto value = generator.constant(result.type);
      has_results = has_results && value.has_value();
      if (value) echo.gives.push_back(std::move(*value));
    }
    if (!has_results) continue;
    const auto defined = Registry::get().define(to_text(schema));
    const auto kernel =
        Registry::get().implement(schema.full_name(), Slot::ExplicitComposite,
                                  BoxedFunction{&Echo::run, &echo, nullptr, nullptr});
    std::vector<OpwValue> positional;
    std::vector<KeywordValue> keywords;
    for (size_t k = 0; k < given->given.size(); ++k) {
      const auto& [index, value] = given->given[k];
      if (k < given->num_positional) {
        positional.push_back(value.get());
      } else {
        keywords.push_back({schema.arguments[index].name, value.get()});
      }
    }
    const BoundArguments bound(schema, positional, keywords);
    std::vector<OpwValue> results(schema.returns.size());

    call(Registry::get().require(schema.full_name()), bound.values(), results);

    ++num_called;
    ASSERT_EQ(echo.got.size(), bound.size()) << to_text(schema);
    for (size_t k = 0; k < bound.size(); ++k) {
      EXPECT_TRUE(equal_values(echo.got[k].get(), bound[k]))
          << to_text(schema) << ", argument " << k;
    }
    for (size_t k = 0; k < results.size(); ++k) {
      EXPECT_TRUE(equal_values(results[k], echo.gives[k].get()))
          << to_text(schema) << ", result " << k;
      release_value(results[k]);
    }
  }
  EXPECT_GT(num_called, 10);
  EXPECT_EQ(live_counts(), before);
}

}  // namespace
}  // namespace opwright::testing
