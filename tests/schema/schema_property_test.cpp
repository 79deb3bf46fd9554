#include <gtest/gtest.h>

#include "opwright/schema/bind.h"
#include "opwright/schema/parser.h"
#include "schema/schema_generator.h"

namespace opwright {
namespace {

using testing::num_cases;
using testing::SchemaGenerator;

TEST(SchemaProperty, EveryPrintedSchemaParsesToAnEqualOne) {
  SchemaGenerator generator(1);
  for (int64_t i = 0; i < num_cases(); ++i) {
    const Schema schema = generator.schema();
    const std::string text = to_text(schema);
    const Schema parsed = parse_schema(text, {}, &generator.opaque_types());
    ASSERT_EQ(to_text(parsed), text) << "case " << i;
    ASSERT_TRUE(parsed == schema) << "case " << i << ": " << text;
  }
}

TEST(SchemaProperty, EveryArgumentIsBoundExactlyOnce) {
  SchemaGenerator generator(2);
  int64_t num_bound = 0;
  for (int64_t i = 0; i < num_cases(); ++i) {
    const Schema schema = generator.schema();
    const auto call = generator.call(schema);
    if (!call) continue;
    ++num_bound;
    std::vector<OpwValue> positional;
    std::vector<KeywordValue> keywords;
    std::vector<const OpwValue*> expected;
    for (const Argument& argument : schema.arguments) {
      expected.push_back(argument.default_value ? &argument.default_value->get() : nullptr);
    }
    for (size_t k = 0; k < call->given.size(); ++k) {
      const auto& [index, value] = call->given[k];
      if (k < call->num_positional) {
        positional.push_back(value.get());
      } else {
        keywords.push_back({schema.arguments[index].name, value.get()});
      }
      expected[index] = &value.get();
    }

    const BoundArguments bound = bind_arguments(schema, positional, keywords);

    ASSERT_EQ(bound.size(), schema.arguments.size()) << to_text(schema);
    for (size_t k = 0; k < bound.size(); ++k) {
      ASSERT_TRUE(equal_values(bound[k], *expected[k]))
          << to_text(schema) << ": argument " << k << " is " << value_text(bound[k])
          << ", was given " << value_text(*expected[k]);
    }
  }
  EXPECT_GT(num_bound, num_cases() / 20);
}

}  // namespace
}  // namespace opwright
