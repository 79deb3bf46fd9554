#include "opwright/tensor/overlap.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::list;
using testing::range;

TEST(InternalOverlap, IsFoundAfterExpand) {
  const Tensor base = range({3, 4});
  EXPECT_FALSE(has_internal_overlap(base));
  EXPECT_FALSE(has_internal_overlap(make_view(base, list({4, 3}), list({1, 4}), 0)));
  EXPECT_TRUE(has_internal_overlap(make_view(base, list({2, 4}), list({0, 1}), 0)));
  EXPECT_FALSE(has_internal_overlap(make_view(base, list({1, 4}), list({0, 1}), 0)));
  EXPECT_FALSE(has_internal_overlap(make_view(base, list({0, 4}), list({0, 1}), 0)));
}

TEST(InternalOverlap, IsExactForInterleavedStrides) {
  const Tensor base = range({24});
  EXPECT_TRUE(has_internal_overlap(make_view(base, list({4, 4}), list({2, 3}), 0)));
  EXPECT_FALSE(has_internal_overlap(make_view(base, list({3, 2}), list({2, 3}), 0)));
}

TEST(Overlap, NeedsTheSameStorage) { EXPECT_EQ(overlap(range({4}), range({4})), Overlap::None); }

TEST(Overlap, IsFullForTheSameElementsInTheSameOrder) {
  const Tensor base = range({2, 3});
  EXPECT_EQ(overlap(base, base), Overlap::Full);
  EXPECT_EQ(overlap(base, make_view(base, list({2, 3}), list({3, 1}), 0)), Overlap::Full);
  EXPECT_EQ(overlap(base, make_view(base, list({3, 2}), list({1, 3}), 0)), Overlap::Partial);
}

TEST(Overlap, IsNoneForDisjointRangesAndForInterleavedColumns) {
  const Tensor base = range({4, 4});
  const Tensor left = make_view(base, list({4, 2}), list({4, 1}), 0);
  const Tensor right = make_view(base, list({4, 2}), list({4, 1}), 2);
  const Tensor middle = make_view(base, list({4, 2}), list({4, 1}), 1);

  EXPECT_EQ(
      overlap(make_view(base, list({4}), list({1}), 0), make_view(base, list({4}), list({1}), 4)),
      Overlap::None);
  EXPECT_EQ(overlap(left, right), Overlap::None);
  EXPECT_EQ(overlap(left, middle), Overlap::Partial);
}

TEST(Overlap, IsNoneForEmptyTensors) {
  const Tensor base = range({4});
  const Tensor none = make_view(base, list({0}), list({1}), 0);
  EXPECT_EQ(overlap(none, none), Overlap::None);
}

TEST(Overlap, OfSymbolicTensorsIsDecidedByTheirWords) {
  testing::TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const Tensor base = make_fake(std::vector<SymInt>{s0}, DType::Float32, kCpu);
  const SymGeometry same = sym_geometry_of(base);

  EXPECT_EQ(overlap(base, make_view(base, same)), Overlap::Full);
  EXPECT_EQ(overlap(base, make_view(base, std::vector<SymInt>{s0 - 1}, std::vector<SymInt>{1}, 1)),
            Overlap::None);
}

// Every element of a small geometry, as offsets.
std::multiset<int64_t> elements_of(const Geometry& geometry) {
  std::multiset<int64_t> offsets;
  for (int64_t i = 0; i < geometry.sizes[0]; ++i) {
    for (int64_t j = 0; j < geometry.sizes[1]; ++j) {
      offsets.insert(geometry.offset + i * geometry.strides[0] + j * geometry.strides[1]);
    }
  }
  return offsets;
}
bool shares_an_element(const std::multiset<int64_t>& a, const std::multiset<int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int64_t offset) { return b.count(offset) != 0; });
}
bool has_one_twice(const std::multiset<int64_t>& elements) {
  return std::set<int64_t>(elements.begin(), elements.end()).size() != elements.size();
}

TEST(Overlap, AgreesWithAListOfAllElementsForRandomGeometries) {
  std::mt19937 random(7);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const auto draw_geometry = [&] {
    return Geometry{.sizes = {draw(1, 4), draw(1, 4)},
                    .strides = {draw(-6, 6), draw(-6, 6)},
                    .offset = draw(40, 60)};
  };
  const Tensor base = range({100});
  for (int round = 0; round < 5000; ++round) {
    const Geometry a = draw_geometry();
    const Geometry b = draw_geometry();
    const bool found = overlap(make_view(base, a), make_view(base, b)) != Overlap::None;
    ASSERT_EQ(found, shares_an_element(elements_of(a), elements_of(b))) << round;
    ASSERT_EQ(has_internal_overlap(make_view(base, a)), has_one_twice(elements_of(a))) << round;
    const auto whole = elements_of(a);
    const auto part = elements_of(b);
    const bool is_part = std::all_of(part.begin(), part.end(),
                                     [&](int64_t offset) { return whole.count(offset) != 0; });
    ASSERT_EQ(covers(sym_geometry_of(make_view(base, a)), sym_geometry_of(make_view(base, b))),
              is_part)
        << round;
  }
}

}  // namespace
}  // namespace opwright
