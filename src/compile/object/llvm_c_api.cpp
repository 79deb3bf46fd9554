#include "opwright/compile/object/llvm_c_api.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/compile/object/code_maker.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constexpr int kOldest = 19;  // the emitter writes its dialect
constexpr int kNewest = 40;

// Declarations of llvm-c; all handles are opaque pointers.
using Handle = void*;
constexpr int kAssemblyFile = 0;
constexpr int kObjectFile = 1;
constexpr int kLevelDefault = 2;
constexpr int kPositionIndependent = 2;
constexpr int kSmallCodeModel = 3;

// The functions of one library.
struct Api {
  void (*initialize_target_info)();
  void (*initialize_target)();
  void (*initialize_target_mc)();
  void (*initialize_printer)();
  char* (*get_default_target_triple)();
  char* (*get_host_cpu_name)();
  char* (*get_host_cpu_features)();
  int (*get_target_from_triple)(const char*, Handle*, char**);
  Handle (*create_target_machine)(Handle, const char*, const char*, const char*, int, int, int);
  void (*dispose_target_machine)(Handle);
  Handle (*context_create)();
  void (*context_dispose)(Handle);
  Handle (*copy_to_buffer)(const char*, size_t, const char*);
  int (*parse_ir)(Handle, Handle, Handle*, char**);  // takes ownership of the buffer
  void (*set_target)(Handle, const char*);
  int (*emit_to_buffer)(Handle, Handle, int, char**, Handle*);
  const char* (*get_buffer_start)(Handle);
  size_t (*get_buffer_size)(Handle);
  void (*dispose_memory_buffer)(Handle);
  void (*dispose_module)(Handle);
  void (*dispose_message)(char*);
};

Api open_api(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) throw_error("RuntimeError", "LLVM cannot be opened: ", std::string_view(dlerror()));
  Api api{};
  const auto find = [&](auto& function, const char* name) {
    void* address = dlsym(library, name);
    if (!address) throw_error("RuntimeError", path, " has no function ", name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  find(api.initialize_target_info, "LLVMInitializeX86TargetInfo");
  find(api.initialize_target, "LLVMInitializeX86Target");
  find(api.initialize_target_mc, "LLVMInitializeX86TargetMC");
  find(api.initialize_printer, "LLVMInitializeX86AsmPrinter");
  find(api.get_default_target_triple, "LLVMGetDefaultTargetTriple");
  find(api.get_host_cpu_name, "LLVMGetHostCPUName");
  find(api.get_host_cpu_features, "LLVMGetHostCPUFeatures");
  find(api.get_target_from_triple, "LLVMGetTargetFromTriple");
  find(api.create_target_machine, "LLVMCreateTargetMachine");
  find(api.dispose_target_machine, "LLVMDisposeTargetMachine");
  find(api.context_create, "LLVMContextCreate");
  find(api.context_dispose, "LLVMContextDispose");
  find(api.copy_to_buffer, "LLVMCreateMemoryBufferWithMemoryRangeCopy");
  find(api.parse_ir, "LLVMParseIRInContext");
  find(api.set_target, "LLVMSetTarget");
  find(api.emit_to_buffer, "LLVMTargetMachineEmitToMemoryBuffer");
  find(api.get_buffer_start, "LLVMGetBufferStart");
  find(api.get_buffer_size, "LLVMGetBufferSize");
  find(api.dispose_memory_buffer, "LLVMDisposeMemoryBuffer");
  find(api.dispose_module, "LLVMDisposeModule");
  find(api.dispose_message, "LLVMDisposeMessage");
  api.initialize_target_info();
  api.initialize_target();
  api.initialize_target_mc();
  api.initialize_printer();
  return api;
}

// One library, opened for the first object, and its target machines, which are not thread-safe: one
// per thread that makes code at the same time.
class Llvm {
 public:
  explicit Llvm(std::string path) : path_(std::move(path)) {}
  Llvm(const Llvm&) = delete;
  Llvm& operator=(const Llvm&) = delete;
  // The library stays open: it cannot be unloaded.
  ~Llvm() {
    for (Handle machine : idle_machines_) api_.dispose_target_machine(machine);
  }

  // Returns a file of that kind as bytes.
  std::string emit(std::string_view ir, int kind);

 private:
  Handle take_machine();
  Handle make_machine();
  [[noreturn]] void fail(const char* what, char* message) const;
  std::string take_text(char* message) const;
  std::string take_buffer(Handle buffer) const;

  std::string path_;
  std::once_flag is_open_;
  Api api_{};
  std::string triple_;
  std::mutex mutex_;
  std::vector<Handle> idle_machines_;
};

std::string Llvm::take_text(char* message) const {
  if (!message) return "";
  std::string text = message;
  api_.dispose_message(message);
  return text;
}

std::string Llvm::take_buffer(Handle buffer) const {
  std::string bytes(api_.get_buffer_start(buffer), api_.get_buffer_size(buffer));
  api_.dispose_memory_buffer(buffer);
  return bytes;
}

void Llvm::fail(const char* what, char* message) const {
  throw_error("RuntimeError", "LLVM ", what, ": ", take_text(message));
}

Handle Llvm::make_machine() {
  Handle target = nullptr;
  char* message = nullptr;
  if (api_.get_target_from_triple(triple_.c_str(), &target, &message) != 0)
    fail("has no code for this machine", message);
  const std::string cpu = take_text(api_.get_host_cpu_name());
  const std::string features = take_text(api_.get_host_cpu_features());
  Handle machine =
      api_.create_target_machine(target, triple_.c_str(), cpu.c_str(), features.c_str(),
                                 kLevelDefault, kPositionIndependent, kSmallCodeModel);
  OPWRIGHT_CHECK(machine, "LLVM cannot generate code for the processor ", cpu);
  return machine;
}

Handle Llvm::take_machine() {
  std::call_once(is_open_, [this] {
    api_ = open_api(path_);
    triple_ = take_text(api_.get_default_target_triple());
  });
  const std::lock_guard lock(mutex_);
  if (idle_machines_.empty()) return make_machine();
  Handle machine = idle_machines_.back();
  idle_machines_.pop_back();
  return machine;
}

std::string Llvm::emit(std::string_view ir, int kind) {
  Handle machine = take_machine();
  Handle context = api_.context_create();
  Handle module = nullptr;
  Handle buffer = nullptr;
  char* message = nullptr;
  const auto end = [&] {
    if (module) api_.dispose_module(module);
    api_.context_dispose(context);
    const std::lock_guard lock(mutex_);
    idle_machines_.push_back(machine);
  };
  Handle text = api_.copy_to_buffer(ir.data(), ir.size(), "nest");
  if (api_.parse_ir(context, text, &module, &message) != 0) {
    module = nullptr;
    end();
    fail("does not accept the text of a nest", message);
  }
  api_.set_target(module, triple_.c_str());
  const int problem = api_.emit_to_buffer(machine, module, kind, &message, &buffer);
  end();
  if (problem != 0) fail("cannot compile a nest", message);
  return take_buffer(buffer);
}

bool find_file(const std::string& path, struct stat& status) {
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Newest first. Empty if there is none.
std::string find_library() {
  if (const char* chosen = std::getenv("OPWRIGHT_LLVM"); chosen && *chosen) return chosen;
  std::vector<std::string> folders;
  const char* listed = std::getenv("LD_LIBRARY_PATH");
  for (std::string_view rest = listed ? listed : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end != 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const char* folder :
       {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  struct stat status{};
  for (int version = kNewest; version >= kOldest; --version) {
    for (const std::string& folder : folders) {
      // The names used by LLVM itself, by Debian before 19, and by distributions with a folder per
      // version.
      for (const std::string& name :
           {concatenate("libLLVM.so.", version, ".1"), concatenate("libLLVM-", version, ".so"),
            concatenate("llvm-", version, "/lib/libLLVM.so.1"),
            concatenate("llvm", version, "/lib/libLLVM.so.", version, ".1")}) {
        const std::string path = concatenate(folder, "/", name);
        if (find_file(path, status)) return path;
      }
    }
  }
  return "";
}

}  // namespace

ObjectMaker find_llvm_c_api() {
  const std::string path = find_library();
  struct stat status{};
  if (path.empty() || !find_file(path, status)) return {};
  // Shared by the two functions of the maker, which may be copied.
  const auto llvm = std::make_shared<Llvm>(path);
  ObjectMaker maker;
  maker.name = path;
  // Without opening the file: another version has another size or time.
  maker.version = concatenate(status.st_size, " bytes of ", status.st_mtim.tv_sec);
  maker.make = [llvm](std::string_view ir) {
    const std::string object = llvm->emit(ir, kObjectFile);
    std::vector<std::byte> bytes(object.size());
    std::memcpy(bytes.data(), object.data(), object.size());
    return bytes;
  };
  maker.assembly = [llvm](std::string_view ir) { return llvm->emit(ir, kAssemblyFile); };
  return maker;
}

}  // namespace opwright
