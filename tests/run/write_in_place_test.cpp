// Writes performed early and in place: text in, text out.
//
// Covers: src/dispatch/operator_map.
#include "opwright/run/write_in_place.h"

#include <cstdint>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/run/plan.h"
#include "opwright/runtime/runtime.h"

namespace opwright {
namespace {

std::string rewritten(const char* text) {
  const GraphPtr graph = parse_graph(text);
  (void)write_in_place(
      *graph, [](const GraphValue& input) { return input.node().role() == InputRole::Captured; });
  verify(*graph);
  return to_text(*graph);
}

TEST(WriteInPlace, ASliceOfABufferIsWrittenWhereItStands) {
  EXPECT_EQ(rewritten(R"(graph(captured %cache: float32[8, 4], %rows: float32[1, 4]) -> (%total) {
  %new: float32[8, 4] = aten::slice_scatter(%cache, %rows, start=2, end=3)
  %total: float32[] = aten::sum(%new)
  %copy_: float32[8, 4] = aten::copy_(%cache, %new)
})"),
            R"(graph(captured %cache: float32[8, 4], %rows: float32[1, 4]) -> (%total) {
  %slice_1: float32[1, 4] offset(8) = aten::slice.Tensor(%cache, start=2, end=3)
  %copy__1: float32[1, 4] offset(8) = aten::copy_(%slice_1, %rows)
  %total: float32[] = aten::sum(%cache)
}
)");
}

TEST(WriteInPlace, ACounterAndAnIndexedWriteAreWrittenWhereTheyStand) {
  EXPECT_EQ(
      rewritten(
          R"(graph(captured %count: int64[1], captured %cache: float32[8], %i: int64[2], %v: float32[2]) -> (%mul) {
  %add: int64[1] = aten::add.Scalar(%count, 1)
  %put: float32[8] = aten::index_put(%cache, [%i], %v)
  %mul: float32[8] = aten::mul.Scalar(%put, 2)
  %copy_: int64[1] = aten::copy_(%count, %add)
  %copy__1: float32[8] = aten::copy_(%cache, %put)
})"),
      R"(graph(captured %count: int64[1], captured %cache: float32[8], %i: int64[2], %v: float32[2]) -> (%mul) {
  %add_: int64[1] = aten::add_.Scalar(%count, 1)
  %index_put_: float32[8] = aten::index_put_(%cache, [%i], %v)
  %mul: float32[8] = aten::mul.Scalar(%cache, 2)
}
)");
}

TEST(WriteInPlace, WritesOneAfterTheOtherStayInOrder) {
  EXPECT_EQ(
      rewritten(R"(graph(captured %cache: float32[8], %a: float32[2], %b: float32[2]) -> (%copy_) {
  %first: float32[8] = aten::slice_scatter(%cache, %a, end=2)
  %part: float32[2] = aten::slice.Tensor(%first, end=2)
  %total: float32[2] = aten::add.Tensor(%part, %b)
  %second: float32[8] = aten::slice_scatter(%first, %total, start=2, end=4)
  %copy_: float32[8] = aten::copy_(%cache, %second)
})"),
      R"(graph(captured %cache: float32[8], %a: float32[2], %b: float32[2]) -> (%cache) {
  %slice_1: float32[2] = aten::slice.Tensor(%cache, end=2)
  %copy__1: float32[2] = aten::copy_(%slice_1, %a)
  %part: float32[2] = aten::slice.Tensor(%cache, end=2)
  %total: float32[2] = aten::add.Tensor(%part, %b)
  %slice_2: float32[2] offset(2) = aten::slice.Tensor(%cache, start=2, end=4)
  %copy__2: float32[2] offset(2) = aten::copy_(%slice_2, %total)
}
)");
}

TEST(WriteInPlace, NamesOfAuthorsOperatorsDoNotPromiseThatTheyComputeTheSame) {
  Registry& registry = Registry::get();
  const Registration plain = registry.define("paired::twice(Tensor x) -> Tensor", {});
  const Registration in_place = registry.define("paired::twice_(Tensor(a!) x) -> Tensor(a!)", {});
  constexpr const char* kText = R"(graph(captured %total: float32[2]) -> (%new) {
  %new: float32[2] = paired::twice(%total)
  %copy_: float32[2] = aten::copy_(%total, %new)
}
)";

  EXPECT_EQ(rewritten(kText), kText);
}

constexpr const char* kStep =
    "graph(captured %cache: float32[4], %x: float32[1]) -> (%total) {\n"
    "  %new: float32[4] = aten::slice_scatter(%cache, %x, start=2, end=3)\n"
    "  %total: float32[] = aten::sum(%new)\n"
    "  %copy_: float32[4] = aten::copy_(%cache, %new)\n"
    "}\n";

std::string text_of(const Value& tensor) { return to_text(Tensor::borrow(tensor.get().as_tensor)); }

class Names final : public StepWatch {
 public:
  void finish_step(const Node& node, int64_t /*began*/, int64_t /*ended*/) override {
    names += node.op().name() + " ";
  }
  std::string names;
};

TEST(WriteInPlace, APlanWritesTheBufferThatItIsBoundTo) {
  const GraphPtr graph = parse_graph(kStep);
  const Tensor cache = ones({4});
  graph->bind_input(*graph->find("cache"), cache);
  const Plan plan(graph);
  Names watch;
  for (const double x : {5.0, 7.0}) {
    const Value given(full({1}, x));
    const Value total = plan.run(std::span(&given.get(), 1), &watch)[0];
    EXPECT_EQ(text_of(total), concatenate("tensor(", 3 + x, ".)"));
    EXPECT_EQ(to_text(cache), concatenate("tensor([1., 1., ", x, "., 1.])"));
  }
  EXPECT_EQ(watch.names,
            "aten::slice.Tensor aten::copy_ aten::sum aten::slice.Tensor aten::copy_ aten::sum ");
}

TEST(WriteInPlace, APlanThatIsGivenThatBufferWritesAtTheEnd) {
  const GraphPtr graph = parse_graph(
      "graph(captured %cache: float32[4], %x: float32[4]) -> (%total) {\n"
      "  %new: float32[4] = aten::add.Scalar(%cache, 1)\n"
      "  %total: float32[4] = aten::mul.Scalar(%x, 10)\n"
      "  %copy_: float32[4] = aten::copy_(%cache, %new)\n"
      "}\n");
  const Tensor cache = ones({4});
  graph->bind_input(*graph->find("cache"), cache);
  const Value given(cache);
  const Value total = Plan(graph).run(std::span(&given.get(), 1))[0];
  EXPECT_EQ(text_of(total), "tensor([10., 10., 10., 10.])");
  EXPECT_EQ(to_text(cache), "tensor([2., 2., 2., 2.])");
}

TEST(WriteInPlace, AnAuthorsCompositeMayGiveTheOldValueOn) {
  Registry& registry = Registry::get();
  const Registration defined = registry.define("passing::on(Tensor x) -> Tensor", {});
  const Registration body = registry.implement(
      "passing::on", Slot::ImplicitComposite, +[](const Tensor& x) { return x; });
  const char* text =
      "graph(captured %c: float32[8], %a: float32[2]) -> (%total) {\n"
      "  %same: float32[8] = passing::on(%c)\n"
      "  %new: float32[8] = aten::slice_scatter(%c, %a, end=2)\n"
      "  %total: float32[] = aten::sum(%same)\n"
      "  %copy_: float32[8] = aten::copy_(%c, %new)\n"
      "}\n";
  EXPECT_EQ(rewritten(text), text);
}

// Graphs that stay unchanged.
class Unchanged : public ::testing::TestWithParam<const char*> {};

TEST_P(Unchanged, WhereTheOldValueIsSeenAfterwards) {
  EXPECT_EQ(rewritten(GetParam()), to_text(*parse_graph(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Graphs, Unchanged,
                         ::testing::Values(
                             // The old value is read after the write.
                             R"(graph(captured %c: float32[8], %a: float32[2]) -> (%total) {
  %new: float32[8] = aten::slice_scatter(%c, %a, end=2)
  %total: float32[8] = aten::add.Tensor(%c, %new)
  %copy_: float32[8] = aten::copy_(%c, %new)
})",
                             // The same through a view of it.
                             R"(graph(captured %c: float32[8], %a: float32[2]) -> (%total) {
  %part: float32[2] = aten::slice.Tensor(%c, end=2)
  %new: float32[8] = aten::slice_scatter(%c, %a, end=2)
  %total: float32[2] = aten::add.Tensor(%part, %a)
  %copy_: float32[8] = aten::copy_(%c, %new)
})",
                             // The written value is a part of the old value.
                             R"(graph(captured %c: float32[8]) -> () {
  %part: float32[2] = aten::slice.Tensor(%c, start=1, end=3)
  %new: float32[8] = aten::slice_scatter(%c, %part, end=2)
  %copy_: float32[8] = aten::copy_(%c, %new)
})",
                             // The new value is returned to the caller and needs its own memory.
                             R"(graph(captured %c: float32[8], %a: float32[2]) -> (%new) {
  %new: float32[8] = aten::slice_scatter(%c, %a, end=2)
  %copy_: float32[8] = aten::copy_(%c, %new)
})",
                             // An intermediate value is read later.
                             R"(graph(captured %c: float32[8], %a: float32[2]) -> (%total) {
  %first: float32[8] = aten::slice_scatter(%c, %a, end=2)
  %second: float32[8] = aten::slice_scatter(%first, %a, start=2, end=4)
  %total: float32[8] = aten::add.Tensor(%first, %second)
  %copy_: float32[8] = aten::copy_(%c, %second)
})",
                             // The input is not known to have its own memory.
                             R"(graph(%c: float32[8], %a: float32[2]) -> () {
  %new: float32[8] = aten::slice_scatter(%c, %a, end=2)
  %copy_: float32[8] = aten::copy_(%c, %new)
})",
                             // The new value has another dtype.
                             R"(graph(captured %c: int64[8]) -> () {
  %new: float32[8] = aten::add.Scalar(%c, 0.5)
  %copy_: int64[8] = aten::copy_(%c, %new)
})"));

}  // namespace
}  // namespace opwright
