// Prototypes: texts, operators, and ops that do not match them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/builtin_prototypes.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/schema/schema.h"
#include "opwright/value.h"
#include "opwright/vendor/ge.h"

// As an author writes it.
REG_OP(AddedInTest)
    .INPUT(x, ge::TensorType::ALL())
    .OPTIONAL_INPUT(bias, ge::TensorType({ge::DT_FLOAT, ge::DT_FLOAT16}))
    .DYNAMIC_INPUT(parts, ge::TensorType::BasicType())
    .OUTPUT(z, ge::TensorType::FLOAT())
    .ATTR(alpha, Float, 1.0)
    .ATTR(pads, ListInt, {0, 1})
    .ATTR(mode, String, "mean")
    .ATTR(is_on, Bool, true)
    .ATTR(type, Type, ge::DT_INT64)
    .REQUIRED_ATTR(k, Int)
    .OP_END_FACTORY_REG(AddedInTest)

        REG_OP(SameTypeInTest)
    .INPUT(x, "T")
    .DYNAMIC_INPUT(parts, "T")
    .OPTIONAL_INPUT(places, "Index")
    .OUTPUT(y, "T")
    .DATATYPE(T, ge::TensorType({ge::DT_FLOAT, ge::DT_FLOAT16}))
    .OP_END_FACTORY_REG(SameTypeInTest)

        namespace opwright::graph_engine {
  namespace {

  constexpr const char* kText =
      "AddedInTest(x: ALL, bias?: {FLOAT, FLOAT16}, parts*: BasicType; alpha: Float = 1.0, "
      "pads: ListInt = [0, 1], mode: String = \"mean\", is_on: Bool = True, type: Type = 9, k: "
      "Int) "
      "-> (z: FLOAT)";

  constexpr const char* kSameTypeText =
      "SameTypeInTest<T: {FLOAT, FLOAT16}, Index>(x: T, parts*: T, places?: Index) -> (y: T)";

  GeOp op_with(std::vector<TensorDescriptor> inputs, std::vector<Attribute> attributes = {},
               std::vector<TensorDescriptor> outputs = {{.name = "z"}}) {
    GeOp op{.name = "Op", .type = "AddCustom"};
    op.inputs.resize(inputs.size(), OutputPlace{0, 0});
    op.input_descriptors = std::move(inputs);
    op.attributes = std::move(attributes);
    op.output_descriptors = std::move(outputs);
    return op;
  }
  TensorDescriptor tensor(const char* name, DType dtype = DType::Float32) {
    return {.name = name, .dtype = dtype, .dims = std::vector<int64_t>{2, kFreeSize}};
  }

  const Prototype kAdd = parse_prototype(
      "AddCustom(x: FLOAT, y?: ALL, more*: ALL; k: Int, alpha: Float = 1.0) -> (z: ALL)");
  const Attribute kCount{"k", AttributeKind::Int, Value(int64_t{1})};

  TEST(Prototype, IsReadFromItsText) { EXPECT_EQ(to_text(parse_prototype(kText)), kText); }

  TEST(Prototype, OfAMacroIsAnOperatorWithItsText) {
    const Operator* op = Registry::get().find("ge::AddedInTest");
    ASSERT_NE(op, nullptr);

    EXPECT_EQ(to_text(op->schema()),
              "ge::AddedInTest(Tensor x, Tensor? bias, Tensor[] parts, *, float alpha=1.0, int[] "
              "pads=[0, 1], str mode=\"mean\", bool is_on=True, int type=9, int k) -> Tensor");
    const PrototypePtr found = find_prototype("AddedInTest");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(to_text(*found), kText);
  }

  TEST(Prototype, IsWrittenAsTheMacroHasIt) {
    EXPECT_EQ(reg_op_text(parse_prototype(kText)),
              "REG_OP(AddedInTest)\n"
              "    .INPUT(x, ge::TensorType::ALL())\n"
              "    .OPTIONAL_INPUT(bias, ge::TensorType({ge::DT_FLOAT, ge::DT_FLOAT16}))\n"
              "    .DYNAMIC_INPUT(parts, ge::TensorType::BasicType())\n"
              "    .OUTPUT(z, ge::TensorType::FLOAT())\n"
              "    .ATTR(alpha, Float, 1.0)\n"
              "    .ATTR(pads, ListInt, {0, 1})\n"
              "    .ATTR(mode, String, \"mean\")\n"
              "    .ATTR(is_on, Bool, true)\n"
              "    .ATTR(type, Type, ge::DT_INT64)\n"
              "    .REQUIRED_ATTR(k, Int)\n"
              "    .OP_END_FACTORY_REG(AddedInTest)\n");
  }

  TEST(Prototype, NamesAnElementTypeThatPortsShare) {
    const PrototypePtr found = find_prototype("SameTypeInTest");
    ASSERT_NE(found, nullptr);

    EXPECT_EQ(to_text(*found), kSameTypeText);
    EXPECT_EQ(to_text(parse_prototype(kSameTypeText)), kSameTypeText);
    EXPECT_EQ(schema_text(*found),
              "ge::SameTypeInTest(Tensor x, Tensor[] parts, Tensor? places) -> Tensor");
    EXPECT_EQ(reg_op_text(*found),
              "REG_OP(SameTypeInTest)\n"
              "    .INPUT(x, \"T\")\n"
              "    .DYNAMIC_INPUT(parts, \"T\")\n"
              "    .OPTIONAL_INPUT(places, \"Index\")\n"
              "    .OUTPUT(y, \"T\")\n"
              "    .DATATYPE(T, ge::TensorType({ge::DT_FLOAT, ge::DT_FLOAT16}))\n"
              "    .OP_END_FACTORY_REG(SameTypeInTest)\n");
  }

  TEST(Prototype, TellsWhereNamesOfElementTypesAreWrong) {
    EXPECT_ERROR((void)parse_prototype("Add<T: FLOAT(x: T) -> (y: T)"), "ValueError",
                 "GE: a prototype cannot be read: expected > at column 13\n"
                 "    Add<T: FLOAT(x: T) -> (y: T)\n"
                 "                ^");
    EXPECT_ERROR((void)parse_prototype("Add<T: FLOAT>(x: S) -> (y: T)"), "ValueError",
                 "GE: a prototype cannot be read: expected an element type at column 18\n"
                 "    Add<T: FLOAT>(x: S) -> (y: T)\n"
                 "                     ^");
  }

  TEST(Prototype, OfASchemaNamesAnOutputAsNoInputOrAttribute) {
    const auto text_of = [](const char* schema) {
      return to_text(prototype_from_schema(Registry::get().parse(schema)));
    };

    EXPECT_EQ(text_of("npu::add(Tensor x, Tensor y) -> Tensor"),
              "Add(x: ALL, y: ALL) -> (y_out: ALL)");
    EXPECT_EQ(text_of("npu::scale(Tensor x, float y) -> Tensor"),
              "Scale(x: ALL; y: Float) -> (y_out: ALL)");
    EXPECT_EQ(text_of("npu::relu_(Tensor(a!) self) -> Tensor(a!) self"),
              "Relu(self: ALL) -> (self_out: ALL)");
    EXPECT_EQ(text_of("npu::add.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!) out"),
              "Add(x: ALL, out: ALL) -> (out_out: ALL)");
    EXPECT_EQ(text_of("npu::pair(Tensor y, Tensor y_out) -> (Tensor y, Tensor)"),
              "Pair(y: ALL, y_out: ALL) -> (y_out_out: ALL, y1: ALL)");
  }

  TEST(Prototype, ComesFromASchema) {
    const Schema schema = Registry::get().parse(
        "npu::npu_add_custom(Tensor x, Tensor? y, Tensor[] more, float alpha=1, ScalarType? "
        "dtype=None) -> (Tensor, Tensor out)");

    EXPECT_EQ(to_text(prototype_from_schema(schema)),
              "NpuAddCustom(x: ALL, y?: ALL, more*: ALL; alpha: Float = 1.0, dtype: Type) -> "
              "(y0: ALL, out: ALL)");
    EXPECT_EQ(prototype_from_schema(schema, "AddCustom").name, "AddCustom");
  }

  TEST(Prototype, RefusesAnArgumentThatNoOpCanHave) {
    EXPECT_ERROR(
        (void)prototype_from_schema(Registry::get().parse("npu::f(Generator? g) -> Tensor")),
        "TypeError",
        "npu::f: argument 'g' (Generator?) can be neither an input nor an attribute of a GE "
        "op\n  Write the prototype with REG_OP.");
  }

  TEST(Prototype, ShowsWhereItsTextIsWrong) {
    EXPECT_ERROR((void)parse_prototype("Add(x: FLAOT) -> (y: ALL)"), "ValueError",
                 "GE: a prototype cannot be read: expected an element type at column 8\n"
                 "    Add(x: FLAOT) -> (y: ALL)\n"
                 "           ^");
  }

  TEST(Prototype, MayBeDefinedTwiceAlikeOnly) {
    const Prototype first = parse_prototype("TwiceInTest(x: ALL) -> (y: ALL)");
    const std::vector<Registration> kept = define_prototype(first);

    EXPECT_TRUE(define_prototype(first).empty());
    EXPECT_ERROR((void)define_prototype(parse_prototype("TwiceInTest(x: FLOAT) -> (y: ALL)")),
                 "ValueError",
                 "GE: TwiceInTest has another prototype already\n"
                 "  known: TwiceInTest(x: ALL) -> (y: ALL)\n"
                 "  new:   TwiceInTest(x: FLOAT) -> (y: ALL)");
  }

  TEST(Prototype, OfTheCoreIsDefinedForEachOfItsOps) {
    for (const char* text : builtin_prototypes()) {
      const Prototype prototype = parse_prototype(text);
      EXPECT_NE(find_prototype(prototype.name), nullptr) << text;
      EXPECT_NE(Registry::get().find("ge::" + prototype.name), nullptr) << text;
    }
  }

  TEST(Prototype, OfAnUnknownOpIsNone) { EXPECT_EQ(find_prototype("NobodyKnows"), nullptr); }

  TEST(OpOfAPrototype, IsTakenWithElementsOfDynamicInputs) {
    check_op(kAdd,
             op_with({tensor("x"), tensor("more0"), tensor("more1", DType::Int64)}, {kCount}));
  }

  TEST(OpOfAPrototype, MustHaveItsRequiredInputs) {
    EXPECT_ERROR(
        check_op(kAdd, op_with({tensor("y")}, {kCount})), "ValueError",
        "GE: AddCustom: input 'x' is missing\n"
        "  prototype: AddCustom(x: FLOAT, y?: ALL, more*: ALL; k: Int, alpha: Float = 1.0) "
        "-> (z: ALL)\n"
        "  op:        AddCustom(y: float32[2, -1]; k = 1) -> (z: ?)");
  }

  TEST(OpOfAPrototype, HasNoOtherInputs) {
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x"), tensor("w")}, {kCount})),
                          "ValueError", "the prototype has no input 'w'");
  }

  TEST(OpOfAPrototype, HasNoOtherOutputs) {
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x")}, {kCount}, {tensor("q")})),
                          "ValueError", "the prototype has no output 'q'");
  }

  TEST(OpOfAPrototype, LeavesOutOptionalInputsOnly) {
    GeOp op = op_with({tensor("x"), tensor("y")}, {kCount});
    op.inputs[1] = {};
    check_op(kAdd, op);
    op.inputs[0] = {};

    EXPECT_ERROR_CONTAINS(check_op(kAdd, op), "ValueError", "input 'x' is required, got None");
  }

  TEST(OpOfAPrototype, HasDtypesOfItsSets) {
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x", DType::Int32)}, {kCount})),
                          "TypeError", "input 'x' is int32, which is not in FLOAT");
  }

  TEST(OpOfAPrototype, HasOneDtypeForEachTypeName) {
    const Prototype same = parse_prototype(kSameTypeText);
    check_op(same, op_with({tensor("x"), tensor("parts0"), tensor("places", DType::Int64)}, {},
                           {tensor("y")}));

    EXPECT_ERROR(
        check_op(same, op_with({tensor("x"), tensor("parts0"), tensor("parts1", DType::Float16)},
                               {}, {{.name = "y"}})),
        "TypeError",
        "GE: AddCustom: input 'parts1' is float16 and 'x' is float32, but both must be of one "
        "type T\n"
        "  prototype: SameTypeInTest<T: {FLOAT, FLOAT16}, Index>(x: T, parts*: T, places?: Index) "
        "-> (y: T)\n"
        "  op:        AddCustom(x: float32[2, -1], parts0: float32[2, -1], parts1: float16[2, -1]) "
        "-> (y: ?)");
    EXPECT_ERROR_CONTAINS(
        check_op(same, op_with({tensor("x")}, {}, {tensor("y", DType::Float16)})), "TypeError",
        "output 'y' is float16 and 'x' is float32, but both must be of one type T");
    EXPECT_ERROR_CONTAINS(check_op(same, op_with({tensor("x", DType::Int32)}, {}, {{.name = "y"}})),
                          "TypeError", "input 'x' is int32, which is not in {FLOAT, FLOAT16}");
  }

  TEST(OpOfAPrototype, MustHaveItsRequiredAttributes) {
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x")})), "ValueError",
                          "attribute 'k' is missing");
  }

  TEST(OpOfAPrototype, HasNoOtherAttributes) {
    const Attribute other{"beta", AttributeKind::Int, Value(int64_t{1})};
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x")}, {kCount, other})), "ValueError",
                          "the prototype has no attribute 'beta'");
  }

  TEST(OpOfAPrototype, HasAttributesOfItsKinds) {
    const Attribute text{"k", AttributeKind::String, Value(std::string("1"))};
    EXPECT_ERROR_CONTAINS(check_op(kAdd, op_with({tensor("x")}, {text})), "TypeError",
                          "attribute 'k' must be of kind Int, got String");
  }

  }  // namespace
}  // namespace opwright::graph_engine
