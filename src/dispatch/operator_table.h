// Operators by name, with lock-free readers: open addressing over atomic pointers.
//
// Entries are never removed, so a probe ends at an empty slot. Growing publishes a larger copy and
// keeps the old one, since a reader may still be using it. All old ones together are smaller than
// the new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/dispatch/record.h"

namespace opwright {

class Operator;

// One function registered for a name, whether or not an operator of that name is defined yet.
struct Implementation {
  uint64_t id;
  Slot slot;
  BoxedFunction function;
  SharedSelf* shared;  // null if there is nothing to drop
  SourceSite site;
  const OpwHost* host;
  const Operator* made_for = nullptr;  // the operator of its record
  const OpwRecord* record = nullptr;
};

// A name and everything registered under it. Never freed.
struct NameEntry {
  std::string name;
  uint64_t hash;
  std::atomic<Operator*> op{nullptr};

  // Protected by the registry's mutex.
  std::vector<Implementation> implementations;  // oldest first
  uint64_t definition_id = 0;
  uint64_t definition_order = 0;
  bool is_derived = false;
  std::vector<std::pair<uint64_t, const OpwRecord*>>
      fallback_records;  // by the fallback's id, for the current operator
};

class OperatorTable {
 public:
  OperatorTable();

  // Any thread.
  [[nodiscard]] NameEntry* find(std::string_view name) const noexcept;

  // One writer at a time.
  NameEntry& find_or_add(std::string_view name);
  [[nodiscard]] const std::vector<std::unique_ptr<NameEntry>>& entries() const { return entries_; }

 private:
  struct Places {
    explicit Places(size_t size) : mask(size - 1), place(size) {}
    size_t mask;
    std::vector<std::atomic<NameEntry*>> place;
  };
  static void put(Places& places, NameEntry* entry);

  std::atomic<Places*> current_;
  std::vector<std::unique_ptr<Places>> all_;
  std::vector<std::unique_ptr<NameEntry>> entries_;
};

}  // namespace opwright
