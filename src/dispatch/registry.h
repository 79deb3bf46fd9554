// The registry: every operator of the process by name, and who registered what for it.
//
// Looking up and calling take no lock. A change is made under one mutex, publishes new pointers,
// and raises the operator's generation and the epoch; whoever keeps something resolved compares the
// epoch with one load. What is registered is removed through its Registration, and the function
// that it had replaced comes back.
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

// Undoes one registration when it ends, unless it was kept.
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

  // Removes it now. Any thread; a call under way ends with the function that it started with.
  void remove();
  // It stays until the end of the process.
  void keep() noexcept { undo_ = nullptr; }
  // Of the operator; empty for what belongs to none. Immortal.
  [[nodiscard]] std::string_view name() const noexcept;

 private:
  friend class Registry;
  using Undo = void (Registry::*)(NameEntry* name, uint64_t id);
  Registration(Undo undo, NameEntry* name, uint64_t id) : undo_(undo), name_(name), id_(id) {}

  Undo undo_ = nullptr;
  NameEntry* name_ = nullptr;
  uint64_t id_ = 0;
};

// Where a definition comes from, beside its line.
struct Origin {
  const char* library = "";  // the operator binary's file, immortal; empty: the program itself
  std::string_view name_space = {};  // of a schema that has none
  bool is_derived = false;           // follows from another operator; list() leaves it out
};

class OPWRIGHT_EXPORT Registry {
 public:
  // The registry of the process, with all that the core itself registers (first_use.h). Never
  // destroyed, so that static objects may unregister late.
  static Registry& get();

  // Adds an operator. ValueError for a schema that is wrong or a name that is defined already (both
  // places named).
  Registration define(std::string_view schema, Tags tags = {}, SourceSite site = SourceSite::of(),
                      Origin origin = {});

  // Claims a namespace for one library block. ValueError when another one has it (both places
  // named).
  Registration claim_namespace(std::string_view name_space, SourceSite site, Origin origin = {});

  // Adds a function to a row. The operator may be defined later; a C++ signature is compared with
  // the schema as soon as both are known. A later registration for the same slot replaces an
  // earlier one while it lasts.
  Registration implement(std::string_view name, Slot slot, BoxedFunction function,
                         SourceSite site = SourceSite::of(), const OpwHost& host = core_host());
  // As above, from any callable that box() takes.
  template <class F>
  Registration implement(std::string_view name, Slot slot, F function,
                         SourceSite site = SourceSite::of()) {
    return implement(name, slot, box(std::move(function)), site);
  }

  // Runs for every operator that has neither a function for `slot` nor a composite body. `slot` is
  // a device or Fake.
  Registration set_fallback(Slot slot, BoxedFunction function, SourceSite site = SourceSite::of(),
                            const OpwHost& host = core_host());

  // Adds tags to an operator that is defined. AttributeError as require().
  void add_tags(std::string_view name, Tags tags);

  // Makes `name` a type of schemas: objects of one class. ValueError when it is no name of a type
  // or is known already. It stays until the end of the process.
  void add_opaque_type(std::string_view name);

  // parse_schema with the types that were added.
  [[nodiscard]] Schema parse(std::string_view schema) const;

  // The operator of that name ("aten::add.Tensor"), or null. One that follows from another is made
  // when it is asked for (set_operator_maker).
  [[nodiscard]] const Operator* find(std::string_view name) const noexcept;
  // The same, or an error that tells what is near, or who registered a kernel for an operator that
  // nobody defined.
  [[nodiscard]] const Operator& require(std::string_view name) const;
  // All overloads of "aten::add", in the order in which they were defined.
  [[nodiscard]] std::vector<const Operator*> overloads(std::string_view packet) const;
  // All operators of a namespace, or all there are, by name; none that follow from others.
  [[nodiscard]] std::vector<const Operator*> list(std::string_view name_space = {}) const;

  // The slots that have a function of their own, in their order, with where it was registered; the
  // newest of each slot.
  [[nodiscard]] std::vector<std::pair<Slot, SourceSite>> implementations(const Operator& op) const;
  // The newest function that was registered for just this slot, the registry's own: what it points
  // to lasts while it is registered. Its `function` is null where there is none.
  [[nodiscard]] BoxedFunction own_function(const Operator& op, Slot slot) const;
  // All that were registered for a slot, the newest first, as records that last for ever.
  [[nodiscard]] std::vector<const OpwRecord*> own_records(const Operator& op, Slot slot);

 private:
  friend class Registration;
  Registry() = default;

  void undo_definition(NameEntry* name, uint64_t id);
  void undo_implementation(NameEntry* name, uint64_t id);
  void undo_fallback(NameEntry* name, uint64_t id);
  void undo_claim(NameEntry* name, uint64_t id);

  NameEntry& entry(std::string_view name);
  // Fills the row anew; after a change of one slot's functions only what they reach.
  void publish(NameEntry& name);
  void publish(NameEntry& name, Slot changed);
  void publish_slots(NameEntry& name, uint8_t begin, uint8_t end);
  const OpwRecord* resolve(NameEntry& name, Operator& op, Slot slot);
  const OpwRecord* record_of(Implementation& implementation, const Operator& op);
  const OpwRecord* keep_record(const Implementation& implementation, const Operator& op);
  void publish_all();

  mutable std::mutex mutex_;
  OperatorTable table_;
  // What is never freed, since a caller may hold it for ever.
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

// Makes operators that follow from others by their names alone, such as functional siblings; null
// for a name that it does not know. Without an overload a name stands for all overloads, which are
// made. Set once, before the first look-up.
using OperatorMaker = const Operator* (*)(std::string_view name) noexcept;
void set_operator_maker(OperatorMaker maker) noexcept;

// Raised by every change of the registry.
OPWRIGHT_EXPORT extern std::atomic<uint64_t> registry_epoch_counter;
inline uint64_t registry_epoch() noexcept {
  return registry_epoch_counter.load(std::memory_order_acquire);
}

}  // namespace opwright
