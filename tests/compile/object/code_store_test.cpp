// Covers: src/base/file_replacement, src/base/warning.
#include "opwright/compile/object/code_store.h"

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/temporary_folder.h"
#include "opwright/base/warning.h"

namespace opwright {
namespace {

using testing::EnvironmentScope;
using testing::TemporaryFolder;

constexpr uint64_t kRoom = 1 << 20;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

mode_t rights_of(const std::string& path) {
  struct stat status{};
  stat(path.c_str(), &status);
  return status.st_mode & 0777;
}

size_t num_files(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                           std::filesystem::directory_iterator()));
}

TEST(CodeStore, GivesWhatWasKept) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path("deep/code"), kRoom);
  EXPECT_FALSE(store.find("key"));
  store.keep("key", bytes_of("some code"));
  EXPECT_EQ(store.find("key"), bytes_of("some code"));
  EXPECT_FALSE(store.find("other"));
}

TEST(CodeStore, KeepsItsFilesForTheUserAlone) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path("deep/code"), kRoom);
  store.keep("key", bytes_of("some code"));
  EXPECT_EQ(rights_of(folder.path("deep")), 0700u);
  EXPECT_EQ(rights_of(folder.path("deep/code")), 0700u);
  EXPECT_EQ(rights_of(folder.path("deep/code/key")), 0600u);
}

TEST(CodeStore, ReplacesWhatItHas) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path(), kRoom);
  store.keep("key", bytes_of("some code"));
  store.keep("key", bytes_of("better code"));
  EXPECT_EQ(store.find("key"), bytes_of("better code"));
  EXPECT_EQ(num_files(folder.path()), 1u);
}

TEST(CodeStore, TakesNoFileThatWasChangedOrCut) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path(), kRoom);
  store.keep("key", bytes_of("some code"));
  const std::string whole = read_file(folder.path("key"));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(folder.path("key"), changed);
    EXPECT_FALSE(store.find("key")) << i;
    write_file(folder.path("key"), whole.substr(0, i));
    EXPECT_FALSE(store.find("key")) << i;
  }
  write_file(folder.path("key"), whole + "x");
  EXPECT_FALSE(store.find("key"));
  store.keep("key", bytes_of("some code"));
  EXPECT_EQ(store.find("key"), bytes_of("some code"));
}

TEST(CodeStore, TakesNoFileUnderAnotherName) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path(), kRoom);
  store.keep("key", bytes_of("some code"));
  std::filesystem::rename(folder.path("key"), folder.path("other"));
  EXPECT_FALSE(store.find("other"));
}

TEST(CodeStore, TakesNoFileThatOthersMayWriteAndNoLink) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path(), kRoom);
  store.keep("key", bytes_of("some code"));
  chmod(folder.path("key").c_str(), 0666);
  EXPECT_FALSE(store.find("key"));
  chmod(folder.path("key").c_str(), 0600);
  EXPECT_TRUE(store.find("key"));
  std::filesystem::rename(folder.path("key"), folder.path("moved"));
  std::filesystem::create_symlink("moved", folder.path("key"));
  EXPECT_FALSE(store.find("key"));
}

std::string warning_text;  // NOLINT: what the handler below got, which has no self

TEST(CodeStore, RefusesAFolderThatOthersMayWriteAndSaysSoOnce) {
  const TemporaryFolder folder;
  chmod(folder.path().c_str(), 0777);
  const CodeStore store(folder.path(), kRoom);
  set_warning_handler([](const char* category, const std::string& text) {
    warning_text += std::string(category) + ": " + text + "\n";
  });
  store.keep("key", bytes_of("some code"));
  EXPECT_FALSE(store.find("key"));
  set_warning_handler(nullptr);
  EXPECT_EQ(warning_text,
            "PerformanceWarning: the code of compiled functions is not kept in " + folder.path() +
                ", which other users own or can write: code that they put there would run. Make "
                "the folder private (chmod 700), or set OPWRIGHT_CACHE_DIR to another one\n");
  EXPECT_EQ(num_files(folder.path()), 0u);
}

TEST(CodeStore, RemovesWhatWasNotUsedForLongest) {
  const TemporaryFolder folder;
  const CodeStore store(folder.path(), 900);
  const std::string object(200, 'x');
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const char* key : {"first", "second", "third"}) {
    store.keep(key, bytes_of(object));
    std::filesystem::last_write_time(folder.path(key), now - std::chrono::hours(1));
  }
  EXPECT_TRUE(store.find("first"));  // now most recently used
  store.keep("fourth", bytes_of(object));
  EXPECT_TRUE(store.find("first"));
  EXPECT_TRUE(store.find("fourth"));
  EXPECT_EQ(num_files(folder.path()), 3u);
}

TEST(CodeStore, RemovesWhatKilledWritersLeftADayAgo) {
  const TemporaryFolder folder;
  const auto now = std::filesystem::file_time_type::clock::now();
  write_file(folder.path(".1.1.tmp"), "half");
  write_file(folder.path(".1.2.tmp"), "half");
  std::filesystem::last_write_time(folder.path(".1.1.tmp"), now - std::chrono::hours(25));
  CodeStore(folder.path(), 1000).keep("key", bytes_of(std::string(100, 'x')));
  EXPECT_FALSE(std::filesystem::exists(folder.path(".1.1.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.path(".1.2.tmp")));
}

TEST(CodeStore, KeepsNothingInAPlaceThatIsNoFolder) {
  const TemporaryFolder folder;
  write_file(folder.path("file"), "");
  const CodeStore store(folder.path("file/code"), kRoom);
  store.keep("key", bytes_of("some code"));
  EXPECT_FALSE(store.find("key"));
}

TEST(CodeStore, LiesWhereTheEnvironmentSays) {
  const EnvironmentScope chosen("OPWRIGHT_CACHE_DIR", "/chosen");
  EXPECT_EQ(CodeStore::from_environment()->folder(), "/chosen/code");
}

TEST(CodeStore, IsSwitchedOffByAVariable) {
  const EnvironmentScope off("OPWRIGHT_CODE_CACHE", "0");
  EXPECT_FALSE(CodeStore::from_environment());
}

}  // namespace
}  // namespace opwright
