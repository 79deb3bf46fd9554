#include "opwright/compile/object/code_maker.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/base/digest.h"
#include "opwright/base/hash.h"
#include "opwright/base/warning.h"
#include "opwright/compile/compile_log.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/compile/object/code_store.h"
#include "opwright/compile/object/llvm_c_api.h"
#include "opwright/compile/object/machine_identity.h"
#include "opwright/compile/object/object_code.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/cpu_level.h"

namespace opwright {
namespace {

// To be changed when objects are made differently, or the argument of generated functions changes.
constexpr std::string_view kPipeline = "code 1: pic, small, level 2, no optimiser";
constexpr size_t kMostUnused = 512;

// The makers that were found, in the order in which they are tried, and the code in memory. The
// mutex is never held while a maker works: it may need a lock that a waiting thread holds.
struct Makers {
  std::mutex mutex;
  FindObjectMaker find;
  bool is_searched = false;
  std::vector<ObjectMaker> makers;  // without those that failed
  std::unordered_map<std::string, ObjectCodePtr, StringHash, std::equal_to<>> code;
  bool is_told = false;

  static Makers& get() {
    static auto* makers = new Makers;  // outlives every thread that compiles
    return *makers;
  }
};

std::optional<ObjectMaker> find_maker() {
  Makers& state = Makers::get();
  FindObjectMaker find;
  {
    const std::lock_guard lock(state.mutex);
    if (state.is_searched) {
      if (state.makers.empty()) return std::nullopt;
      return state.makers.front();
    }
    find = state.find;
  }
  std::vector<ObjectMaker> found;
  if (find) found.push_back(find());
  found.push_back(find_llvm_c_api());
  std::erase_if(found, [](const ObjectMaker& maker) { return !maker.make; });
  {
    const std::lock_guard lock(state.mutex);
    if (!state.is_searched) state.makers = std::move(found);
    state.is_searched = true;
  }
  return find_maker();
}

void remove_maker(const std::string& name) {
  Makers& state = Makers::get();
  const std::lock_guard lock(state.mutex);
  std::erase_if(state.makers, [&](const ObjectMaker& maker) { return maker.name == name; });
}

void tell_once(const char* text) {
  Makers& state = Makers::get();
  {
    const std::lock_guard lock(state.mutex);
    if (std::exchange(state.is_told, true)) return;
  }
  warn("PerformanceWarning", text);
}

void tell_that_nothing_makes_code() {
  tell_once(
      "compile: no LLVM was found to make machine code, so compiled functions run as plans of "
      "operators, which is slower; `pip install 'opwright[compile]'` installs llvmlite, or "
      "install LLVM 19 or newer (Debian: libllvm19)");
}

// Queried once: the answer can only become stricter.
bool may_load_code() {
  static const bool is_allowed = ObjectCode::is_allowed();
  if (is_allowed) return true;
  tell_once(
      "compile: this system does not allow executable memory, so compiled functions run as plans "
      "of operators, which is slower");
  return false;
}

std::string key_of(const ObjectMaker& maker, std::string_view ir) {
  return Digest()
      .add_part(kPipeline)
      .add_part(maker.name)
      .add_part(maker.version)
      .add_part(machine_identity())
      .add_part(ir)
      .finish_as_hex();
}

void drop_unused(Makers& state) {
  std::erase_if(state.code, [](const auto& item) { return item.second->is_owned_once(); });
}

ObjectCodePtr find_in_memory(const std::string& key) {
  Makers& state = Makers::get();
  const std::lock_guard lock(state.mutex);
  const auto found = state.code.find(key);
  return found == state.code.end() ? nullptr : found->second;
}

// Returns the existing code if another thread was faster.
ObjectCodePtr keep_in_memory(const std::string& key, ObjectCodePtr code) {
  Makers& state = Makers::get();
  const std::lock_guard lock(state.mutex);
  if (state.code.size() >= kMostUnused) drop_unused(state);
  return state.code.try_emplace(key, std::move(code)).first->second;
}

ObjectCodePtr read_code(const std::optional<CodeStore>& store, const std::string& key) {
  if (!store) return nullptr;
  const Stopwatch watch;
  const std::optional<std::vector<std::byte>> object = store->find(key);
  if (!object) return nullptr;
  try {
    ObjectCodePtr code = ObjectCode::load(*object);
    log(LogTopic::Code, "read in ", watch.text(), ", ", object->size(), " bytes, ", key);
    return code;
  } catch (const Error& error) {
    log(LogTopic::Code, "kept ", key, " is made again: ", error.what());
    return nullptr;
  }
}

// Null if the maker cannot work here.
ObjectCodePtr make_code(const ObjectMaker& maker, std::string_view ir,
                        const std::optional<CodeStore>& store, const std::string& key) {
  const Stopwatch watch;
  const std::vector<std::byte> object = maker.make(ir);
  if (object.empty()) return nullptr;
  log(LogTopic::Code, "made in ", watch.text(), " by ", maker.name, " ", maker.version, ", ",
      object.size(), " bytes, ", key);
  ObjectCodePtr code = ObjectCode::load(object);
  if (store) store->keep(key, object);
  return code;
}

}  // namespace

void set_object_maker(FindObjectMaker find) {
  Makers& state = Makers::get();
  const std::lock_guard lock(state.mutex);
  state.find = std::move(find);
  state.is_searched = false;
  state.makers.clear();
  state.is_told = false;
}

std::string object_maker_name() {
  const std::optional<ObjectMaker> maker = find_maker();
  if (!maker) return "";
  return maker->name == "llvmlite" ? concatenate(maker->name, " ", maker->version) : maker->name;
}

bool find_emit_target(EmitTarget& target) {
#if defined(__x86_64__)
  const bool has_all = __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
                       __builtin_cpu_supports("bmi2");
  if (kCpuLevel == CpuLevel::Baseline || !has_all) return false;
  target.vector_bytes = kCpuLevel == CpuLevel::Avx512 ? 64 : 32;
  return true;
#else
  (void)target;
  return false;
#endif
}

ObjectCodePtr code_for(const std::string& ir) {
  if (!may_load_code()) return nullptr;
  while (const std::optional<ObjectMaker> maker = find_maker()) {
    const std::string key = key_of(*maker, ir);
    if (ObjectCodePtr code = find_in_memory(key)) return code;
    const std::optional<CodeStore> store = CodeStore::from_environment();
    ObjectCodePtr code = read_code(store, key);
    if (!code) code = make_code(*maker, ir, store, key);
    if (code) return keep_in_memory(key, std::move(code));
    log(LogTopic::Code, maker->name, " ", maker->version, " cannot be used");
    remove_maker(maker->name);
  }
  tell_that_nothing_makes_code();
  return nullptr;
}

void drop_unused_code() {
  Makers& state = Makers::get();
  const std::lock_guard lock(state.mutex);
  drop_unused(state);
}

std::string assembly_for(const std::string& ir) {
  const std::optional<ObjectMaker> maker = find_maker();
  return maker && maker->assembly ? maker->assembly(ir) : "";
}

}  // namespace opwright
