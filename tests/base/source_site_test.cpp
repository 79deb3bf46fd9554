// Covers: src/base/intern.
#include "opwright/base/source_site.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/base/intern.h"

namespace opwright {
namespace {

TEST(SourceSite, ReadsAsFileAndLine) {
  const SourceSite site = {"operators/soft_clip.cpp", 30};
  EXPECT_EQ(site.text(), "operators/soft_clip.cpp:30");
  EXPECT_EQ(concatenate("registered at ", site), "registered at operators/soft_clip.cpp:30");
  EXPECT_EQ(SourceSite().text(), "(unknown)");
}

TEST(SourceSite, TakesTheLineOfItsCaller) {
  const SourceSite site = SourceSite::of();
  EXPECT_EQ(site.line, static_cast<uint32_t>(__LINE__ - 1));
  EXPECT_STREQ(site.file, __FILE__);
}

TEST(Intern, GivesOnePointerForOneText) {
  std::string text = "a/file.cpp";
  const char* interned = intern(text);
  text[0] = 'b';

  EXPECT_STREQ(interned, "a/file.cpp");
  EXPECT_EQ(intern("a/file.cpp"), interned);
  EXPECT_NE(intern(text), interned);
}

TEST(Intern, AgreesBetweenThreads) {
  std::vector<std::vector<const char*>> found(8);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 500; ++i) mine.push_back(intern(concatenate("name", i)));
    });
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

}  // namespace
}  // namespace opwright
