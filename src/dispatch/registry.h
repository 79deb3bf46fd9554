// The registry: every operator of the process by name, and its registrations.
//
// Lookup and calls take no lock. A change is made under one mutex, publishes new pointers, and
// increases the operator's generation and the epoch; code that caches a resolved operator compares
// the epoch with one load. A Registration removes what was registered, and the function that it had
// replaced becomes active again.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/core_host.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/operator_table.h"
#include "opwright/dispatch/record.h"
#include "opwright/schema/opaque_types.h"
#include "opwright/visibility.h"

namespace opwright {

class Registry;

// Undoes one registration when destroyed, unless it was kept.
class [[nodiscard]] OPWRIGHT_EXPORT Registration {
 public:
  Registration() = default;
  Registration(Registration&& other) noexcept
      : undo_(std::exchange(other.undo_, nullptr)), name_(other.name_), id_(other.id_) {}
  Registration& operator=(Registration&& other) noexcept {
    std::swap(undo_, other.undo_);
    std::swap(name_, other.name_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~Registration() { remove(); }

  // Removes it now. Any thread; an active call finishes with the function that it started with.
  void remove();
  // Keeps it until the end of the process.
  void keep() noexcept { undo_ = nullptr; }
  // The operator's name; empty if it belongs to none. Never freed.
  [[nodiscard]] std::string_view name() const noexcept;

 private:
  friend class Registry;
  using Undo = void (Registry::*)(NameEntry* name, uint64_t id);
  Registration(Undo undo, NameEntry* name, uint64_t id) : undo_(undo), name_(name), id_(id) {}

  Undo undo_ = nullptr;
  NameEntry* name_ = nullptr;
  uint64_t id_ = 0;
};

// Where a definition comes from, in addition to its line.
struct Origin {
  const char* library = "";  // the operator binary's file, never freed; empty: the program itself
  std::string_view name_space = {};  // for a schema without one
  bool is_derived = false;           // derived from another operator; list() omits it
};

class OPWRIGHT_EXPORT Registry {
 public:
  // The registry of the process, with everything that the core itself registers (first_use.h).
  // Never destroyed, so that static objects may unregister late.
  static Registry& get();

  // Adds an operator. Throws ValueError for an invalid schema or a name that is already defined
  // (both locations named).
  Registration define(std::string_view schema, Tags tags = {}, SourceSite site = SourceSite::of(),
                      Origin origin = {});

  // Claims a namespace for one library block. Throws ValueError if another one has it (both
  // locations named).
  Registration claim_namespace(std::string_view name_space, SourceSite site, Origin origin = {});

  // Adds a function to a row. The operator may be defined later; a C++ signature is compared with
  // the schema as soon as both are known. A later registration for the same slot replaces an
  // earlier one while it exists.
  Registration implement(std::string_view name, Slot slot, BoxedFunction function,
                         SourceSite site = SourceSite::of(), const OpwHost& host = core_host());
  // The same, from any callable that box() accepts.
  template <class F>
  Registration implement(std::string_view name, Slot slot, F function,
                         SourceSite site = SourceSite::of()) {
    return implement(name, slot, box(std::move(function)), site);
  }

  // Registers a function for every operator that has neither a function for `slot` nor a composite
  // body. `slot` is a device or Fake.
  Registration set_fallback(Slot slot, BoxedFunction function, SourceSite site = SourceSite::of(),
                            const OpwHost& host = core_host());

  // Adds tags to a defined operator. Throws AttributeError like require().
  void add_tags(std::string_view name, Tags tags);

  // Makes `name` a type in schemas: objects of one class. Throws ValueError if it is not a valid
  // type name or already exists. It stays until the end of the process.
  void add_opaque_type(std::string_view name);

  // parse_schema with the added types.
  [[nodiscard]] Schema parse(std::string_view schema) const;

  // The operator of that name ("aten::add.Tensor"), or null. A derived operator is created when it
  // is looked up (set_operator_maker).
  [[nodiscard]] const Operator* find(std::string_view name) const noexcept;
  // The same, or an error that names similar operators, or who registered a kernel for an undefined
  // operator.
  [[nodiscard]] const Operator& require(std::string_view name) const;
  // All overloads of "aten::add", in definition order.
  [[nodiscard]] std::vector<const Operator*> overloads(std::string_view packet) const;
  // All operators of a namespace, or of all namespaces, by name; without derived ones.
  [[nodiscard]] std::vector<const Operator*> list(std::string_view name_space = {}) const;

  // The slots that have their own function, in order, with the location of the newest registration
  // of each.
  [[nodiscard]] std::vector<std::pair<Slot, SourceSite>> implementations(const Operator& op) const;
  // The newest function registered for exactly this slot. Owned by the registry: valid while it is
  // registered. Its `function` is null if there is none.
  [[nodiscard]] BoxedFunction own_function(const Operator& op, Slot slot) const;
  // All functions registered for a slot, newest first, as records that are never freed.
  [[nodiscard]] std::vector<const OpwRecord*> own_records(const Operator& op, Slot slot);

 private:
  friend class Registration;
  Registry() = default;

  void undo_definition(NameEntry* name, uint64_t id);
  void undo_implementation(NameEntry* name, uint64_t id);
  void undo_fallback(NameEntry* name, uint64_t id);
  void undo_claim(NameEntry* name, uint64_t id);

  NameEntry& entry(std::string_view name);
  // Refills the row; after a change of one slot's functions, only the slots that it affects.
  void publish(NameEntry& name);
  void publish(NameEntry& name, Slot changed);
  void publish_slots(NameEntry& name, uint8_t begin, uint8_t end);
  const OpwRecord* resolve(NameEntry& name, Operator& op, Slot slot);
  const OpwRecord* record_of(Implementation& implementation, const Operator& op);
  const OpwRecord* keep_record(const Implementation& implementation, const Operator& op);
  void publish_all();

  mutable std::mutex mutex_;
  OperatorTable table_;
  // Never freed, since a caller may hold one permanently.
  std::vector<std::unique_ptr<Operator>> operators_;
  std::deque<OpwRecord> records_;
  std::deque<SharedSelf> selves_;
  std::deque<Implementation> fallbacks_;
  struct Claim {
    uint64_t id;
    std::string name_space;
    SourceSite site;
    const char* library;
  };
  std::vector<Claim> claims_;
  OpaqueTypes opaque_types_;
  uint64_t last_id_ = 0;
};

// Creates operators that are derived from others by name, such as functional siblings; null for an
// unknown name. A name without an overload means all overloads, which are created. Set once, before
// the first lookup.
using OperatorMaker = const Operator* (*)(std::string_view name) noexcept;
void set_operator_maker(OperatorMaker maker) noexcept;

// Increased by every change of the registry.
OPWRIGHT_EXPORT extern std::atomic<uint64_t> registry_epoch_counter;
inline uint64_t registry_epoch() noexcept {
  return registry_epoch_counter.load(std::memory_order_acquire);
}

}  // namespace opwright
