// Covers: src/tensor/dim_order, src/tensor/extent, src/tensor/view_geometry.
#include "opwright/tensor/view.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"

namespace opwright {
namespace {

using testing::list;
using testing::range;
using testing::TestOwner;

// "[3, 2] [1, 3] 0"
template <class Int>
std::string text_of(const BasicGeometry<Int>& geometry) {
  return concatenate(to_text(std::span<const Int>(geometry.sizes)), " ",
                     to_text(std::span<const Int>(geometry.strides)), " ", geometry.offset);
}
std::string strides_text(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                         const std::vector<int64_t>& new_sizes) {
  const auto found = view_strides(list(sizes), list(strides), list(new_sizes));
  return found ? to_text(std::span<const int64_t>(*found)) : "none";
}

TEST(MakeView, SharesStorageAndVersion) {
  const LiveCounts before = live_counts();
  {
    const Tensor base = range({2, 3});
    const Tensor view = make_view(base, list({3}), list({1}), 3);

    storage_of(view).raise_version();

    EXPECT_EQ(&storage_of(view), &storage_of(base));
    EXPECT_EQ(version_of(base), 1U);
    EXPECT_EQ(view.data<float>()[0], 3.0F);
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(MakeView, KeepsTheStorageAfterItsBaseWent) {
  Tensor base = range({2, 3});
  const Tensor view = make_view(base, list({1}), list({1}), 5);
  base = Tensor();

  EXPECT_EQ(view.data<float>()[0], 5.0F);
}

TEST(MakeView, RefusesToReachOutsideOfTheStorage) {
  const Tensor base = range({6});
  EXPECT_ERROR(make_view(base, list({2, 3}), list({3, 1}), 1), "ValueError",
               "view: sizes [2, 3] with strides [3, 1] from offset 1 reach outside of a storage of "
               "6 elements");
  EXPECT_ERROR(
      make_view(base, list({2}), list({-1}), 0), "ValueError",
      "view: sizes [2] with strides [-1] from offset 0 reach outside of a storage of 6 elements");
  EXPECT_ERROR(
      make_view(base, list({1}), list({1}), -1), "ValueError",
      "view: sizes [1] with strides [1] from offset -1 reach outside of a storage of 6 elements");
  EXPECT_ERROR(make_view(base, list({3}), list({int64_t{1} << 62}), 0), "ValueError",
               "view: sizes [3] with strides [4611686018427387904] from offset 0 reach outside of "
               "a storage of 6 elements");
  EXPECT_ERROR(make_view(base, list({-2}), list({1}), 0), "ValueError",
               "view: size -2 of dimension 0 is negative in [-2]");
}

TEST(MakeView, MayRunBackwards) {
  const Tensor base = range({6});
  const Tensor view = make_view(base, list({6}), list({-1}), 5);

  EXPECT_EQ(view.data<float>()[0], 5.0F);
  EXPECT_EQ(view.data<float>()[-5], 0.0F);
}

TEST(MakeView, OfAReadOnlyTensorIsReadOnly) {
  const Tensor base = range({6});
  impl(base).flags |= kOpwFlagReadOnly;

  EXPECT_ERROR(make_view(base, list({2}), list({1}), 0).mutable_data<float>(), "ValueError",
               "the memory of this tensor is read-only; clone it first");
}

TEST(MakeView, DoesNotInheritAutogradData) {
  const Tensor base = range({6});
  impl(base).flags |= kOpwFlagRequiresGrad;

  EXPECT_FALSE(make_view(base, list({2}), list({1}), 0).requires_grad());
}

TEST(MakeView, OfAFakeTensorMayBeSymbolic) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const Tensor base = make_fake(std::vector<SymInt>{s0, 3}, DType::Float32, kCpu);

  const Tensor view = make_view(base, transpose_geometry(sym_geometry_of(base), 0, 1, "transpose"));

  EXPECT_EQ(concatenate(view), "float32[3, s0]");
  EXPECT_EQ(&storage_of(view), &storage_of(base));
  EXPECT_TRUE(owner.guards.empty());
}

TEST(MakeView, OfRealMemoryCannotBeSymbolic) {
  TestOwner owner;
  const std::vector<SymInt> sizes{owner.backed("s0", 2)};
  EXPECT_ERROR(make_view(range({6}), sizes, std::vector<SymInt>{1}, 0), "ValueError",
               "view: a tensor with memory cannot have the symbolic sizes [s0]");
}

TEST(ViewStrides, AreThoseOfPyTorch) {
  EXPECT_EQ(strides_text({2, 3, 4}, {12, 4, 1}, {6, 4}), "[4, 1]");
  EXPECT_EQ(strides_text({2, 3, 4}, {12, 4, 1}, {24}), "[1]");
  EXPECT_EQ(strides_text({6, 4}, {4, 1}, {2, 3, 2, 2}), "[12, 4, 2, 1]");
  EXPECT_EQ(strides_text({4, 6}, {12, 2}, {4, 2, 3}), "[12, 6, 2]");
  EXPECT_EQ(strides_text({4, 6}, {1, 4}, {24}), "none");
  EXPECT_EQ(strides_text({4, 6}, {1, 4}, {2, 2, 6}), "[2, 1, 4]");
  EXPECT_EQ(strides_text({4, 6}, {12, 1}, {2, 12}), "none");
  EXPECT_EQ(strides_text({2, 1, 3}, {3, 99, 1}, {6}), "[1]");
  EXPECT_EQ(strides_text({6}, {1}, {1, 6, 1}), "[6, 1, 1]");
  EXPECT_EQ(strides_text({}, {}, {1, 1}), "[1, 1]");
  EXPECT_EQ(strides_text({1}, {1}, {}), "[]");
  EXPECT_EQ(strides_text({3, 4}, {0, 1}, {12}), "none");
  EXPECT_EQ(strides_text({3, 4}, {0, 0}, {12}), "[0]");
  EXPECT_EQ(strides_text({0, 4}, {9, 1}, {0, 4}), "[9, 1]");
  EXPECT_EQ(strides_text({0, 4}, {9, 1}, {2, 0}), "[1, 1]");
}

TEST(ViewStrides, StaySymbolic) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const std::vector<SymInt> sizes{s0, 6};
  const std::vector<SymInt> strides{6, 1};
  const std::vector<SymInt> new_sizes{s0, 2, 3};

  const auto found = view_strides(sizes, strides, new_sizes);

  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(to_text(std::span<const SymInt>(*found)), "[6, 3, 1]");
}

TEST(ViewGeometry, TransposesTwoDimensions) {
  EXPECT_EQ(text_of(transpose_geometry(geometry_of(range({2, 3})), 0, -1, "transpose")),
            "[3, 2] [1, 3] 0");
  EXPECT_EQ(text_of(transpose_geometry(Geometry{}, 0, -1, "transpose")), "[] [] 0");
  EXPECT_ERROR(transpose_geometry(geometry_of(range({2, 3})), 0, 2, "transpose"), "IndexError",
               "transpose: dimension 2 is out of range for a tensor of 2 dimensions");
}

TEST(ViewGeometry, PermutesDimensions) {
  const Geometry base = geometry_of(range({2, 3, 4}));
  EXPECT_EQ(text_of(permute_geometry(base, list({2, 0, -2}), "permute")), "[4, 2, 3] [1, 12, 4] 0");
  EXPECT_ERROR(permute_geometry(base, list({0, 0, 1}), "permute"), "ValueError",
               "permute: the order [0, 0, 1] names dimension 0 twice");
  EXPECT_ERROR(permute_geometry(base, list({0, 1}), "permute"), "ValueError",
               "permute: the order [0, 1] must name all 3 dimensions");
}

TEST(ViewGeometry, GivesNewDimensionsOfOneElementTheStridesOfUnsqueeze) {
  const Geometry base = geometry_of(range({5}));
  EXPECT_EQ(text_of(expand_geometry(base, list({1, 1, 5}), "expand")), "[1, 1, 5] [5, 5, 1] 0");
  EXPECT_EQ(text_of(expand_geometry(base, list({1, 2, 5}), "expand")), "[1, 2, 5] [0, 0, 1] 0");
  EXPECT_EQ(text_of(expand_geometry(geometry_of(range({})), list({1, 1}), "expand")),
            "[1, 1] [0, 0] 0");
}

TEST(ViewGeometry, ExpandsSizesOfOne) {
  const Geometry base = geometry_of(range({3, 1}));
  EXPECT_EQ(text_of(expand_geometry(base, list({2, -1, 4}), "expand")), "[2, 3, 4] [0, 1, 0] 0");
  EXPECT_ERROR(expand_geometry(base, list({4, 4}), "expand"), "ValueError",
               "expand: sizes [3, 1] do not expand to [4, 4]: dimension 0 is 3, not 1");
  EXPECT_ERROR(expand_geometry(base, list({3}), "expand"), "ValueError",
               "expand: [3] has fewer dimensions than the tensor's [3, 1]");
  EXPECT_ERROR(expand_geometry(base, list({-1, 3, 1}), "expand"), "ValueError",
               "expand: -1 keeps a size, but dimension 0 of [-1, 3, 1] is new");
  EXPECT_ERROR(expand_geometry(base, list({3, -2}), "expand"), "ValueError",
               "expand: size -2 is negative in [3, -2]");
}

TEST(ViewGeometry, SelectsOneIndex) {
  const Geometry base = geometry_of(range({2, 3}));
  EXPECT_EQ(text_of(select_geometry(base, 0, int64_t{1}, "select")), "[3] [1] 3");
  EXPECT_EQ(text_of(select_geometry(base, 1, int64_t{-1}, "select")), "[2] [3] 2");
  EXPECT_ERROR(select_geometry(base, 1, int64_t{3}, "select"), "IndexError",
               "select: index 3 is out of range for dimension 1 of size 3");
  EXPECT_ERROR(select_geometry(base, 1, int64_t{-4}, "select"), "IndexError",
               "select: index -4 is out of range for dimension 1 of size 3");
}

std::string slice_text(int64_t start, int64_t end, int64_t step) {
  return text_of(slice_geometry(geometry_of(range({10})), 0, start, end, step, "slice"));
}

TEST(ViewGeometry, SlicesAsPythonDoes) {
  EXPECT_EQ(slice_text(2, 8, 1), "[6] [1] 2");
  EXPECT_EQ(slice_text(0, 10, 3), "[4] [3] 0");
  EXPECT_EQ(slice_text(-3, INT64_MAX, 1), "[3] [1] 7");
  EXPECT_EQ(slice_text(8, 2, 1), "[0] [1] 8");
  EXPECT_EQ(slice_text(20, 30, 1), "[0] [1] 10");
  EXPECT_EQ(slice_text(-100, 2, 1), "[2] [1] 0");
  EXPECT_ERROR(slice_text(0, 1, 0), "ValueError", "slice: the step must be at least 1, got 0");
}

TEST(ViewGeometry, SlicesASymbolicSize) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 8);
  const Tensor base = make_fake(std::vector<SymInt>{s0}, DType::Float32, kCpu);

  const SymGeometry slice =
      slice_geometry(sym_geometry_of(base), 0, SymInt(1), s0, SymInt(1), "slice");

  EXPECT_EQ(slice.sizes[0].specialise(), 7);
  EXPECT_TRUE(slice.sizes[0].is_symbolic());
}

TEST(ViewGeometry, AddsAndRemovesDimensionsOfSizeOne) {
  const Geometry base = geometry_of(range({2, 3}));
  EXPECT_EQ(text_of(unsqueeze_geometry(base, 1, "unsqueeze")), "[2, 1, 3] [3, 3, 1] 0");
  EXPECT_EQ(text_of(unsqueeze_geometry(base, -1, "unsqueeze")), "[2, 3, 1] [3, 1, 1] 0");
  EXPECT_EQ(text_of(squeeze_geometry(unsqueeze_geometry(base, 1, "unsqueeze"), 1, "squeeze")),
            "[2, 3] [3, 1] 0");
  EXPECT_EQ(text_of(squeeze_geometry(base, 0, "squeeze")), "[2, 3] [3, 1] 0");
}

}  // namespace
}  // namespace opwright
