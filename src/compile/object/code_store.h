// Object code that is kept on disk from run to run: one file for each key in a private folder.
//
// The folder is `code` in the cache of the project: OPWRIGHT_CACHE_DIR, else opwright in
// XDG_CACHE_HOME, else in ~/.cache. OPWRIGHT_CODE_CACHE=0 switches it off; OPWRIGHT_CACHE_SIZE
// bounds the whole cache, code a sixteenth of it, and the least recently used goes.
// What is read will run: so the folder and its files must belong to this user and nobody else may
// write them, and a digest of the contents stands in each. A file is put in place by one rename; a
// damaged or foreign one counts as missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opwright {

class CodeStore {
 public:
  CodeStore(std::string folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  // As the environment says; none: it is switched off, or there is no home. ValueError for a
  // OPWRIGHT_CACHE_SIZE that is no size.
  [[nodiscard]] static std::optional<CodeStore> from_environment();

  // None: it is not there, or not whole. Counts as a use.
  [[nodiscard]] std::optional<std::vector<std::byte>> find(std::string_view key) const;
  // A folder that cannot be written keeps nothing, and says so to the log alone.
  void keep(std::string_view key, std::span<const std::byte> object) const;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  void remove_least_used(int folder) const;

  std::string folder_;
  uint64_t limit_;
};

}  // namespace opwright
