// The bytes of a zip file that is being written: stored entries, aligned so that they can be
// mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opwright::pt2 {

class ZipImage {
 public:
  // `data` must stay valid. ValueError for a name of more than 64 KiB.
  void add(std::string name, std::string_view data);

  // Calls visit(std::string_view) for the parts of the file, in order.
  template <class Visit>
  void visit_parts(const Visit& visit) const {
    for (const Entry& entry : entries_) {
      visit(std::string_view(entry.header));
      visit(entry.data);
    }
    visit(std::string_view(directory()));
  }

 private:
  struct Entry {
    std::string name;
    std::string_view data;
    uint64_t offset;  // of its header
    uint32_t checksum;
    std::string header;
  };
  // The central directory and the end records.
  [[nodiscard]] std::string directory() const;

  std::vector<Entry> entries_;
  uint64_t end_ = 0;  // of the entries
};

}  // namespace opwright::pt2
