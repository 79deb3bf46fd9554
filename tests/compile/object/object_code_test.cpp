// Covers: src/compile/object/*.
#include "opwright/compile/object/object_code.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "compile/kept_object.h"

namespace opwright {
namespace {

using testing::KeptObject;

std::array<float, 8> run_scale_four(const ObjectCode& code) {
  const std::array<float, 8> from = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<float, 8> to = {};
  std::array<int64_t, 3> context = {reinterpret_cast<intptr_t>(from.data()),
                                    reinterpret_cast<intptr_t>(to.data()), sizeof(from)};
  code.find("nest")(context.data());
  return to;
}

constexpr std::array<float, 8> kScaled = {1, 4, 9, 16, 5, 6, 7, 8};

// The error text of loading the modified object; empty if it loads.
std::string refusal(const std::function<void(KeptObject&)>& change) {
  KeptObject object;
  change(object);
  const auto error = testing::error_of([&] { (void)ObjectCode::load(object.bytes); });
  return error ? std::string(error->kind()) + ": " + error->message() : "";
}

// Whether it loads or is rejected with our own error; anything else is a failure.
bool loads(std::span<const std::byte> bytes) {
  const auto error = testing::error_of([&] { (void)ObjectCode::load(bytes); });
  const std::string text = error ? error->message() : "object code is refused: not";
  EXPECT_TRUE(text.starts_with("object code is refused: ")) << text;
  return !error;
}

// The permissions of the page of `address`, as listed by the system.
std::string page_rights(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    size_t end = 0;
    const uintptr_t begin = std::stoul(line, &end, 16);
    const size_t second = end + 1;
    const uintptr_t limit = std::stoul(line.substr(second), &end, 16);
    const auto place = reinterpret_cast<uintptr_t>(address);
    if (begin <= place && place < limit) return line.substr(second + end + 1, 4);
  }
  return "";
}

TEST(ObjectCode, RunsWhatLlvmMade) {
  const ObjectCodePtr code = ObjectCode::load(KeptObject().bytes);
  EXPECT_EQ(run_scale_four(*code), kScaled);
}

TEST(ObjectCode, TakesBytesThatAreNotAligned) {
  const std::vector<std::byte> bytes = KeptObject().bytes;
  std::vector<std::byte> shifted(1);
  shifted.insert(shifted.end(), bytes.begin(), bytes.end());
  EXPECT_EQ(run_scale_four(*ObjectCode::load(std::span(shifted).subspan(1))), kScaled);
}

TEST(ObjectCode, FindsNoFunctionOfAnotherName) {
  const ObjectCodePtr code = ObjectCode::load(KeptObject().bytes);
  EXPECT_EQ(code->find("other"), nullptr);
  EXPECT_EQ(code->find("memcpy"), nullptr);
  EXPECT_EQ(code->find(""), nullptr);
}

TEST(ObjectCode, MapsCodeThatNobodyCanWrite) {
  const ObjectCodePtr code = ObjectCode::load(KeptObject().bytes);
  const auto* function = reinterpret_cast<const std::byte*>(code->find("nest"));
  EXPECT_EQ(page_rights(function), "r-xp");
  EXPECT_EQ(page_rights(function + 4096), "r--p");  // its constants
}

TEST(ObjectCode, WritesWholeAddresses) {
  KeptObject object;
  // Eight bytes of the constants become the address of the function.
  object.section(KeptObject::TextRelocations).sh_info = KeptObject::Constants;
  object.section(KeptObject::TextRelocations).sh_size = sizeof(Elf64_Rela);
  object.relocation(0) = {
      .r_offset = 8, .r_info = ELF64_R_INFO(KeptObject::Nest, R_X86_64_64), .r_addend = 3};
  const ObjectCodePtr code = ObjectCode::load(object.bytes);
  const auto* function = reinterpret_cast<const std::byte*>(code->find("nest"));
  const std::byte* constants = function - reinterpret_cast<uintptr_t>(function) % 4096 + 4096;
  const std::byte* address = nullptr;
  std::memcpy(&address, constants + 8, sizeof(address));
  EXPECT_EQ(address, function + 3);
}

TEST(ObjectCode, RefusesWhatIsNoObjectOfThisMachine) {
  EXPECT_ERROR((void)ObjectCode::load({}), "RuntimeError",
               "object code is refused: it ends within its header");
  EXPECT_EQ(refusal([](KeptObject& object) { object.header().e_ident[0] = 'x'; }),
            "RuntimeError: object code is refused: it is not an ELF file");
  EXPECT_EQ(refusal([](KeptObject& object) { object.header().e_ident[EI_CLASS] = ELFCLASS32; }),
            "RuntimeError: object code is refused: it is ELF of class 1, not of 64 bits");
  EXPECT_EQ(refusal([](KeptObject& object) { object.header().e_ident[EI_DATA] = ELFDATA2MSB; }),
            "RuntimeError: object code is refused: it is not little-endian");
  EXPECT_EQ(refusal([](KeptObject& object) { object.header().e_machine = EM_AARCH64; }),
            "RuntimeError: object code is refused: it is for machine 183, not for x86-64 (62)");
  EXPECT_EQ(refusal([](KeptObject& object) { object.header().e_type = ET_DYN; }),
            "RuntimeError: object code is refused: it is ELF of type 3, not relocatable (1)");
}

TEST(ObjectCode, RefusesSymbolsFromOutsideByName) {
  EXPECT_EQ(
      refusal([](KeptObject& object) { object.name(object.symbol(KeptObject::Memcpy))[3] = 'x'; }),
      "RuntimeError: object code is refused: it needs 'memxpy' from outside; memcpy, memset "
      "and memmove alone are there");
}

TEST(ObjectCode, RefusesSectionsThatAreNeitherCodeNorConstants) {
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::Constants).sh_flags |= SHF_WRITE;
            }),
            "RuntimeError: object code is refused: section .rodata.cst16 is writable; code and "
            "constants alone are loaded");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::Constants).sh_type = SHT_X86_64_UNWIND;
            }),
            "RuntimeError: object code is refused: section .rodata.cst16 is of type 1879048193; "
            "code and constants alone are loaded");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::Constants).sh_flags |= SHF_TLS;
            }),
            "RuntimeError: object code is refused: section .rodata.cst16 has flags 1024 that are "
            "not known here");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::Constants).sh_addralign = 8192;
            }),
            "RuntimeError: object code is refused: section .rodata.cst16 is aligned to 8192 bytes");
  EXPECT_EQ(
      refusal([](KeptObject& object) { object.section(KeptObject::Constants).sh_addralign = 24; }),
      "RuntimeError: object code is refused: section .rodata.cst16 is aligned to 24 bytes");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::Constants).sh_size = ~uint64_t{0};
            }),
            "RuntimeError: object code is refused: section .rodata.cst16 lies outside of it");
}

TEST(ObjectCode, RefusesRelocationsThatItDoesNotKnow) {
  const auto with_type = [](uint64_t type) {
    return [type](KeptObject& object) {
      object.relocation(1).r_info = ELF64_R_INFO(uint64_t{KeptObject::Constant}, type);
    };
  };
  EXPECT_EQ(refusal(with_type(R_X86_64_GOTPCREL)),
            "RuntimeError: object code is refused: relocation R_X86_64_GOTPCREL in .rela.text is "
            "not known here");
  EXPECT_EQ(refusal(with_type(99)),
            "RuntimeError: object code is refused: relocation number 99 in .rela.text is not known "
            "here");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.section(KeptObject::TextRelocations).sh_type = SHT_REL;
            }),
            "RuntimeError: object code is refused: section .rela.text has relocations without "
            "addends");
}

TEST(ObjectCode, RefusesRelocationsThatLeadAstray) {
  EXPECT_EQ(refusal([](KeptObject& object) { object.relocation(0).r_offset = 32; }),
            "RuntimeError: object code is refused: a relocation of .rela.text lies outside of its "
            "section");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.relocation(0).r_info = ELF64_R_INFO(uint64_t{5}, R_X86_64_PC32);
            }),
            "RuntimeError: object code is refused: a relocation of .rela.text has a symbol that is "
            "not there");
  EXPECT_EQ(refusal([](KeptObject& object) { object.relocation(0).r_addend = int64_t{1} << 32; }),
            "RuntimeError: object code is refused: a relocation in .text leads too far away");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.symbol(KeptObject::Constant).st_shndx = KeptObject::Names;
            }),
            "RuntimeError: object code is refused: a relocation in .text leads to '.LCPI0_0', "
            "which is not loaded");
}

TEST(ObjectCode, RefusesSymbolsThatAreNotWhereTheySay) {
  EXPECT_EQ(refusal([](KeptObject& object) { object.symbol(KeptObject::Nest).st_value = 36; }),
            "RuntimeError: object code is refused: symbol 'nest' lies outside of its section");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.symbol(KeptObject::Constant).st_shndx = SHN_COMMON;
            }),
            "RuntimeError: object code is refused: it has a variable '.LCPI0_0'");
  EXPECT_EQ(
      refusal([](KeptObject& object) { object.symbol(KeptObject::Nest).st_name = ~uint32_t{0}; }),
      "RuntimeError: object code is refused: a symbol's name lies outside of its table");
  EXPECT_EQ(refusal([](KeptObject& object) {
              object.symbol(KeptObject::Constant) = object.symbol(KeptObject::Nest);
            }),
            "RuntimeError: object code is refused: it has two functions 'nest'");
}

TEST(ObjectCode, RefusesAnObjectThatEndsEarly) {
  const std::vector<std::byte> bytes = KeptObject().bytes;
  for (size_t length = 0; length < bytes.size(); ++length) {
    // A separate copy, so that the sanitizer detects reads beyond its end.
    const std::vector<std::byte> part(bytes.begin(),
                                      bytes.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_FALSE(loads(part)) << length;
  }
}

TEST(ObjectCode, LoadsOrRefusesWhateverOneByteIsChangedTo) {
  std::vector<std::byte> bytes = KeptObject().bytes;
  size_t num_refused = 0;
  for (std::byte& byte : bytes) {
    const std::byte before = byte;
    for (int bit = 0; bit < 8; ++bit) {
      byte = before ^ std::byte(1 << bit);
      num_refused += loads(bytes) ? 0 : 1;
    }
    byte = before;
  }
  EXPECT_GT(num_refused, bytes.size());
}

}  // namespace
}  // namespace opwright
