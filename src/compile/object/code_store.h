// Object code cached on disk between runs: one file per key in a private folder.
//
// The folder is `code` in the cache of the project: OPWRIGHT_CACHE_DIR, otherwise opwright in
// XDG_CACHE_HOME or in ~/.cache. OPWRIGHT_CODE_CACHE=0 disables it; OPWRIGHT_CACHE_SIZE limits the
// entire cache, of which code gets a sixteenth; the least recently used files are removed first.
// What is read will be executed, so the folder and its files must belong to this user and be
// writable by nobody else, and each file contains a digest of its contents. A file is put in place
// by one rename; a damaged or foreign file counts as missing.
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
  // From the environment; nullopt if it is disabled, or if there is no home. ValueError if
  // OPWRIGHT_CACHE_SIZE is not a size.
  [[nodiscard]] static std::optional<CodeStore> from_environment();

  // nullopt if it is missing or incomplete. Counts as a use.
  [[nodiscard]] std::optional<std::vector<std::byte>> find(std::string_view key) const;
  // If the folder cannot be written, nothing is stored, and only the log says so.
  void keep(std::string_view key, std::span<const std::byte> object) const;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  void remove_least_used(int folder) const;

  std::string folder_;
  uint64_t limit_;
};

}  // namespace opwright
