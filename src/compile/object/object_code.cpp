#include "opwright/compile/object/object_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/compile/object/object_file.h"
#include "opwright/error.h"

namespace opwright {

struct ObjectCode::Body {
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() {
    if (memory) munmap(memory, size);
  }

  std::byte* memory = nullptr;
  size_t size = 0;
  std::vector<std::pair<std::string, std::byte*>> functions = {};
};

namespace {

constexpr size_t kStubBytes = 16;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;
constexpr uint64_t kNowhere = ~uint64_t{0};

struct OutsideFunction {
  std::string_view name;
  void* address;
};
const std::array kOutsideFunctions = {
    OutsideFunction{"memcpy", reinterpret_cast<void*>(&std::memcpy)},
    OutsideFunction{"memset", reinterpret_cast<void*>(&std::memset)},
    OutsideFunction{"memmove", reinterpret_cast<void*>(&std::memmove)},
};

// A near jump to a function that may be more than 2 GiB away: jmp *[rip + 0], then its address.
void write_stub(std::byte* at, void* target) {
  constexpr std::array<unsigned char, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(at, kJump.data(), kJump.size());
  const auto address = reinterpret_cast<uintptr_t>(target);
  std::memcpy(at + kJump.size(), &address, sizeof(address));
}

uint64_t round_up(uint64_t number, uint64_t alignment) {
  return (number + alignment - 1) & ~(alignment - 1);
}

bool is_code(const Elf64_Shdr& section) { return (section.sh_flags & SHF_EXECINSTR) != 0; }

// The layout of an object's sections: stubs and code first, then constants on a new page.
struct CodeLayout {
  std::vector<uint64_t> places = {};  // of each section; kNowhere: not loaded
  uint64_t code_bytes = 0;            // full pages
  uint64_t bytes = 0;
};

CodeLayout lay_out_code(const ObjectFile& file) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  CodeLayout layout;
  layout.places.assign(file.num_sections(), kNowhere);
  layout.bytes = kStubBytes * kOutsideFunctions.size();
  for (const bool is_code_next : {true, false}) {
    for (size_t i = 1; i < file.num_sections(); ++i) {
      const Elf64_Shdr& section = file.section(i);
      if (!file.is_loaded(i) || is_code(section) != is_code_next) continue;
      const uint64_t alignment = section.sh_addralign == 0 ? 1 : section.sh_addralign;
      if (alignment > page || (alignment & (alignment - 1)) != 0)
        refuse_object("section ", file.section_name(i), " is aligned to ", alignment, " bytes");
      layout.places[i] = round_up(layout.bytes, alignment);
      // Each size is less than the file's, so the sum cannot wrap.
      layout.bytes = layout.places[i] + section.sh_size;
      if (layout.bytes > kMostBytes) refuse_object("it has more than ", kMostBytes, " bytes");
    }
    layout.bytes = round_up(layout.bytes, page);
    if (is_code_next) layout.code_bytes = layout.bytes;
  }
  return layout;
}

std::byte* find_outside(std::string_view name, std::byte* stubs) {
  for (size_t i = 0; i < kOutsideFunctions.size(); ++i)
    if (name == kOutsideFunctions[i].name) return stubs + i * kStubBytes;
  refuse_object("it needs '", name, "' from outside; memcpy, memset and memmove alone are there");
}

// Null if the symbol has no location in memory.
std::byte* place_symbol(const ObjectFile& file, const CodeLayout& layout, size_t index,
                        std::byte* memory) {
  const Elf64_Sym& symbol = file.symbols()[index];
  if (symbol.st_shndx == SHN_UNDEF) return find_outside(file.symbol_name(index), memory);
  if (symbol.st_shndx == SHN_COMMON)
    refuse_object("it has a variable '", file.symbol_name(index), "'");
  if (symbol.st_shndx >= layout.places.size()) return nullptr;
  const uint64_t place = layout.places[symbol.st_shndx];
  if (place == kNowhere) return nullptr;
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type == STT_TLS || type == STT_GNU_IFUNC)
    refuse_object("symbol '", file.symbol_name(index), "' is of type ", type);
  if (symbol.st_value > file.section(symbol.st_shndx).sh_size)
    refuse_object("symbol '", file.symbol_name(index), "' lies outside of its section");
  return memory + place + symbol.st_value;
}

bool is_function(const ObjectFile& file, const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
         is_code(file.section(symbol.st_shndx)) &&
         symbol.st_value < file.section(symbol.st_shndx).sh_size;
}

void relocate(const ObjectFile& file, const CodeLayout& layout,
              const std::vector<std::byte*>& addresses, std::byte* memory) {
  for (const auto& [entry, section] : file.relocations()) {
    const size_t symbol = ELF64_R_SYM(entry.r_info);
    if (!addresses[symbol])
      refuse_object("a relocation in ", file.section_name(section), " leads to '",
                    file.symbol_name(symbol), "', which is not loaded");
    std::byte* place = memory + layout.places[section] + entry.r_offset;
    // Addends may be any number: unsigned sums wrap and are checked afterwards.
    const uint64_t target =
        reinterpret_cast<uintptr_t>(addresses[symbol]) + static_cast<uint64_t>(entry.r_addend);
    if (ELF64_R_TYPE(entry.r_info) == R_X86_64_64) {
      std::memcpy(place, &target, sizeof(target));
      continue;
    }
    const auto distance = static_cast<int64_t>(target - reinterpret_cast<uintptr_t>(place));
    const auto narrow = static_cast<int32_t>(distance);
    if (narrow != distance)
      refuse_object("a relocation in ", file.section_name(section), " leads too far away");
    std::memcpy(place, &narrow, sizeof(narrow));
  }
}

void protect(std::byte* begin, size_t size, int protection) {
  if (size == 0 || mprotect(begin, size, protection) == 0) return;
  const int problem = errno;
  throw_error("RuntimeError", "the system does not allow executable memory: ",
              std::string_view(std::strerror(problem)));
}

}  // namespace

bool ObjectCode::is_allowed() noexcept {
  constexpr size_t kAnySize = 4096;
  void* memory =
      mmap(nullptr, kAnySize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const bool is_allowed = mprotect(memory, kAnySize, PROT_READ | PROT_EXEC) == 0;
  munmap(memory, kAnySize);
  return is_allowed;
}

IntrusivePtr<const ObjectCode> ObjectCode::load(std::span<const std::byte> object) {
  const ObjectFile file(object);
  const CodeLayout layout = lay_out_code(file);
  auto body = std::make_unique<Body>();
  void* memory =
      mmap(nullptr, layout.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  OPWRIGHT_CHECK(memory != MAP_FAILED, "there is no memory for ", layout.bytes, " bytes of code");
  body->memory = static_cast<std::byte*>(memory);
  body->size = layout.bytes;
  for (size_t i = 0; i < kOutsideFunctions.size(); ++i)
    write_stub(body->memory + i * kStubBytes, kOutsideFunctions[i].address);
  for (size_t i = 1; i < file.num_sections(); ++i) {
    if (layout.places[i] == kNowhere) continue;
    const std::span<const std::byte> contents = file.contents(i);
    std::memcpy(body->memory + layout.places[i], contents.data(), contents.size());
  }

  std::vector<std::byte*> addresses(file.symbols().size(), nullptr);
  for (size_t i = 1; i < addresses.size(); ++i) {
    addresses[i] = place_symbol(file, layout, i, body->memory);
    const Elf64_Sym& symbol = file.symbols()[i];
    if (!addresses[i] || symbol.st_shndx == SHN_UNDEF || !is_function(file, symbol)) continue;
    const std::string_view name = file.symbol_name(i);
    for (const auto& [other, _] : body->functions)
      if (other == name) refuse_object("it has two functions '", name, "'");
    body->functions.emplace_back(name, addresses[i]);
  }
  relocate(file, layout, addresses, body->memory);
  protect(body->memory, layout.code_bytes, PROT_READ | PROT_EXEC);
  protect(body->memory + layout.code_bytes, layout.bytes - layout.code_bytes, PROT_READ);
  return IntrusivePtr<const ObjectCode>::take(new ObjectCode(body.release()));
}

ObjectCode::~ObjectCode() { delete body_; }

ObjectCode::Function ObjectCode::find(std::string_view name) const noexcept {
  for (const auto& [each, address] : body_->functions)
    if (each == name) return reinterpret_cast<Function>(address);
  return nullptr;
}

}  // namespace opwright
