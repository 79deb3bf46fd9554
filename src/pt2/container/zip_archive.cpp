#include "opwright/pt2/container/zip_archive.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/utf8.h"
#include "opwright/pt2/container/zip_format.h"

namespace opwright::pt2 {
namespace {

// A part of the file, read at offsets that are checked.
class Record {
 public:
  Record(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  template <class T>
  [[nodiscard]] T number(size_t at) const {
    T value = 0;
    std::memcpy(&value, part(at, sizeof(T)).data(), sizeof(T));
    return value;
  }
  [[nodiscard]] std::string_view part(uint64_t at, uint64_t size) const {
    OPWRIGHT_CHECK_VALUE(at <= bytes_.size() && size <= bytes_.size() - at, origin_,
                         ": the archive is truncated or damaged: ", size, " bytes at ", at,
                         " are beyond the end of ", bytes_.size());
    return bytes_.substr(at, size);
  }
  [[nodiscard]] Record record(uint64_t at, uint64_t size) const {
    return {part(at, size), origin_};
  }

 private:
  std::string_view bytes_;
  const std::string& origin_;
};

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

// The end record is the last one, followed only by its comment.
size_t find_end(std::string_view bytes, const std::string& origin) {
  constexpr size_t kMostCommentBytes = 0xffff;
  const size_t tail_bytes = std::min(bytes.size(), kEndBytes + kMostCommentBytes);
  const size_t tail = bytes.size() - tail_bytes;
  const size_t found = bytes.substr(tail).rfind(kEnd);
  OPWRIGHT_CHECK_VALUE(found != std::string_view::npos && tail_bytes - found >= kEndBytes, origin,
                       ": not a complete zip file: it has no end record");
  const size_t at = tail + found;
  const size_t comment = Record(bytes, origin).number<uint16_t>(at + kEndBytes - 2);
  OPWRIGHT_CHECK_VALUE(at + kEndBytes + comment == bytes.size(), origin, ": not a complete zip ",
                       "file: its end record is followed by ", bytes.size() - at - kEndBytes,
                       " bytes, but states ", comment);
  return at;
}

Directory find_directory(std::string_view bytes, const std::string& origin) {
  const Record file(bytes, origin);
  const size_t at = find_end(bytes, origin);
  const Record end = file.record(at, kEndBytes);
  Directory found{.offset = end.number<uint32_t>(16),
                  .size = end.number<uint32_t>(12),
                  .count = end.number<uint16_t>(10)};
  OPWRIGHT_CHECK_VALUE(end.number<uint16_t>(4) == 0 || end.number<uint16_t>(4) == kIn64BitsShort,
                       origin, ": the archive is one of several parts; join them first");
  const bool is_zip64 =
      found.offset == kIn64Bits || found.size == kIn64Bits || found.count == kIn64BitsShort;
  if (!is_zip64) return found;
  OPWRIGHT_CHECK_VALUE(at >= kZip64LocatorBytes, origin, ": the zip64 end record is missing");
  const Record locator = file.record(at - kZip64LocatorBytes, kZip64LocatorBytes);
  OPWRIGHT_CHECK_VALUE(locator.part(0, 4) == kZip64Locator, origin,
                       ": the zip64 end record is missing");
  const Record end64 = file.record(locator.number<uint64_t>(8), kZip64EndBytes);
  OPWRIGHT_CHECK_VALUE(end64.part(0, 4) == kZip64End, origin, ": the zip64 end record is damaged");
  return {.offset = end64.number<uint64_t>(48),
          .size = end64.number<uint64_t>(40),
          .count = end64.number<uint64_t>(32)};
}

// Reads the 64-bit numbers that `extra` has for the fields that are 0xffffffff, in their order.
void widen(const Record& extra, size_t size, std::array<uint64_t*, 3> fields,
           const std::string& origin) {
  if (std::ranges::none_of(fields, [](const uint64_t* field) { return *field == kIn64Bits; }))
    return;
  for (size_t at = 0; at + 4 <= size;) {
    const auto kind = extra.number<uint16_t>(at);
    const auto length = extra.number<uint16_t>(at + 2);
    const Record field = extra.record(at + 4, length);
    at += 4 + size_t{length};
    if (kind != kZip64Extra) continue;
    size_t used = 0;
    for (uint64_t* number : fields) {
      if (*number != kIn64Bits) continue;
      *number = field.number<uint64_t>(used);
      used += sizeof(uint64_t);
    }
    return;
  }
  throw_error("ValueError", origin, ": an entry has no zip64 sizes");
}

void check_name(std::string_view name, const std::string& origin) {
  OPWRIGHT_CHECK_VALUE(is_utf8(name) && name.find('\0') == std::string_view::npos, origin,
                       ": the name of an entry is not UTF-8 text");
  bool leaves = name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    leaves |= name.substr(at, end - at) == "..";
    at = end + 1;
  }
  OPWRIGHT_CHECK_VALUE(!leaves, origin, ": the entry '", name,
                       "' has a name that leaves the archive");
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, std::string origin) : origin_(std::move(origin)) {
  OPWRIGHT_CHECK_VALUE(is_zip(bytes), origin_, ": not a zip file");
  read_directory(bytes);
}

void ZipArchive::read_directory(std::string_view bytes) {
  const Record file(bytes, origin_);
  const Directory directory = find_directory(bytes, origin_);
  const Record headers = file.record(directory.offset, directory.size);
  // Every header takes bytes of the file, so a wrong count cannot use more memory than the file.
  OPWRIGHT_CHECK_VALUE(directory.count <= directory.size / kDirectoryHeaderBytes, origin_,
                       ": the directory has ", directory.size, " bytes, too few for ",
                       directory.count, " entries");
  entries_.reserve(directory.count);
  uint64_t at = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    const Record header = headers.record(at, kDirectoryHeaderBytes);
    OPWRIGHT_CHECK_VALUE(header.part(0, 4) == kDirectoryHeader, origin_,
                         ": the directory is damaged at entry ", i);
    const auto name_size = header.number<uint16_t>(28);
    const auto extra_size = header.number<uint16_t>(30);
    const std::string_view name = headers.part(at + kDirectoryHeaderBytes, name_size);
    const Record extra = headers.record(at + kDirectoryHeaderBytes + name_size, extra_size);
    at += kDirectoryHeaderBytes + name_size + extra_size + header.number<uint16_t>(32);
    check_name(name, origin_);
    OPWRIGHT_CHECK_VALUE((header.number<uint16_t>(8) & kEncrypted) == 0, origin_, ": the entry '",
                         name, "' is encrypted");
    OPWRIGHT_CHECK_VALUE(header.number<uint16_t>(10) == 0, origin_, ": the entry '", name,
                         "' is compressed; store it, as torch.export.save does");
    uint64_t stored = header.number<uint32_t>(20);
    uint64_t size = header.number<uint32_t>(24);
    uint64_t offset = header.number<uint32_t>(42);
    widen(extra, extra_size, {&size, &stored, &offset}, origin_);
    OPWRIGHT_CHECK_VALUE(stored == size, origin_, ": the entry '", name, "' has ", stored,
                         " bytes in the file, but ", size, " by its size");
    const Record local = file.record(offset, kLocalHeaderBytes);
    OPWRIGHT_CHECK_VALUE(local.part(0, 4) == kLocalHeader, origin_, ": the entry '", name,
                         "' is not at its place in the file");
    const auto local_name_size = local.number<uint16_t>(26);
    OPWRIGHT_CHECK_VALUE(file.part(offset + kLocalHeaderBytes, local_name_size) == name &&
                             local.number<uint16_t>(8) == 0,
                         origin_, ": the entry '", name,
                         "' has another name or is compressed by its own header");
    const uint64_t data = offset + kLocalHeaderBytes + local_name_size + local.number<uint16_t>(28);
    OPWRIGHT_CHECK_VALUE(by_name_.emplace(name, entries_.size()).second, origin_, ": the entry '",
                         name, "' occurs twice");
    entries_.push_back({.name = name,
                        .data = file.part(data, size),
                        .checksum = header.number<uint32_t>(16),
                        .offset = offset});
  }
  OPWRIGHT_CHECK_VALUE(at == directory.size, origin_, ": the directory has ", directory.size - at,
                       " bytes after its ", directory.count, " entries");
  check_overlaps(bytes, directory.offset);
}

// Entries that share bytes could make a small file use much memory. From its own header to the end
// of its data, an entry lies behind the one before and before the directory.
void ZipArchive::check_overlaps(std::string_view bytes, uint64_t directory) const {
  std::vector<const ZipEntry*> in_order;
  in_order.reserve(entries_.size());
  for (const ZipEntry& entry : entries_) in_order.push_back(&entry);
  std::ranges::sort(in_order, {}, &ZipEntry::offset);
  uint64_t end = 0;
  for (const ZipEntry* entry : in_order) {
    OPWRIGHT_CHECK_VALUE(entry->offset >= end, origin_, ": the entry '", entry->name,
                         "' overlaps another one");
    end = static_cast<uint64_t>(entry->data.data() - bytes.data()) + entry->data.size();
    OPWRIGHT_CHECK_VALUE(end <= directory, origin_, ": the entry '", entry->name,
                         "' overlaps the directory");
  }
}

const ZipEntry* ZipArchive::find(std::string_view name) const noexcept {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

std::string_view ZipArchive::read(std::string_view name) const {
  const ZipEntry* entry = find(name);
  OPWRIGHT_CHECK_VALUE(entry, origin_, ": the archive has no entry '", name, "'");
  OPWRIGHT_CHECK_VALUE(checksum(entry->data) == entry->checksum, origin_, ": the entry '", name,
                       "' is damaged: its checksum does not match");
  return entry->data;
}

bool is_zip(std::string_view bytes) noexcept {
  return bytes.starts_with(kLocalHeader) || bytes.starts_with(kEnd);
}

}  // namespace opwright::pt2
