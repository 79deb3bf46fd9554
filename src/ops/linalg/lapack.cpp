#include "opwright/ops/linalg/lapack.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "opwright/error.h"

namespace opwright {
namespace {

// How a build of LAPACK names dgetrf, and whether its integers have 64 bits.
struct NameForm {
  const char* before;
  const char* after;
  bool has_wide_ints;
};
constexpr NameForm kNameForms[] = {
    {"", "_", false},          // Debian
    {"scipy_", "_64_", true},  // in NumPy's wheel
    {"scipy_", "_", false},    // in SciPy's wheel
    {"", "_64_", true},        // OpenBLAS with 64-bit integers
};

std::string symbol_of(const NameForm& form, const std::string& routine) {
  return form.before + routine + form.after;
}

struct LapackLibrary {
  void* handle;
  NameForm form;
};

std::optional<LapackLibrary> open_library(const char* path) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return std::nullopt;
  for (const NameForm& form : kNameForms) {
    if (dlsym(handle, symbol_of(form, "dgetrf").c_str())) return LapackLibrary{handle, form};
  }
  dlclose(handle);
  return std::nullopt;
}

std::atomic<LapackFinder> registered_finder{nullptr};

constexpr const char* kHowToInstall =
    "install a LAPACK: the Debian package libopenblas0 (apt install libopenblas0), or the Python "
    "package numpy or scipy, whose wheels have one; or set OPWRIGHT_LAPACK to the path of a "
    "library";

LapackLibrary find_library() {
  if (const char* chosen = std::getenv("OPWRIGHT_LAPACK"); chosen && *chosen) {
    if (const auto library = open_library(chosen)) return *library;
    throw_error("RuntimeError", "OPWRIGHT_LAPACK names ", chosen,
                ", which is not a LAPACK library; ", kHowToInstall);
  }
  for (const char* name : {"libopenblas.so.0", "libopenblas64.so.0", "liblapack.so.3"}) {
    if (const auto library = open_library(name)) return *library;
  }
  if (const LapackFinder finder = registered_finder.load()) {
    const std::string path = finder();
    if (const auto library = path.empty() ? std::nullopt : open_library(path.c_str()))
      return *library;
  }
  throw_error("RuntimeError", "linear algebra needs LAPACK, which was not found; ", kHowToInstall);
}

// OpenBLAS's functions of its threads; null in other libraries.
struct ThreadFunctions {
  int (*get)();
  void (*set)(int);
};

ThreadFunctions find_thread_functions(const LapackLibrary& opened) {
  // These names have no underscore of Fortran: openblas_set_num_threads64_.
  const auto find = [&](const char* verb) {
    const std::string name = opened.form.before + std::string("openblas_") + verb + "_num_threads" +
                             (opened.form.after + 1);
    return dlsym(opened.handle, name.c_str());
  };
  return {reinterpret_cast<int (*)()>(find("get")), reinterpret_cast<void (*)(int)>(find("set"))};
}

// A failed search is repeated by the next call.
const LapackLibrary& library() {
  static const LapackLibrary found = find_library();
  return found;
}

// The scopes of LapackThreads that live, and the number of threads before the first of them.
struct ThreadScopes {
  std::mutex mutex;
  int count = 0;
  int before = 0;
};
ThreadScopes& thread_scopes() {
  static ThreadScopes scopes;
  return scopes;
}
const ThreadFunctions& thread_functions() {
  static const ThreadFunctions functions = find_thread_functions(library());
  return functions;
}

}  // namespace

LapackThreads::LapackThreads(int count) {
  const ThreadFunctions& functions = thread_functions();
  if (!functions.get || !functions.set) return;
  ThreadScopes& scopes = thread_scopes();
  const std::lock_guard lock(scopes.mutex);
  const int now = functions.get();
  if (scopes.count++ == 0) scopes.before = now;
  if (now != count) functions.set(count);
}

LapackThreads::~LapackThreads() {
  const ThreadFunctions& functions = thread_functions();
  if (!functions.get || !functions.set) return;
  ThreadScopes& scopes = thread_scopes();
  const std::lock_guard lock(scopes.mutex);
  if (--scopes.count == 0 && functions.get() != scopes.before) functions.set(scopes.before);
}

void set_lapack_finder(LapackFinder finder) { registered_finder = finder; }

LapackRoutine find_lapack_routine(char prefix, const char* name) {
  static std::mutex mutex;
  static std::map<std::string, void*> cache;
  const std::string routine = prefix + std::string(name);
  const LapackLibrary& opened = library();
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = cache.try_emplace(routine, nullptr);
  if (is_new) place->second = dlsym(opened.handle, symbol_of(opened.form, routine).c_str());
  OPWRIGHT_CHECK(place->second, "linear algebra: the LAPACK library has no routine ", routine, "; ",
                 kHowToInstall);
  return {place->second};
}

bool lapack_has_wide_ints() { return library().form.has_wide_ints; }

int64_t read_lapack_int(const int64_t* memory, int64_t index) {
  if (lapack_has_wide_ints()) return memory[index];
  int32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(memory) + index * int64_t{sizeof value},
              sizeof value);
  return value;
}
void write_lapack_int(int64_t* memory, int64_t index, int64_t value) {
  if (lapack_has_wide_ints()) {
    memory[index] = value;
    return;
  }
  const auto narrow = static_cast<int32_t>(value);
  std::memcpy(reinterpret_cast<char*>(memory) + index * int64_t{sizeof narrow}, &narrow,
              sizeof narrow);
}

}  // namespace opwright
