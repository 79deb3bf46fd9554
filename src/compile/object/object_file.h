// An untrusted relocatable ELF object: every offset is checked before it is followed, and anything
// that the loader does not know is rejected by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "opwright/error.h"

namespace opwright {

template <class... Parts>
[[noreturn]] void refuse_object(const Parts&... parts) {
  throw_error("RuntimeError", "object code is refused: ", parts...);
}

// Views of `bytes`, which must outlive it. Section 0 and symbol 0 are unused, as in ELF.
class ObjectFile {
 public:
  // RuntimeError that says what is wrong with the header, a section or a name.
  explicit ObjectFile(std::span<const std::byte> bytes);

  [[nodiscard]] size_t num_sections() const noexcept { return sections_.size(); }
  [[nodiscard]] const Elf64_Shdr& section(size_t index) const { return sections_[index]; }
  [[nodiscard]] std::string_view section_name(size_t index) const { return section_names_[index]; }
  // Code or constants. The constructor rejects all other program sections.
  [[nodiscard]] bool is_loaded(size_t index) const noexcept;
  [[nodiscard]] std::span<const std::byte> contents(size_t index) const;

  [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
  // For a section symbol, the name of the section.
  [[nodiscard]] std::string_view symbol_name(size_t index) const;

  struct Relocation {
    Elf64_Rela entry{};
    size_t section = 0;  // whose bytes change; a loaded one
  };
  // For loaded sections; symbols are in range, and locations are entirely inside their section.
  [[nodiscard]] const std::vector<Relocation>& relocations() const noexcept { return relocations_; }

 private:
  template <class T>
  [[nodiscard]] std::vector<T> read_array(const Elf64_Shdr& section, std::string_view what) const;
  [[nodiscard]] std::string_view text_at(const Elf64_Shdr& table, uint64_t place,
                                         std::string_view what) const;
  void read_sections();
  void check_section(size_t index) const;
  void read_symbols();
  void read_relocations();

  std::span<const std::byte> bytes_;
  std::vector<Elf64_Shdr> sections_ = {};
  std::vector<std::string_view> section_names_ = {};
  std::vector<Elf64_Sym> symbols_ = {};
  size_t symbol_table_ = 0;
  std::vector<Relocation> relocations_ = {};
};

// "R_X86_64_GOTPCREL", or the number if it has no name here.
[[nodiscard]] std::string relocation_name(uint64_t type);

}  // namespace opwright
