// The entries of a zip file in memory, as PyTorch writes its archives: stored, not compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "opwright/base/hash.h"

namespace opwright::pt2 {

struct ZipEntry {
  std::string_view name;  // in the archive's bytes
  std::string_view data;
  uint32_t checksum = 0;  // as the archive states it
  uint64_t offset = 0;    // of its own header
};

// Reads only the directory; an entry's bytes are not touched. Everything is checked against the
// size of the file: entries may not overlap, repeat a name, be compressed or encrypted, have
// another name in their own header, or one that leaves the archive ("..", an absolute path). The
// memory that it uses is a small multiple of the directory's.
class ZipArchive {
 public:
  // `bytes` must outlive the archive; `origin` is used in messages. ValueError for a file that is
  // not a zip file, is truncated or damaged, saying what and where.
  ZipArchive(std::string_view bytes, std::string origin);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
  // Null if there is none.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const noexcept;
  // The bytes of an entry whose checksum is verified. ValueError if it is missing or damaged.
  [[nodiscard]] std::string_view read(std::string_view name) const;
  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

 private:
  void read_directory(std::string_view bytes);
  void check_overlaps(std::string_view bytes, uint64_t directory) const;

  std::string origin_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

// Whether the bytes begin like a zip file.
[[nodiscard]] bool is_zip(std::string_view bytes) noexcept;

}  // namespace opwright::pt2
