#include "opwright/compile/object/cache_folder.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/temporary_folder.h"

namespace opwright {
namespace {

using testing::EnvironmentScope;

TEST(CacheFolder, IsTheOneOfThePackage) {
  const EnvironmentScope home("HOME", "/users/someone");
  const EnvironmentScope no_base("XDG_CACHE_HOME", nullptr);
  const EnvironmentScope no_choice("OPWRIGHT_CACHE_DIR", nullptr);
  EXPECT_EQ(cache_folder(), "/users/someone/.cache/opwright");
  const EnvironmentScope base("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(cache_folder(), "/caches/opwright");
  const EnvironmentScope chosen("OPWRIGHT_CACHE_DIR", "/chosen");
  EXPECT_EQ(cache_folder(), "/chosen");
  const EnvironmentScope in_home("OPWRIGHT_CACHE_DIR", "~/kept");
  EXPECT_EQ(cache_folder(), "/users/someone/kept");
}

TEST(CacheFolder, HasASizeWithAUnit) {
  EXPECT_EQ(parse_byte_size("1048576"), uint64_t{1} << 20);
  EXPECT_EQ(parse_byte_size("2K"), 2048u);
  EXPECT_EQ(parse_byte_size("500M"), uint64_t{500} << 20);
  EXPECT_EQ(parse_byte_size(" 1.5GiB "), uint64_t{3} << 29);
  EXPECT_EQ(parse_byte_size("1t"), uint64_t{1} << 40);
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_FALSE(parse_byte_size(""));
  EXPECT_FALSE(parse_byte_size("much"));
  EXPECT_FALSE(parse_byte_size("-1"));
  EXPECT_FALSE(parse_byte_size("1e300T"));
  EXPECT_FALSE(parse_byte_size("nan"));
}

TEST(CacheFolder, RefusesASizeThatIsNone) {
  const EnvironmentScope size("OPWRIGHT_CACHE_SIZE", "much");
  EXPECT_ERROR((void)cache_size_limit(), "ValueError",
               "OPWRIGHT_CACHE_SIZE: a size must be like 500M, 2G or 1048576, got 'much'");
}

}  // namespace
}  // namespace opwright
