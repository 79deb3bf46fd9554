#include "opwright/compile/object/object_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>

#include "opwright/error.h"

namespace opwright {
namespace {

constexpr uint64_t kKnownFlags = SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS;

Elf64_Ehdr read_header(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) refuse_object("it ends within its header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) refuse_object("it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    refuse_object("it is ELF of class ", int{header.e_ident[EI_CLASS]}, ", not of 64 bits");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) refuse_object("it is not little-endian");
  if (header.e_machine != EM_X86_64)
    refuse_object("it is for machine ", header.e_machine, ", not for x86-64 (", EM_X86_64, ")");
  if (header.e_type != ET_REL)
    refuse_object("it is ELF of type ", header.e_type, ", not relocatable (", ET_REL, ")");
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    refuse_object("its section headers have ", header.e_shentsize, " bytes each, not ",
                  sizeof(Elf64_Shdr));
  return header;
}

// Whether `count` items of `size` bytes starting at `offset` fit into `total` bytes.
bool fits(uint64_t total, uint64_t offset, uint64_t count, uint64_t size) {
  return offset <= total && count <= (total - offset) / size;
}

}  // namespace

std::string relocation_name(uint64_t type) {
  constexpr auto kNames =
      std::to_array<std::pair<uint64_t, const char*>>({{R_X86_64_NONE, "NONE"},
                                                       {R_X86_64_64, "64"},
                                                       {R_X86_64_PC32, "PC32"},
                                                       {R_X86_64_GOT32, "GOT32"},
                                                       {R_X86_64_PLT32, "PLT32"},
                                                       {R_X86_64_GOTPCREL, "GOTPCREL"},
                                                       {R_X86_64_32, "32"},
                                                       {R_X86_64_32S, "32S"},
                                                       {R_X86_64_PC64, "PC64"},
                                                       {R_X86_64_GOTOFF64, "GOTOFF64"},
                                                       {R_X86_64_GOTPC32, "GOTPC32"},
                                                       {R_X86_64_GOTPC64, "GOTPC64"},
                                                       {R_X86_64_PLTOFF64, "PLTOFF64"},
                                                       {R_X86_64_GOTPCRELX, "GOTPCRELX"},
                                                       {R_X86_64_REX_GOTPCRELX, "REX_GOTPCRELX"}});
  for (const auto& [number, name] : kNames)
    if (number == type) return concatenate("R_X86_64_", name);
  return concatenate("number ", type);
}

ObjectFile::ObjectFile(std::span<const std::byte> bytes) : bytes_(bytes) {
  read_sections();
  read_symbols();
  read_relocations();
}

bool ObjectFile::is_loaded(size_t index) const noexcept {
  const Elf64_Shdr& section = sections_[index];
  return index != 0 && (section.sh_flags & SHF_ALLOC) != 0 && section.sh_size != 0;
}

std::span<const std::byte> ObjectFile::contents(size_t index) const {
  return bytes_.subspan(sections_[index].sh_offset, sections_[index].sh_size);
}

std::string_view ObjectFile::symbol_name(size_t index) const {
  const Elf64_Sym& symbol = symbols_[index];
  if (ELF64_ST_TYPE(symbol.st_info) == STT_SECTION && symbol.st_shndx < sections_.size())
    return section_names_[symbol.st_shndx];
  return text_at(sections_[sections_[symbol_table_].sh_link], symbol.st_name, "a symbol's name");
}

template <class T>
std::vector<T> ObjectFile::read_array(const Elf64_Shdr& section, std::string_view what) const {
  const uint64_t count = section.sh_size / sizeof(T);
  if (section.sh_size % sizeof(T) != 0 || !fits(bytes_.size(), section.sh_offset, count, sizeof(T)))
    refuse_object(what, " lie outside of it");
  std::vector<T> items(count);
  if (count != 0) std::memcpy(items.data(), bytes_.data() + section.sh_offset, count * sizeof(T));
  return items;
}

std::string_view ObjectFile::text_at(const Elf64_Shdr& table, uint64_t place,
                                     std::string_view what) const {
  if (!fits(bytes_.size(), table.sh_offset, table.sh_size, 1) || place >= table.sh_size)
    refuse_object(what, " lies outside of its table");
  const auto* text = reinterpret_cast<const char*>(bytes_.data() + table.sh_offset + place);
  const void* end = std::memchr(text, 0, table.sh_size - place);
  if (!end) refuse_object(what, " does not end within its table");
  return {text, static_cast<size_t>(static_cast<const char*>(end) - text)};
}

void ObjectFile::read_sections() {
  const Elf64_Ehdr header = read_header(bytes_);
  if (header.e_shnum == 0) refuse_object("it has no sections");
  if (header.e_shstrndx >= header.e_shnum) refuse_object("its sections have no names");
  Elf64_Shdr all{};
  all.sh_offset = header.e_shoff;
  all.sh_size = header.e_shnum * sizeof(Elf64_Shdr);
  sections_ = read_array<Elf64_Shdr>(all, "its section headers");
  for (const Elf64_Shdr& section : sections_) {
    section_names_.push_back(
        text_at(sections_[header.e_shstrndx], section.sh_name, "a section's name"));
  }
  for (size_t i = 1; i < sections_.size(); ++i) check_section(i);
}

void ObjectFile::check_section(size_t index) const {
  if (!is_loaded(index)) return;
  const Elf64_Shdr& section = sections_[index];
  const std::string_view name = section_names_[index];
  if ((section.sh_flags & SHF_WRITE) != 0)
    refuse_object("section ", name, " is writable; code and constants alone are loaded");
  if (section.sh_type != SHT_PROGBITS)
    refuse_object("section ", name, " is of type ", section.sh_type,
                  "; code and constants alone are loaded");
  if ((section.sh_flags & ~kKnownFlags) != 0)
    refuse_object("section ", name, " has flags ", section.sh_flags & ~kKnownFlags,
                  " that are not known here");
  if (!fits(bytes_.size(), section.sh_offset, section.sh_size, 1))
    refuse_object("section ", name, " lies outside of it");
}

void ObjectFile::read_symbols() {
  for (size_t i = 1; i < sections_.size(); ++i) {
    if (sections_[i].sh_type != SHT_SYMTAB) continue;
    if (symbol_table_ != 0) refuse_object("it has two tables of symbols");
    symbol_table_ = i;
  }
  if (symbol_table_ == 0) refuse_object("it has no symbols");
  if (sections_[symbol_table_].sh_link >= sections_.size())
    refuse_object("its symbols have no names");
  symbols_ = read_array<Elf64_Sym>(sections_[symbol_table_], "its symbols");
}

void ObjectFile::read_relocations() {
  for (size_t i = 1; i < sections_.size(); ++i) {
    const Elf64_Shdr& section = sections_[i];
    const bool is_plain = section.sh_type == SHT_REL;
    if (!is_plain && section.sh_type != SHT_RELA) continue;
    if (section.sh_info >= sections_.size())
      refuse_object("section ", section_names_[i], " changes a section that is not there");
    if (!is_loaded(section.sh_info)) continue;
    if (is_plain) refuse_object("section ", section_names_[i], " has relocations without addends");
    for (const Elf64_Rela& entry : read_array<Elf64_Rela>(section, section_names_[i])) {
      const uint64_t type = ELF64_R_TYPE(entry.r_info);
      const uint64_t width = type == R_X86_64_64 ? 8 : 4;
      if (type != R_X86_64_64 && type != R_X86_64_PC32 && type != R_X86_64_PLT32)
        refuse_object("relocation ", relocation_name(type), " in ", section_names_[i],
                      " is not known here");
      if (ELF64_R_SYM(entry.r_info) >= symbols_.size())
        refuse_object("a relocation of ", section_names_[i], " has a symbol that is not there");
      if (!fits(sections_[section.sh_info].sh_size, entry.r_offset, 1, width))
        refuse_object("a relocation of ", section_names_[i], " lies outside of its section");
      relocations_.push_back({.entry = entry, .section = section.sh_info});
    }
  }
}

}  // namespace opwright
