#include "opwright/pt2/container/zip_image.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/error.h"
#include "opwright/program/file/checksum.h"
#include "opwright/pt2/container/zip_format.h"

namespace opwright::pt2 {
namespace {

constexpr uint16_t kStoredVersion = 20;  // of the format that a reader must know
constexpr uint16_t kZip64Version = 45;
constexpr uint16_t kFirstDate = 0x21;  // 1 January 1980

template <class T>
void append_number(std::string& out, uint64_t value) {
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

bool needs_zip64(uint64_t number) { return number >= kIn64Bits; }

uint32_t short_form(uint64_t number) {
  return needs_zip64(number) ? kIn64Bits : static_cast<uint32_t>(number);
}

// What the headers of an entry and of its place in the directory have in common.
void append_common(std::string& out, uint32_t checksum, uint64_t bytes, bool is_zip64) {
  append_number<uint16_t>(out, is_zip64 ? kZip64Version : kStoredVersion);
  append_number<uint16_t>(out, kUtf8Name);
  append_number<uint16_t>(out, 0);  // stored
  append_number<uint16_t>(out, 0);  // time
  append_number<uint16_t>(out, kFirstDate);
  append_number<uint32_t>(out, checksum);
  append_number<uint32_t>(out, is_zip64 ? kIn64Bits : bytes);
  append_number<uint32_t>(out, is_zip64 ? kIn64Bits : bytes);
}

}  // namespace

void ZipImage::add(std::string name, std::string_view data) {
  OPWRIGHT_CHECK_VALUE(name.size() < kIn64BitsShort,
                       "save: the name of an entry of the archive has ", name.size(),
                       " bytes, too many for a zip file");
  Entry entry{.name = std::move(name),
              .data = data,
              .offset = end_,
              .checksum = checksum(data),
              .header = std::string(kLocalHeader)};
  std::string& header = entry.header;
  const bool is_zip64 = needs_zip64(data.size());
  append_common(header, entry.checksum, data.size(), is_zip64);
  append_number<uint16_t>(header, entry.name.size());
  std::string extra;
  if (is_zip64) {
    append_number<uint16_t>(extra, kZip64Extra);
    append_number<uint16_t>(extra, 2 * sizeof(uint64_t));
    append_number<uint64_t>(extra, data.size());
    append_number<uint64_t>(extra, data.size());
  }
  constexpr size_t kFieldBytes = 4;  // the kind and the length of an extra field
  const uint64_t unpadded =
      end_ + kLocalHeaderBytes + entry.name.size() + extra.size() + kFieldBytes;
  const uint64_t padding = (kEntryAlignment - unpadded % kEntryAlignment) % kEntryAlignment;
  append_number<uint16_t>(extra, kPaddingExtra);
  append_number<uint16_t>(extra, padding);
  extra.append(padding, 'Z');
  append_number<uint16_t>(header, extra.size());
  header.append(entry.name).append(extra);
  end_ += header.size() + data.size();
  entries_.push_back(std::move(entry));
}

std::string ZipImage::directory() const {
  std::string out;
  for (const Entry& entry : entries_) {
    const uint64_t bytes = entry.data.size();
    const bool has_large_data = needs_zip64(bytes);
    std::string extra;
    if (has_large_data) {
      append_number<uint64_t>(extra, bytes);
      append_number<uint64_t>(extra, bytes);
    }
    if (needs_zip64(entry.offset)) append_number<uint64_t>(extra, entry.offset);
    if (!extra.empty()) {
      std::string field;
      append_number<uint16_t>(field, kZip64Extra);
      append_number<uint16_t>(field, extra.size());
      extra.insert(0, field);
    }
    out.append(kDirectoryHeader);
    append_number<uint16_t>(out, extra.empty() ? kStoredVersion : kZip64Version);
    append_common(out, entry.checksum, bytes, has_large_data);
    append_number<uint16_t>(out, entry.name.size());
    append_number<uint16_t>(out, extra.size());
    out.append(10, '\0');  // comment, disk, attributes
    append_number<uint32_t>(out, short_form(entry.offset));
    out.append(entry.name).append(extra);
  }
  const uint64_t size = out.size();
  const uint64_t count = entries_.size();
  if (needs_zip64(end_) || count >= kIn64BitsShort) {
    out.append(kZip64End);
    append_number<uint64_t>(out, kZip64EndBytes - 12);  // what follows this number
    append_number<uint16_t>(out, kZip64Version);
    append_number<uint16_t>(out, kZip64Version);
    append_number<uint64_t>(out, 0);  // disks
    append_number<uint64_t>(out, count);
    append_number<uint64_t>(out, count);
    append_number<uint64_t>(out, size);
    append_number<uint64_t>(out, end_);
    out.append(kZip64Locator);
    append_number<uint32_t>(out, 0);
    append_number<uint64_t>(out, end_ + size);
    append_number<uint32_t>(out, 1);
  }
  const uint64_t short_count = std::min<uint64_t>(count, kIn64BitsShort);
  out.append(kEnd);
  append_number<uint32_t>(out, 0);  // disks
  append_number<uint16_t>(out, short_count);
  append_number<uint16_t>(out, short_count);
  append_number<uint32_t>(out, short_form(size));
  append_number<uint32_t>(out, short_form(end_));
  append_number<uint16_t>(out, 0);  // comment
  return out;
}

}  // namespace opwright::pt2
