#include "opwright/compile/object/code_maker.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/kept_object.h"
#include "compile/temporary_folder.h"
#include "opwright/base/warning.h"
#include "opwright/compile/object/llvm_c_api.h"

namespace opwright {
namespace {

using testing::EnvironmentScope;
using testing::KeptObject;
using testing::TemporaryFolder;

// A maker that returns the stored object for any text and counts calls; with its own cache.
class CodeMaker : public ::testing::Test {
 protected:
  CodeMaker() { use_maker("1"); }
  ~CodeMaker() override { set_object_maker(nullptr); }

  void use_maker(const std::string& version) {
    set_object_maker([this, version] {
      ObjectMaker maker;
      maker.name = "counting";
      maker.version = version;
      maker.make = [this](std::string_view /*ir*/) {
        ++num_made;
        return KeptObject().bytes;
      };
      return maker;
    });
  }
  std::string only_file() {
    return std::filesystem::directory_iterator(folder.path("code"))->path().string();
  }

  TemporaryFolder folder;
  EnvironmentScope cache{"OPWRIGHT_CACHE_DIR", folder.path().c_str()};
  EnvironmentScope no_llvm{"OPWRIGHT_LLVM", "/nowhere/libLLVM.so"};
  std::atomic<int> num_made = 0;
};

TEST_F(CodeMaker, MakesTheCodeOfATextOnce) {
  const ObjectCodePtr code = code_for("a text");
  ASSERT_TRUE(code);
  EXPECT_NE(code->find("nest"), nullptr);
  EXPECT_EQ(code_for("a text"), code);
  EXPECT_EQ(num_made, 1);
  EXPECT_NE(code_for("another text"), code);
  EXPECT_EQ(num_made, 2);
}

TEST_F(CodeMaker, ReadsWhatAnEarlierRunMade) {
  (void)code_for("kept text");
  drop_unused_code();
  ASSERT_TRUE(code_for("kept text"));
  EXPECT_EQ(num_made, 1);
}

TEST_F(CodeMaker, MakesADamagedFileAgain) {
  (void)code_for("damaged text");
  const std::string file = only_file();
  std::ofstream(file, std::ios::binary) << "something else";
  drop_unused_code();
  ASSERT_TRUE(code_for("damaged text"));
  EXPECT_EQ(num_made, 2);
  drop_unused_code();
  ASSERT_TRUE(code_for("damaged text"));
  EXPECT_EQ(num_made, 2);
}

TEST_F(CodeMaker, MakesCodeAgainForAnotherVersionOfItsMaker) {
  (void)code_for("a text of two versions");
  use_maker("2");
  (void)code_for("a text of two versions");
  EXPECT_EQ(num_made, 2);
}

TEST_F(CodeMaker, KeepsNothingWhenTheCacheIsSwitchedOff) {
  const EnvironmentScope off("OPWRIGHT_CODE_CACHE", "0");
  ASSERT_TRUE(code_for("an unkept text"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("code")));
}

TEST_F(CodeMaker, GivesOneObjectToThreadsThatAskAtOnce) {
  std::array<ObjectCodePtr, 4> code;
  std::vector<std::thread> threads;
  for (ObjectCodePtr& each : code)
    threads.emplace_back([&each] { each = code_for("shared text"); });
  for (std::thread& thread : threads) thread.join();
  for (const ObjectCodePtr& each : code) EXPECT_EQ(each, code[0]);
}

TEST_F(CodeMaker, PassesOnWhatItsMakerRefuses) {
  set_object_maker([] {
    ObjectMaker maker;
    maker.name = "refusing";
    maker.make = [](std::string_view ir) -> std::vector<std::byte> {
      throw_error("RuntimeError", "cannot take ", ir);
    };
    return maker;
  });
  EXPECT_ERROR((void)code_for("a wrong text"), "RuntimeError", "cannot take a wrong text");
}

std::string warnings;  // NOLINT: what the handler below got, which has no self

TEST_F(CodeMaker, SaysOnceWhatToInstallWhereNothingMakesCode) {
  set_object_maker([] { return ObjectMaker(); });
  set_warning_handler([](const char* category, const std::string& text) {
    warnings += std::string(category) + ": " + text + "\n";
  });
  EXPECT_FALSE(code_for("a text"));
  EXPECT_FALSE(code_for("another text"));
  set_warning_handler(nullptr);
  EXPECT_EQ(warnings,
            "PerformanceWarning: compile: no LLVM was found to make machine code, so "
            "compiled functions run as plans of operators, which is slower; `pip install "
            "'opwright[compile]'` installs llvmlite, or install LLVM 19 or newer (Debian: "
            "libllvm19)\n");
  EXPECT_EQ(assembly_for("a text"), "");
}

TEST_F(CodeMaker, PassesOverAMakerThatCannotWork) {
  set_object_maker([] {
    ObjectMaker maker;
    maker.name = "broken";
    maker.make = [](std::string_view /*ir*/) { return std::vector<std::byte>(); };
    return maker;
  });
  set_warning_handler([](const char* /*category*/, const std::string& /*text*/) {});
  EXPECT_FALSE(code_for("a text"));
  set_warning_handler(nullptr);
}

}  // namespace
}  // namespace opwright
