// Serialized attributes and descriptors; tests/python/ge/test_wire.py reads entire graphs.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

using namespace std::string_literals;
using Kind = AttributeKind;

struct WrittenAttribute {
  Kind kind;
  Value value;
  std::string bytes;  // of its AttrDef
};

std::string bytes_of(GeOp op) {
  GeGraph graph;
  graph.name = "g";
  graph.ops.push_back(std::move(op));
  return to_bytes(graph);
}

class AttributeBytes : public ::testing::TestWithParam<WrittenAttribute> {};

TEST_P(AttributeBytes, AreThoseOfItsField) {
  GeOp op{.name = "Op", .type = "Op"};
  op.attributes.push_back({"key", GetParam().kind, GetParam().value});
  const std::string& value = GetParam().bytes;
  const std::string entry = "\x0a\x03key\x12"s + static_cast<char>(value.size()) + value;

  EXPECT_NE(bytes_of(std::move(op)).find(entry), std::string::npos);
}

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
constexpr bool kOn[] = {true};
INSTANTIATE_TEST_SUITE_P(
    Kinds, AttributeBytes,
    ::testing::Values(
        WrittenAttribute{Kind::String, Value("ab"s),
                         "\x12\x02"s
                         "ab"},
        WrittenAttribute{Kind::Int, Value(int64_t{0}), "\x18\x00"s},
        WrittenAttribute{Kind::Float, Value(1.0), "\x25\x00\x00\x80\x3f"s},
        WrittenAttribute{Kind::Bool, Value(true), "\x28\x01"s},
        WrittenAttribute{Kind::Bytes, Value("ab"s),
                         "\x3a\x02"s
                         "ab"},
        WrittenAttribute{Kind::Type, Value(int64_t{DT_INT64}), "\x78\x09"s},
        WrittenAttribute{Kind::ListInt, Value(Ints{1, 2}), "\x0a\x07\x18\x01\x18\x02\xa0\x01\x02"s},
        WrittenAttribute{Kind::ListFloat, Value(Floats{1.0}),
                         "\x0a\x08\x25\x00\x00\x80\x3f\xa0\x01\x03"s},
        WrittenAttribute{Kind::ListBool, Value::copy_of(ValueOf<std::span<const bool>>::lend(kOn)),
                         "\x0a\x05\x28\x01\xa0\x01\x04"s},
        WrittenAttribute{Kind::ListString, Value(std::vector<std::string>{"a"}),
                         "\x0a\x06\x12\x01"s
                         "a\xa0\x01\x01"},
        WrittenAttribute{Kind::ListType, Value(Ints{DT_BOOL}), "\x0a\x05\x60\x0c\xa0\x01\x0a"s},
        WrittenAttribute{Kind::ListListInt, Value(std::vector<Ints>{{1}, {}}),
                         "\x72\x06\x0a\x02\x08\x01\x0a\x00"s},
        WrittenAttribute{Kind::ListListFloat, Value(std::vector<Floats>{{1.0}}),
                         "\x82\x01\x07\x0a\x05\x0d\x00\x00\x80\x3f"s},
        WrittenAttribute{Kind::Tensor, Value(make_scalar_tensor(true, DType::Bool)),
                         "\x62\x0d\x0a\x08\x10\x0b\x1a\x00\x22\x02"s
                         "ND\x12\x01\x01"}),
    [](const auto& given) { return names_of(given.param.kind).name; });

TEST(DescriptorBytes, HaveTheNumbersOfTheWireForDtypes) {
  GeOp op{.name = "Op", .type = "Op"};
  op.output_descriptors.push_back(
      {.name = "y", .dtype = DType::BFloat16, .dims = std::vector<int64_t>{2, kFreeSize}});

  EXPECT_NE(bytes_of(std::move(op))
                .find("\x0a\x01y\x10\x1b\x1a\x0d\x0a\x0b\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                      "\x01\x22\x02ND"s),
            std::string::npos);
}

TEST(DescriptorBytes, MarkAnInputThatIsLeftOut) {
  GeOp op{.name = "Op", .type = "Op"};
  op.inputs.push_back({});
  op.input_descriptors.push_back({.name = "bias"});

  EXPECT_NE(bytes_of(std::move(op)).find("\x0a\x12_is_unfed_optional\x12\x02\x18\x01"s),
            std::string::npos);
}

}  // namespace
}  // namespace opwright::graph_engine
