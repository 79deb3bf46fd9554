// Writes zip files for tests: stored entries, as torch.export.save writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/program/file/checksum.h"

namespace opwright::pt2::testing {

class ZipWriter {
 public:
  struct Entry {
    std::string_view name;
    std::string_view data;
    uint16_t method = 0;             // 8: compressed
    uint16_t flags = 0;              // 1: encrypted
    std::string_view own_name = {};  // in its own header, if another one
  };

  ZipWriter& add(const Entry& entry) {
    add_header(entry, file_.size());
    const std::string_view name = entry.own_name.empty() ? entry.name : entry.own_name;
    file_ += std::string("PK\3\4", 4) + common(entry) + number<uint16_t>(name.size()) +
             number<uint16_t>(0);
    file_.append(name).append(entry.data);
    return *this;
  }
  // A header in the directory for bytes that another entry has.
  ZipWriter& add_header(const Entry& entry, size_t offset) {
    directory_ += std::string("PK\1\2", 4) + number<uint16_t>(20) + common(entry) +
                  number<uint16_t>(entry.name.size()) + std::string(12, '\0') +
                  number<uint32_t>(offset);
    directory_.append(entry.name);
    ++count_;
    return *this;
  }
  [[nodiscard]] std::string finish() const { return finish_with({.count = count_}); }

  struct End {
    size_t count = 0;
    std::string_view comment = {};
    size_t comment_size = comment.size();
    size_t disk = 0;
  };
  // With other numbers in the end record.
  [[nodiscard]] std::string finish_with(const End& end) const {
    return file_ + directory_ + std::string("PK\5\6", 4) + number<uint16_t>(end.disk) +
           number<uint16_t>(end.disk) + number<uint16_t>(end.count) + number<uint16_t>(end.count) +
           number<uint32_t>(directory_.size()) + number<uint32_t>(file_.size()) +
           number<uint16_t>(end.comment_size) + std::string(end.comment);
  }
  // With the numbers of the directory in a zip64 end record.
  [[nodiscard]] std::string finish_zip64(uint64_t count) const {
    const std::string sizes = number<uint64_t>(directory_.size()) + number<uint64_t>(file_.size());
    return file_ + directory_ + std::string("PK\6\6", 4) + number<uint64_t>(44) +
           number<uint16_t>(45) + number<uint16_t>(45) + std::string(8, '\0') +
           number<uint64_t>(count) + number<uint64_t>(count) + sizes + std::string("PK\6\7", 4) +
           std::string(4, '\0') + number<uint64_t>(file_.size() + directory_.size()) +
           number<uint32_t>(1) + std::string("PK\5\6\0\0\0\0", 8) + std::string(12, '\xff') +
           number<uint16_t>(0);
  }

 private:
  template <class T>
  static std::string number(size_t value) {
    std::string bytes(sizeof(T), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(value & 0xff);
      value >>= 8;
    }
    return bytes;
  }
  static std::string common(const Entry& entry) {
    return number<uint16_t>(20) + number<uint16_t>(entry.flags) + number<uint16_t>(entry.method) +
           std::string(4, '\0') + number<uint32_t>(checksum(entry.data)) +
           number<uint32_t>(entry.data.size()) + number<uint32_t>(entry.data.size());
  }

  std::string file_;
  std::string directory_;
  size_t count_ = 0;
};

}  // namespace opwright::pt2::testing
