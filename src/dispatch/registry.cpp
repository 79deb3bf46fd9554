#include "opwright/dispatch/registry.h"

#include <algorithm>
#include <cctype>

#include "opwright/base/suggest.h"
#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/signature.h"
#include "opwright/dispatch/tag_rules.h"
#include "opwright/schema/parser.h"

namespace opwright {

std::atomic<uint64_t> registry_epoch_counter{1};

namespace {

std::atomic<OperatorMaker> operator_maker{nullptr};

// The newest function for a slot, or null.
Implementation* newest_for(NameEntry& name, Slot slot) {
  const auto found = std::find_if(name.implementations.rbegin(), name.implementations.rend(),
                                  [&](const Implementation& each) { return each.slot == slot; });
  return found == name.implementations.rend() ? nullptr : &*found;
}

bool has_kernel(const NameEntry& name) {
  return std::ranges::any_of(name.implementations, [](const Implementation& each) {
    return is_device(each.slot) || each.slot == Slot::AllDevices;
  });
}

// What a call to a slot runs: its own function; for a device, else the kernel for all devices; else
// the operator's composite body. An
// operator without any of these runs the kernel that wraps its autograd.
Implementation* find_implementation(NameEntry& name, Slot slot) {
  Implementation* found = newest_for(name, slot);
  if (found || !is_callable(slot)) return found;
  if (is_device(slot)) found = newest_for(name, Slot::AllDevices);
  if (!found) found = newest_for(name, Slot::ExplicitComposite);
  if (!found) found = newest_for(name, Slot::ImplicitComposite);
  return found || has_kernel(name) ? found : newest_for(name, Slot::AutogradKernel);
}

// "clip.cpp:4 (libclip.so)"
std::string place(SourceSite site, std::string_view library) {
  return library.empty() ? site.text() : concatenate(site, " (", library, ")");
}

std::string packet_of(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

void check_slot(const Operator& op, const Implementation& implementation) {
  if (!is_device(implementation.slot) || op.takes_tensors() || op.device_argument() >= 0) return;
  throw_error("ValueError", op.name(), ": a kernel for ", slot_name(implementation.slot),
              " (registered at ", implementation.site,
              ") can never be chosen, since the operator takes no tensor and no device\n  schema: ",
              to_text(op.schema()),
              "\n  Give it an argument `Device device`, or register a composite body.");
}

}  // namespace

void Registration::remove() {
  if (const Undo undo = std::exchange(undo_, nullptr)) (Registry::get().*undo)(name_, id_);
}

std::string_view Registration::name() const noexcept {
  return name_ ? std::string_view(name_->name) : std::string_view();
}

void set_operator_maker(OperatorMaker maker) noexcept {
  operator_maker.store(maker, std::memory_order_release);
}

Registry& Registry::get() {
  static auto* registry = new Registry;
  if (first_use_steps_wait.load(std::memory_order_acquire)) [[unlikely]]
    run_first_use_steps();
  return *registry;
}

Registration Registry::define(std::string_view schema_text, Tags tags, SourceSite site,
                              Origin origin) {
  const std::lock_guard lock(mutex_);
  auto op = std::make_unique<Operator>(
      parse_definition(schema_text, site, origin.name_space, &opaque_types_), tags, site,
      origin.library);
  if (tags.bits() != 0) check_tags(op->schema(), tags);
  NameEntry& name = entry(op->name());
  if (const Operator* other = name.op.load(std::memory_order_acquire)) {
    throw_error("ValueError", op->name(), " is defined twice: at ",
                place(other->site(), other->origin()), " and at ", place(site, origin.library),
                "\n  Give one of them another name or overload, or remove the first.");
  }
  for (const Implementation& each : name.implementations) {
    check_signature(*op, each.slot, each.function, each.site);
    check_slot(*op, each);
  }
  name.definition_id = name.definition_order = ++last_id_;
  name.is_derived = origin.is_derived;
  name.fallback_records.clear();
  name.op.store(op.get(), std::memory_order_release);
  operators_.push_back(std::move(op));
  publish(name);
  return {&Registry::undo_definition, &name, name.definition_id};
}

Registration Registry::claim_namespace(std::string_view name_space, SourceSite site,
                                       Origin origin) {
  const std::lock_guard lock(mutex_);
  for (const Claim& other : claims_) {
    if (other.name_space != name_space) continue;
    throw_error("ValueError", "the namespace '", name_space, "' is claimed twice: at ",
                place(other.site, other.library), " and at ", place(site, origin.library),
                "\n  Use OPWRIGHT_LIBRARY_FRAGMENT(", name_space, ", m), or Library(\"", name_space,
                "\", \"FRAGMENT\"), in one of them.");
  }
  claims_.push_back({++last_id_, std::string(name_space), site, origin.library});
  return {&Registry::undo_claim, nullptr, last_id_};
}

Registration Registry::implement(std::string_view name, Slot slot, BoxedFunction function,
                                 SourceSite site, const OpwHost& host) {
  Implementation implementation{
      .id = 0, .slot = slot, .function = function, .shared = nullptr, .site = site, .host = &host};
  try {
    const std::lock_guard lock(mutex_);
    if (!table_.find(name)) (void)parse_operator_name(name);  // rejects an invalid name
    NameEntry& named = entry(name);
    if (const Operator* op = named.op.load(std::memory_order_acquire)) {
      check_signature(*op, slot, function, site);
      check_slot(*op, implementation);
    }
    implementation.id = ++last_id_;
    if (function.drop) implementation.shared = &selves_.emplace_back(function, slot);
    named.implementations.push_back(implementation);
    publish(named, slot);
    return {&Registry::undo_implementation, &named, implementation.id};
  } catch (...) {
    if (function.drop) function.drop(function.self);
    throw;
  }
}

Registration Registry::set_fallback(Slot slot, BoxedFunction function, SourceSite site,
                                    const OpwHost& host) {
  if (!is_callable(slot)) {
    if (function.drop) function.drop(function.self);
    throw_error("ValueError", "a fallback replaces kernels, so ", slot_name(slot),
                " cannot have one");
  }
  const std::lock_guard lock(mutex_);
  fallbacks_.push_back({.id = ++last_id_,
                        .slot = slot,
                        .function = function,
                        .shared = function.drop ? &selves_.emplace_back(function, slot) : nullptr,
                        .site = site,
                        .host = &host});
  publish_all();
  return {&Registry::undo_fallback, nullptr, last_id_};
}

void Registry::add_tags(std::string_view name, Tags tags) {
  (void)require(name);
  const std::lock_guard lock(mutex_);
  if (Operator* op = entry(name).op.load(std::memory_order_acquire)) {
    op->tags_.fetch_or(tags.bits(), std::memory_order_relaxed);
    op->generation_.fetch_add(1, std::memory_order_acq_rel);
    registry_epoch_counter.fetch_add(1, std::memory_order_acq_rel);
  }
}

void Registry::add_opaque_type(std::string_view name) {
  const auto is_word = [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) || character == '_' ||
           character == '.';
  };
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_word) &&
                       !std::isdigit(static_cast<unsigned char>(name.front()));
  OPWRIGHT_CHECK_VALUE(is_name, "the name of a type must be words with dots between them, got '",
                       name, "'");
  OPWRIGHT_CHECK_VALUE(!find_type_kind(name) && !find_nested_kind(name), "'", name,
                       "' is a type of the schema language already");
  const std::lock_guard lock(mutex_);
  OPWRIGHT_CHECK_VALUE(opaque_types_.add(name), "the type '", name, "' was registered before");
}

Schema Registry::parse(std::string_view schema) const {
  const std::lock_guard lock(mutex_);
  return parse_schema(schema, {}, &opaque_types_);
}

const Operator* Registry::find(std::string_view name) const noexcept {
  const NameEntry* found = table_.find(name);
  const Operator* op = found ? found->op.load(std::memory_order_acquire) : nullptr;
  if (op) [[likely]]
    return op;
  const OperatorMaker maker = operator_maker.load(std::memory_order_acquire);
  return maker ? maker(name) : nullptr;
}

const Operator& Registry::require(std::string_view name) const {
  if (const Operator* op = find(name)) return *op;
  (void)parse_operator_name(name);
  const std::lock_guard lock(mutex_);
  if (const NameEntry* undefined = table_.find(name);
      undefined && !undefined->implementations.empty()) {
    const Implementation& newest = undefined->implementations.back();
    throw_error("NotImplementedError", name, " was never defined, but ", newest.site,
                " registers a function for it (", slot_name(newest.slot),
                ")\n  Define it with m.def(\"", name.substr(name.find("::") + 2),
                "(...) -> ...\"), or load the library that does.");
  }
  std::vector<std::string_view> known;
  for (const auto& each : table_.entries()) {
    if (each->op.load(std::memory_order_acquire)) known.push_back(each->name);
  }
  std::string text = concatenate("there is no operator ", name);
  std::vector<std::string> meant = closest_names(name, known);
  for (const std::string_view each : known) {  // all overloads, if the base name alone was given
    if (each.starts_with(name) && each.size() > name.size() && each[name.size()] == '.')
      meant.emplace_back(each);
  }
  for (size_t i = 0; i < meant.size(); ++i)
    text += (i == 0 ? "; did you mean " : " or ") + meant[i];
  text += meant.empty() ? "\n  Load the library that defines it." : "?";
  throw Error("AttributeError", text);
}

std::vector<const Operator*> Registry::overloads(std::string_view packet) const {
  if (const OperatorMaker maker = operator_maker.load(std::memory_order_acquire))
    (void)maker(packet);
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, const Operator*>> found;
  for (const auto& each : table_.entries()) {
    const Operator* op = each->op.load(std::memory_order_acquire);
    if (op && packet_of(each->name) == packet) found.emplace_back(each->definition_order, op);
  }
  std::sort(found.begin(), found.end());
  std::vector<const Operator*> operators;
  for (const auto& [order, op] : found) operators.push_back(op);
  return operators;
}

std::vector<const Operator*> Registry::list(std::string_view name_space) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Operator*> operators;
  for (const auto& each : table_.entries()) {
    const Operator* op = each->op.load(std::memory_order_acquire);
    const bool is_wanted =
        name_space.empty() || each->name.substr(0, each->name.find("::")) == name_space;
    if (op && is_wanted && !each->is_derived) operators.push_back(op);
  }
  std::sort(operators.begin(), operators.end(),
            [](auto* a, auto* b) { return a->name() < b->name(); });
  return operators;
}

std::vector<std::pair<Slot, SourceSite>> Registry::implementations(const Operator& op) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<Slot, SourceSite>> newest;
  const NameEntry* name = table_.find(op.name());
  if (!name) return newest;
  for (const Implementation& each : name->implementations) {
    std::erase_if(newest, [&](const auto& other) { return other.first == each.slot; });
    newest.emplace_back(each.slot, each.site);
  }
  std::ranges::sort(newest, {}, [](const auto& each) { return each.first; });
  return newest;
}

BoxedFunction Registry::own_function(const Operator& op, Slot slot) const {
  const std::lock_guard lock(mutex_);
  BoxedFunction newest{};
  if (const NameEntry* name = table_.find(op.name())) {
    for (const Implementation& each : name->implementations) {
      if (each.slot == slot) newest = each.function;
    }
  }
  return newest;
}

std::vector<const OpwRecord*> Registry::own_records(const Operator& op, Slot slot) {
  const std::lock_guard lock(mutex_);
  std::vector<const OpwRecord*> newest_first;
  NameEntry* name = table_.find(op.name());
  if (!name || name->op.load(std::memory_order_acquire) != &op) return newest_first;
  for (auto each = name->implementations.rbegin(); each != name->implementations.rend(); ++each) {
    if (each->slot == slot) newest_first.push_back(record_of(*each, op));
  }
  return newest_first;
}

NameEntry& Registry::entry(std::string_view name) { return table_.find_or_add(name); }

void Registry::undo_definition(NameEntry* name, uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (name->definition_id != id) return;
  Operator* op = name->op.exchange(nullptr, std::memory_order_acq_rel);
  name->definition_id = 0;
  op->is_removed_.store(true, std::memory_order_release);
  op->is_seen_through_.store(false, std::memory_order_release);
  for (auto& place : op->row_) place.store(nullptr, std::memory_order_release);
  op->generation_.fetch_add(1, std::memory_order_acq_rel);
  registry_epoch_counter.fetch_add(1, std::memory_order_acq_rel);
}

void Registry::undo_implementation(NameEntry* name, uint64_t id) {
  SharedSelf* retired = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(name->implementations.begin(), name->implementations.end(),
                                    [&](const Implementation& each) { return each.id == id; });
    if (found == name->implementations.end()) return;
    retired = found->shared;
    const Slot slot = found->slot;
    name->implementations.erase(found);
    publish(*name, slot);
  }
  if (retired)
    retired->retire();  // outside the lock: dropping may itself register or remove something
}

void Registry::undo_fallback(NameEntry* /*name*/, uint64_t id) {
  SharedSelf* retired = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(fallbacks_.begin(), fallbacks_.end(),
                                    [&](const Implementation& each) { return each.id == id; });
    if (found == fallbacks_.end()) return;
    retired = found->shared;
    fallbacks_.erase(found);
    publish_all();
  }
  if (retired) retired->retire();
}

void Registry::undo_claim(NameEntry* /*name*/, uint64_t id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(claims_, [&](const Claim& claim) { return claim.id == id; });
}

const OpwRecord* Registry::resolve(NameEntry& name, Operator& op, Slot slot) {
  if (Implementation* found = find_implementation(name, slot)) return record_of(*found, op);
  for (auto each = fallbacks_.rbegin(); each != fallbacks_.rend(); ++each) {
    if (each->slot != slot) continue;
    for (const auto& [id, record] : name.fallback_records) {
      if (id == each->id) return record;
    }
    const OpwRecord* record = keep_record(*each, op);
    name.fallback_records.emplace_back(each->id, record);
    return record;
  }
  return nullptr;
}

const OpwRecord* Registry::record_of(Implementation& implementation, const Operator& op) {
  if (implementation.made_for != &op) {
    implementation.record = keep_record(implementation, op);
    implementation.made_for = &op;
  }
  return implementation.record;
}

const OpwRecord* Registry::keep_record(const Implementation& implementation, const Operator& op) {
  records_.push_back(
      make_record(implementation.function, implementation.shared, &op, *implementation.host));
  return &records_.back();
}

void Registry::publish(NameEntry& name) { publish_slots(name, 0, kNumSlots); }

void Registry::publish(NameEntry& name, Slot changed) {
  if (stands_in(changed)) {
    publish(name);
  } else {
    const auto place = static_cast<uint8_t>(changed);
    publish_slots(name, place, static_cast<uint8_t>(place + 1));
  }
}

void Registry::publish_slots(NameEntry& name, uint8_t begin, uint8_t end) {
  if (Operator* op = name.op.load(std::memory_order_acquire)) {
    for (uint8_t i = begin; i < end; ++i) {
      op->row_[i].store(resolve(name, *op, static_cast<Slot>(i)), std::memory_order_release);
    }
    op->is_seen_through_.store(op->record(Slot::ImplicitComposite) && !op->record(Slot::Autograd),
                               std::memory_order_release);
    op->generation_.fetch_add(1, std::memory_order_acq_rel);
  }
  registry_epoch_counter.fetch_add(1, std::memory_order_acq_rel);
}

void Registry::publish_all() {
  for (const auto& name : table_.entries()) publish(*name);
}

}  // namespace opwright
