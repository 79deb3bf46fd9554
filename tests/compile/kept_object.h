// The stored object of the loader's tests, and its parts to damage.
#pragma once

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <elf.h>

namespace opwright::testing {

inline constexpr const char* kKeptObject = "tests/compile/objects/scale_four.elf";

// Its bytes, in memory that is aligned for all of its parts.
class KeptObject {
 public:
  // Sections, symbols and relocations of scale_four.elf, as `readelf -a` shows them.
  enum Section : size_t { Names = 1, Text = 2, TextRelocations = 3, Constants = 4, Symbols = 6 };
  enum Symbol : size_t { Constant = 2, Nest = 3, Memcpy = 4 };
  enum Relocation : size_t { ToMemcpy = 0, ToConstant = 1 };

  KeptObject() {
    std::ifstream file(kKeptObject, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    bytes.resize(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
  }

  Elf64_Ehdr& header() { return at<Elf64_Ehdr>(0); }
  Elf64_Shdr& section(size_t index) {
    return at<Elf64_Shdr>(header().e_shoff + index * sizeof(Elf64_Shdr));
  }
  Elf64_Sym& symbol(size_t index) {
    return at<Elf64_Sym>(section(Symbols).sh_offset + index * sizeof(Elf64_Sym));
  }
  Elf64_Rela& relocation(size_t index) {
    return at<Elf64_Rela>(section(TextRelocations).sh_offset + index * sizeof(Elf64_Rela));
  }
  char* name(const Elf64_Sym& symbol) {
    return &at<char>(section(Names).sh_offset + symbol.st_name);
  }

  std::vector<std::byte> bytes = {};

 private:
  template <class T>
  T& at(size_t offset) {
    return *reinterpret_cast<T*>(bytes.data() + offset);
  }
};

}  // namespace opwright::testing
