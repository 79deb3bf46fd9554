#include "opwright/dispatch/tag_name.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright {
namespace {

TEST(TagName, EveryNameReadsBackAsItsTag) {
  const Tags all = Tags::from_bits((uint64_t{1} << (static_cast<int>(Tag::Ordered) + 1)) - 1);
  uint64_t bits = 0;
  for (const std::string& name : tag_names(all)) bits |= Tags{parse_tag(name)}.bits();

  EXPECT_EQ(bits, all.bits());
}

TEST(TagName, AnUnknownNameIsRefusedWithTheClosest) {
  EXPECT_ERROR(parse_tag("pointwize"), "ValueError",
               "there is no tag 'pointwize'; did you mean 'pointwise'?");
  EXPECT_ERROR(parse_tag("fast"), "ValueError", "there is no tag 'fast'");
}

}  // namespace
}  // namespace opwright
