#include "opwright/tensor/device/device_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "opwright/base/suggest.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/tensor/device/cpu_device.h"
#include "opwright/tensor/device/device_search.h"

namespace opwright {
namespace {

constexpr int32_t kNumTypes = 1024;  // plug-ins get types from kOpwFirstPluginDevice up to here
constexpr int32_t kNoBit = -1;

struct Entry {
  int32_t type;
  std::atomic<const char*> name;  // never freed; PrivateUse1 can be renamed
  std::atomic<int32_t> bit{kNoBit};
  std::atomic<const OpwDeviceTable*> table{nullptr};
  std::atomic<bool> is_looked_for{false};
};

constinit std::atomic<DeviceFinder> device_finder{nullptr};

// Where the finder searched, or empty. Also for a name without an entry.
std::string look_for(const char* name) {
  const DeviceFinder finder = device_finder.load(std::memory_order_acquire);
  return finder ? finder(name) : "";
}

// Entries and tables are created once and never freed, so a reader needs no lock.
struct Devices {
  std::mutex mutex;  // held while adding an entry, a table or a bit
  std::array<std::atomic<Entry*>, kNumTypes> by_type{};
  std::array<std::atomic<int32_t>, kNumDeviceBits> type_of_bit{};
  uint32_t num_bits = 0;
  std::atomic<int32_t> next_type{kOpwFirstPluginDevice};

  Devices() {
    for (const DeviceName& known : kDeviceNames) add(known.type, known.name);
    by_type[kOpwDeviceCpu].load()->table = &kCpuDevice;
    give_bit(*by_type[kOpwDeviceCpu].load());
  }
  Entry& add(int32_t type, const char* name) {
    auto* entry = new Entry{.type = type, .name = name};
    by_type[static_cast<size_t>(type)].store(entry, std::memory_order_release);
    return *entry;
  }
  uint32_t give_bit(Entry& entry);
};

Devices& devices() {
  static auto* all = new Devices;  // outlives every static destructor that frees a tensor
  return *all;
}

Entry* find_entry(int32_t type) noexcept {
  if (type < 0 || type >= kNumTypes) return nullptr;
  return devices().by_type[static_cast<size_t>(type)].load(std::memory_order_acquire);
}

template <class Visit>
void for_each_entry(Visit visit) {
  for (const DeviceName& known : kDeviceNames) visit(*find_entry(known.type));
  for (int32_t type = 0; type < kNumTypes; ++type) {
    const Entry* entry = find_entry(type);
    if (entry && !device_name_or_null(type)) visit(*entry);
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

uint32_t Devices::give_bit(Entry& entry) {
  if (const int32_t bit = entry.bit.load(); bit != kNoBit) return static_cast<uint32_t>(bit);
  if (num_bits == kNumDeviceBits) {
    std::vector<std::string> users;
    for (const auto& type : type_of_bit) users.emplace_back(find_device_name(type.load()));
    throw_error("RuntimeError", "no more than ", kNumDeviceBits,
                " devices can be used in one process; ", entry.name.load(),
                " is one too many after ", joined(users));
  }
  type_of_bit[num_bits].store(entry.type, std::memory_order_release);
  entry.bit.store(static_cast<int32_t>(num_bits), std::memory_order_release);
  return num_bits++;
}

// ---- Registration ----

constexpr size_t kLeastTableSize = offsetof(OpwDeviceTable, current_stream);

bool is_device_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

// The fields that this core knows; null past the end of the plug-in's table.
OpwDeviceTable known_part(const OpwDeviceTable& table) {
  OPWRIGHT_CHECK_VALUE(table.struct_size >= kLeastTableSize,
                       "register_device: struct_size must be at least ", kLeastTableSize,
                       " (through synchronize), got ", table.struct_size);
  OpwDeviceTable known{};
  std::memcpy(&known, &table, std::min<size_t>(table.struct_size, sizeof known));
  known.struct_size = sizeof known;
  OPWRIGHT_CHECK_VALUE(known.name && is_device_name(known.name),
                       "register_device: a device name has lower-case letters,"
                       " digits and underscores and starts with a letter, got '",
                       known.name ? known.name : "", "'");
  OPWRIGHT_CHECK_VALUE(known.count && known.current && known.allocate && known.free && known.copy &&
                           known.synchronize,
                       "register_device: ", known.name,
                       " must have the functions count, current, allocate, free, copy"
                       " and synchronize");
  const bool has_stream = known.current_stream != nullptr;
  OPWRIGHT_CHECK_VALUE(has_stream == (known.synchronize_stream != nullptr) &&
                           has_stream == (known.record_event != nullptr) &&
                           has_stream == (known.wait_event != nullptr) &&
                           has_stream == (known.free_event != nullptr) &&
                           has_stream == (known.synchronize_event != nullptr),
                       "register_device: ", known.name,
                       " must have all of current_stream, synchronize_stream, "
                       "record_event, wait_event, synchronize_event and free_event, or none");
  return known;
}

// The type for the table, or 0 for a new one; rejects one that belongs to another name.
int32_t wanted_type(const OpwDeviceTable& table) {
  const std::optional<int32_t> known = find_device_type(table.name);
  if (table.type == 0) return known.value_or(0);
  OPWRIGHT_CHECK_VALUE(table.type > 0 && table.type < kOpwFirstPluginDevice,
                       "register_device: the type of ", table.name,
                       " must be a DLPack device type, or 0 for a new one, got ", table.type);
  OPWRIGHT_CHECK_VALUE(!known || *known == table.type, "register_device: the name ", table.name,
                       " belongs to device type ", known.value_or(0), ", got type ", table.type);
  const char* name = find_device_name(table.type);
  // PrivateUse1 exists to be renamed.
  OPWRIGHT_CHECK_VALUE(
      !name || std::string_view(name) == table.name || table.type == kOpwDevicePrivate,
      "register_device: device type ", table.type, " is ", name ? name : "", ", got the name ",
      table.name);
  return table.type;
}

}  // namespace

int32_t register_device(const OpwDeviceTable& table) {
  OpwDeviceTable known = known_part(table);
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  int32_t type = wanted_type(known);
  if (type == 0) {
    type = all.next_type.load();
    OPWRIGHT_CHECK(type < kNumTypes, "register_device: no device type is left for ", known.name);
    all.next_type = type + 1;
  }
  known.type = type;
  Entry* before = find_entry(type);
  OPWRIGHT_CHECK_VALUE(!before || !before->table.load(), "register_device: the device ",
                       before ? before->name.load() : "", " is registered already");
  const auto* kept = new OpwDeviceTable(known);
  Entry& entry = before ? *before : all.add(type, kept->name);
  entry.name.store(kept->name, std::memory_order_release);
  entry.table.store(kept, std::memory_order_release);
  return type;
}

const OpwDeviceTable* find_device_table(int32_t type) noexcept {
  const Entry* entry = find_entry(type);
  return entry ? entry->table.load(std::memory_order_acquire) : nullptr;
}

void set_device_finder(DeviceFinder finder) noexcept { device_finder = finder; }

const OpwDeviceTable* look_for_device_table(int32_t type) {
  Entry* entry = find_entry(type);
  if (!entry) return nullptr;
  const OpwDeviceTable* table = entry->table.load(std::memory_order_acquire);
  if (table || type == kOpwDeviceMeta || entry->is_looked_for.load(std::memory_order_acquire))
    return table;
  (void)look_for(entry->name.load());
  // Set last: a thread that comes meanwhile searches too and waits for the one that loads.
  entry->is_looked_for.store(true, std::memory_order_release);
  return entry->table.load(std::memory_order_acquire);
}

const OpwDeviceTable& device_table(int32_t type) {
  if (type == kOpwDeviceCpu) return kCpuDevice;
  if (const OpwDeviceTable* table = look_for_device_table(type)) return *table;
  const char* name = find_device_name(type);
  OPWRIGHT_CHECK_VALUE(name, "device type ", type,
                       " is not known; known: ", joined(device_names()));
  OPWRIGHT_CHECK(type != kOpwDeviceMeta, "meta tensors have no memory, so nothing runs on meta");
  throw_error("RuntimeError", "nothing runs on ", name,
              " here: the plug-in that registers the device '", name, "' is not loaded",
              look_for(name));
}

uint32_t device_bit_slow(int32_t type) {
  Entry* entry = find_entry(type);
  OPWRIGHT_CHECK_VALUE(entry, "device type ", type,
                       " is not known; known: ", joined(device_names()));
  int32_t bit = entry->bit.load(std::memory_order_acquire);
  if (bit == kNoBit) {
    const std::lock_guard lock(devices().mutex);
    bit = static_cast<int32_t>(devices().give_bit(*find_entry(type)));
  }
  return 1U << bit;
}

int32_t device_type_of_bit(uint32_t bit) {
  for (uint32_t i = 0; i < kNumDeviceBits; ++i) {
    const int32_t type = devices().type_of_bit[i].load(std::memory_order_acquire);
    if (bit == 1U << i && type != 0) return type;
  }
  throw_error("ValueError", "no device has the flag bit ", bit);
}

std::optional<int32_t> find_device_type(std::string_view name) noexcept {
  for (const DeviceName& known : kDeviceNames) {
    if (name == known.name) return known.type;
  }
  for (int32_t type = 1; type < kNumTypes; ++type) {
    const Entry* entry = find_entry(type);
    if (entry && name == entry->name.load(std::memory_order_acquire)) return type;
  }
  return std::nullopt;
}

const char* find_device_name(int32_t type) noexcept {
  const Entry* entry = find_entry(type);
  return entry ? entry->name.load(std::memory_order_acquire) : nullptr;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for_each_entry([&](const Entry& entry) { names.emplace_back(entry.name.load()); });
  return names;
}

Device parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::optional<int32_t> type = find_device_type(name);
  std::string looked;
  if (!type && is_device_name(name)) {
    looked = look_for(std::string(name).c_str());
    type = find_device_type(name);
  }
  if (!type) {
    const std::vector<std::string> names = device_names();
    const std::optional<std::string> nearest = closest(name, names);
    throw_error("ValueError", "unknown device '", text, "'; ",
                nearest ? "did you mean '" + *nearest + "'? " : "", "known: ", joined(names),
                looked);
  }
  if (colon == std::string_view::npos) return Device(*type);
  const std::string_view digits = text.substr(colon + 1);
  int32_t index = -1;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_index =
      problem == std::errc() && end == digits.data() + digits.size() && digits[0] != '-';
  OPWRIGHT_CHECK_VALUE(is_index, "the index in device '", text, "' must be a number such as '",
                       name, ":0', got '", digits, "'");
  return Device(*type, index);
}

std::string device_text(Device device) { return concatenate(device); }

void append_text(std::string& out, Device device) {
  const char* name = find_device_name(device.type);
  out.append(name ? std::string(name) : concatenate("device", device.type));
  if (device.index >= 0 && !(has_one_device(device.type) && device.index == 0)) {
    out.append(":").append(std::to_string(device.index));
  }
}

std::optional<std::string> device_property(Device device, const char* key) {
  const auto read = device_table(device.type).property;
  const size_t length = read ? read(device.index, key, nullptr, 0) : 0;
  if (length == 0) return std::nullopt;
  std::string text(length + 1, '\0');
  (void)read(device.index, key, text.data(), text.size());
  text.resize(length);
  return text;
}

Device resolve_device_slow(Device device) {
  OPWRIGHT_CHECK_VALUE(find_device_name(device.type), "device type ", device.type,
                       " is not known; known: ", joined(device_names()));
  OPWRIGHT_CHECK_INDEX(device.index >= -1, "a device index must not be negative, got ",
                       device.index);
  const OpwDeviceTable* table = look_for_device_table(device.type);
  if (table && device.index < 0) return Device(device.type, std::max(table->current(), 0));
  const int32_t count = table ? table->count() : 0;
  if (count == 0) return Device(device.type, std::max(device.index, 0));
  if (device.index < count) return device;
  const std::optional<std::string> problem = device_property(Device(device.type, 0), "problem");
  throw_error("IndexError", "there is no ", device, ": this process sees ", count, " ", table->name,
              count == 1 ? " device" : " devices", problem ? "; " + *problem : "");
}

}  // namespace opwright
