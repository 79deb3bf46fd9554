// Defining, implementing, removing, lookup.
//
// Covers: src/dispatch/operator, src/dispatch/operator_handle, src/dispatch/operator_table,
//   src/dispatch/record, src/dispatch/signature.
#include "opwright/dispatch/registry.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "dispatch/test_operators.h"
#include "opwright/dispatch/call.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright::testing {
namespace {

Registry& registry() { return Registry::get(); }

Tensor same(const Tensor& x) { return x; }

TEST(Registry, FindsAnOperatorByItsFullName) {
  const auto defined = registry().define("test::scale.factor(Tensor x, float f) -> Tensor");
  ASSERT_NE(registry().find("test::scale.factor"), nullptr);
  EXPECT_EQ(registry().find("test::scale.factor")->name(), "test::scale.factor");
  EXPECT_EQ(registry().find("test::scale"), nullptr);
}

TEST(Registry, RefusesADefinitionThatExistsAndNamesBothPlaces) {
  const auto first = registry().define("test::once(Tensor x) -> Tensor", {}, {"first.cpp", 10});
  EXPECT_ERROR((void)registry().define("test::once(Tensor x) -> Tensor", {}, {"second.cpp", 20}),
               "ValueError",
               "test::once is defined twice: at first.cpp:10 and at second.cpp:20\n"
               "  Give one of them another name or overload, or remove the first.");
}

TEST(Registry, ShowsTheTokenOfABadSchema) {
  EXPECT_ERROR((void)registry().define("test::clip(Tensr x) -> Tensor", {}, {"clip.cpp", 4}),
               "ValueError",
               "schema of test::clip: unknown type 'Tensr' at column 12\n"
               "    test::clip(Tensr x) -> Tensor\n"
               "               ^^^^^\n"
               "  did you mean 'Tensor'? registered at clip.cpp:4");
}

TEST(Registry, ForgetsAnOperatorWhenItsRegistrationEnds) {
  {
    const auto defined = registry().define("test::short_lived(Tensor x) -> Tensor");
  }
  EXPECT_EQ(registry().find("test::short_lived"), nullptr);
}

TEST(Registry, ReportsACallOfAnOperatorThatWasRemovedWhileItWasHeld) {
  auto defined = registry().define("test::held(Tensor x) -> Tensor", {}, {"held.cpp", 5});
  auto kernel = registry().implement("test::held", Slot::Cpu, &same);
  const Operator& held = registry().require("test::held");
  defined.remove();
  const Tensor x = tensor({1});
  const OpwValue arg = ValueOf<Tensor>::lend(x);
  OpwValue result{};
  EXPECT_TRUE(held.is_removed());
  EXPECT_ERROR(call(held, std::span(&arg, 1), std::span(&result, 1)), "RuntimeError",
               "test::held was removed (it was defined at held.cpp:5)\n  Look it up again if it "
               "was redefined.");
}

TEST(Registry, LetsAHandleFindAnOperatorThatWasDefinedAnew) {
  OperatorHandle<Tensor(const Tensor&)> handle("test::renewed");
  const auto kernel = registry().implement("test::renewed", Slot::Cpu, &same);
  const Tensor x = tensor({1});
  for (int round = 0; round < 3; ++round) {
    const auto defined = registry().define("test::renewed(Tensor x) -> Tensor");
    EXPECT_EQ(handle(x).get(), x.get());
  }
  EXPECT_THROW(handle(x), Error);
}

TEST(Registry, ReportsAKernelForAnOperatorThatNobodyDefined) {
  const auto kernel = registry().implement("test::orphan", Slot::Cpu, &same, {"orphan.cpp", 12});
  OperatorHandle<Tensor(const Tensor&)> orphan("test::orphan");
  EXPECT_ERROR(
      orphan(tensor({1})), "NotImplementedError",
      "test::orphan was never defined, but orphan.cpp:12 registers a function for it (CPU)\n"
      "  Define it with m.def(\"orphan(...) -> ...\"), or load the library that does.");
}

TEST(Registry, TakesAKernelBeforeTheDefinition) {
  const auto kernel = registry().implement("test::early", Slot::Cpu, &same);
  const auto defined = registry().define("test::early(Tensor x) -> Tensor");
  OperatorHandle<Tensor(const Tensor&)> early("test::early");
  const Tensor x = tensor({1});
  EXPECT_EQ(early(x).get(), x.get());
}

TEST(Registry, SuggestsNearNamesForAnOperatorThatDoesNotExist) {
  const auto one = registry().define("test::soft_clip(Tensor x) -> Tensor");
  const auto two = registry().define("test::scale.by(Tensor x) -> Tensor");
  EXPECT_ERROR_CONTAINS((void)registry().require("test::sofd_clip"), "AttributeError",
                        "there is no operator test::sofd_clip; did you mean test::soft_clip");
  EXPECT_ERROR_CONTAINS((void)registry().require("test::scale"), "AttributeError",
                        "test::scale.by");
  EXPECT_ERROR_CONTAINS(
      (void)registry().require("elsewhere::op_of_another_library"), "AttributeError",
      "there is no operator elsewhere::op_of_another_library\n  Load the library that defines it.");
}

TEST(Registry, RefusesANameWithoutANamespace) {
  EXPECT_ERROR_CONTAINS((void)registry().define("clip(Tensor x) -> Tensor"), "ValueError",
                        "namespace::name");
  EXPECT_ERROR_CONTAINS((void)registry().implement("clip", Slot::Cpu, &same), "ValueError",
                        "namespace::name");
}

TEST(Registry, RefusesAFunctionWhoseTypeDiffersFromTheSchemaAndShowsBoth) {
  const auto defined = registry().define("test::clip(Tensor x, float limit=1.0) -> Tensor");
  const auto wrong = +[](const Tensor& x, int64_t) { return x; };
  const char* text =
      "test::clip: the function registered for CPU at clip.cpp:9 does not match the schema: "
      "argument 'limit' (position 2) "
      "is float in the schema and int in C++\n"
      "  schema:   test::clip(Tensor x, float limit=1.0) -> Tensor\n"
      "  function: (Tensor arg0, int arg1) -> Tensor";
  EXPECT_ERROR((void)registry().implement("test::clip", Slot::Cpu, wrong, {"clip.cpp", 9}),
               "TypeError", text);
}

TEST(Registry, ComparesAnEarlierFunctionWithTheSchemaWhenItIsDefined) {
  const auto kernel = registry().implement("test::later", Slot::Cpu, &same, {"later.cpp", 2});
  EXPECT_ERROR_CONTAINS((void)registry().define("test::later(Tensor x, Tensor y) -> Tensor"),
                        "TypeError",
                        "test::later: the function registered for CPU at later.cpp:2 does not "
                        "match the schema: the schema "
                        "has 2 arguments, the function 1");
  EXPECT_EQ(registry().find("test::later"), nullptr);
}

TEST(Registry, RefusesAHandleWhoseTypeDiffersFromTheSchema) {
  const auto defined = registry().define("test::pair(Tensor x) -> (Tensor, Tensor)");
  OperatorHandle<Tensor(const Tensor&)> pair("test::pair");
  EXPECT_ERROR_CONTAINS(pair(tensor({1})), "TypeError",
                        "test::pair: the handle's C++ type does not match the schema: the schema "
                        "has 2 results, the function 1");
}

TEST(Registry, LetsALaterKernelReplaceAnEarlierOneWhileItLasts) {
  const auto defined = registry().define("test::layered(Tensor x) -> int");
  OperatorHandle<int64_t(const Tensor&)> layered("test::layered");
  const Tensor x = tensor({1});
  const auto first =
      registry().implement("test::layered", Slot::Cpu, +[](const Tensor&) { return int64_t{1}; });
  {
    const auto second =
        registry().implement("test::layered", Slot::Cpu, +[](const Tensor&) { return int64_t{2}; });
    EXPECT_EQ(layered(x), 2);
  }
  EXPECT_EQ(layered(x), 1);
}

TEST(Registry, FillsARowWithTheSlotsKernelThenExplicitThenImplicitThenFallback) {
  const auto defined = registry().define("test::filled(Tensor x) -> int");
  OperatorHandle<int64_t(const Tensor&)> filled("test::filled");
  const Tensor x = tensor({1});
  auto fallback =
      registry().set_fallback(Slot::Cpu, box(+[](const Tensor&) { return int64_t{4}; }));
  EXPECT_EQ(filled(x), 4);
  auto implicit_body = registry().implement(
      "test::filled", Slot::ImplicitComposite, +[](const Tensor&) { return int64_t{3}; });
  EXPECT_EQ(filled(x), 3);
  auto explicit_body = registry().implement(
      "test::filled", Slot::ExplicitComposite, +[](const Tensor&) { return int64_t{2}; });
  EXPECT_EQ(filled(x), 2);
  auto kernel =
      registry().implement("test::filled", Slot::Cpu, +[](const Tensor&) { return int64_t{1}; });
  EXPECT_EQ(filled(x), 1);
}

TEST(Registry, TellsAFallbackWhichOperatorItStandsInFor) {
  const auto fallback = registry().set_fallback(
      Slot::Cpu,
      BoxedFunction{
          +[](const OpwRecord* record, const OpwValue*, uint32_t, OpwValue* results, uint32_t) {
            results[0] = ValueOf<std::string>::give(from_c(record->op)->name());
            return 0;
          },
          nullptr, nullptr, nullptr});
  const auto defined = registry().define("test::unimplemented(Tensor x) -> str");
  OperatorHandle<std::string(const Tensor&)> unimplemented("test::unimplemented");
  EXPECT_EQ(unimplemented(tensor({1})), "test::unimplemented");
}

TEST(Registry, RefusesAFallbackForARule) {
  EXPECT_ERROR((void)registry().set_fallback(Slot::Vmap, box(&same)), "ValueError",
               "a fallback replaces kernels, so Vmap cannot have one");
}

TEST(Registry, RefusesAKernelThatCouldNeverBeChosen) {
  const auto defined = registry().define("test::seed(int n) -> int");
  EXPECT_ERROR_CONTAINS((void)registry().implement(
                            "test::seed", Slot::Cpu, +[](int64_t n) { return n; }),
                        "ValueError", "test::seed: a kernel for CPU");
}

TEST(Registry, DropsAClosureOnceAfterItsRemovalAndAfterAFailedRegistration) {
  struct Closure {
    std::shared_ptr<int> token;  // shared: its use count shows whether the closure is alive
    int64_t operator()(const Tensor&) const { return *token; }
  };
  auto token = std::make_shared<int>(7);
  const auto defined = registry().define("test::closure(Tensor x) -> int");
  OperatorHandle<int64_t(const Tensor&)> closure("test::closure");
  {
    const auto kernel = registry().implement("test::closure", Slot::Cpu, Closure{token});
    EXPECT_EQ(closure(tensor({1})), 7);
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_THROW((void)registry().implement("closure", Slot::Cpu, Closure{token}), Error);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Registry, RaisesGenerationAndEpochWithEveryChange) {
  const auto defined = registry().define("test::counted(Tensor x) -> Tensor");
  const Operator& op = registry().require("test::counted");
  const uint64_t generation = op.generation();
  const uint64_t epoch = registry_epoch();
  const auto kernel = registry().implement("test::counted", Slot::Cpu, &same);
  EXPECT_GT(op.generation(), generation);
  EXPECT_GT(registry_epoch(), epoch);
}

TEST(Registry, ListsOverloadsInTheOrderOfTheirDefinition) {
  const auto second = registry().define("test::over.b(Tensor x) -> Tensor");
  const auto first = registry().define("test::over.a(Tensor x, int n) -> Tensor");
  std::vector<std::string> names;
  for (const Operator* op : registry().overloads("test::over")) names.push_back(op->name());
  EXPECT_EQ(names, (std::vector<std::string>{"test::over.b", "test::over.a"}));
}

TEST(Registry, ListsTheOperatorsOfANamespaceByName) {
  const auto b = registry().define("listed::b(Tensor x) -> Tensor");
  const auto a = registry().define("listed::a(Tensor x) -> Tensor");
  std::vector<std::string> names;
  for (const Operator* op : registry().list("listed")) names.push_back(op->name());
  EXPECT_EQ(names, (std::vector<std::string>{"listed::a", "listed::b"}));
}

TEST(Registry, FindsEveryOneOfThousandsOfOperators) {
  std::vector<Registration> kept;
  for (int i = 0; i < 3000; ++i)
    kept.push_back(registry().define(concatenate("many::op", i, "(Tensor x) -> Tensor")));
  for (int i = 0; i < 3000; ++i)
    EXPECT_NE(registry().find(concatenate("many::op", i)), nullptr) << i;
}

TEST(Registry, ARegistrationKnowsTheNameOfItsOperator) {
  const auto defined = registry().define("test::named.out(Tensor x) -> Tensor");
  EXPECT_EQ(defined.name(), "test::named.out");
  EXPECT_EQ(registry().claim_namespace("named", {}).name(), "");
}

TEST(Registry, AddsTagsToADefinedOperator) {
  const auto defined = registry().define("test::tagged(Tensor x) -> Tensor", {Tag::Pointwise});
  const uint64_t epoch = registry_epoch();
  registry().add_tags("test::tagged", {Tag::Ordered});
  EXPECT_EQ(registry().require("test::tagged").tags(), (Tags{Tag::Pointwise, Tag::Ordered}));
  EXPECT_GT(registry_epoch(), epoch);
  EXPECT_ERROR_CONTAINS(registry().add_tags("test::tagget", {Tag::Ordered}), "AttributeError",
                        "there is no operator test::tagget; did you mean test::tagged?");
}

TEST(Registry, AnAddedTypeCanBeUsedInSchemas) {
  registry().add_opaque_type("test.Filter");
  const auto defined = registry().define("test::filtered(Tensor x, test.Filter f) -> Tensor");
  EXPECT_EQ(registry().require("test::filtered").schema().arguments[1].type.kind(),
            TypeKind::Opaque);
  EXPECT_EQ(to_text(registry().parse("a::b(test.Filter? f) -> ()")), "a::b(test.Filter? f) -> ()");
  EXPECT_ERROR(registry().add_opaque_type("test.Filter"), "ValueError",
               "the type 'test.Filter' was registered before");
  EXPECT_ERROR(registry().add_opaque_type("int"), "ValueError",
               "'int' is a type of the schema language already");
  EXPECT_ERROR(registry().add_opaque_type("a b"), "ValueError",
               "the name of a type must be words with dots between them, got 'a b'");
}

TEST(Slots, ReadDeviceNamesAndPyTorchsKeys) {
  EXPECT_EQ(parse_slot("cpu"), Slot::Cpu);
  EXPECT_EQ(parse_slot("CPU"), Slot::Cpu);
  EXPECT_EQ(parse_slot("CUDA"), device_slot(kOpwDeviceCuda));
  EXPECT_EQ(parse_slot("PrivateUse1"), device_slot(kOpwDevicePrivate));
  EXPECT_EQ(parse_slot("Meta"), Slot::Fake);
  EXPECT_EQ(parse_slot("Autograd"), Slot::Autograd);
  EXPECT_EQ(parse_slot("CompositeImplicitAutograd"), Slot::ImplicitComposite);
  EXPECT_EQ(parse_slot("CompositeExplicitAutograd"), Slot::ExplicitComposite);
}

TEST(Slots, RefuseAnUnknownNameWithTheNearestAndAllThereAre) {
  EXPECT_ERROR_CONTAINS(parse_slot("CPUU"), "ValueError",
                        "unknown device or dispatch key 'CPUU'; did you mean 'CPU'?");
  EXPECT_ERROR_CONTAINS(parse_slot("CPUU"), "ValueError", "CompositeImplicitAutograd");
  EXPECT_ERROR_CONTAINS(parse_slot("xyzzy"), "ValueError",
                        "a plug-in adds a device when it is loaded");
}

TEST(Slots, HaveTheNamesThatAuthorsWrite) {
  EXPECT_EQ(slot_name(Slot::Cpu), "CPU");
  EXPECT_EQ(slot_name(device_slot(kOpwDeviceCuda)), "CUDA");
  EXPECT_EQ(slot_device_name(device_slot(kOpwDeviceCuda)), "cuda");
  for (uint8_t i = static_cast<uint8_t>(Slot::Fake); i < kNumSlots; ++i) {
    EXPECT_EQ(parse_slot(slot_name(static_cast<Slot>(i))), static_cast<Slot>(i));
  }
}

}  // namespace
}  // namespace opwright::testing
