// A program without Python: runs a model in ONNX Runtime with the operators of a binary. Compiled
// and driven by test_library.py.
//
//   without_python run LIBRARY MODEL PATHS     prints the first output for x = 0, 1, ... (2 x 4)
//   without_python named LIBRARY MODEL BRIDGE  the same, by the library's name and the environment
//   without_python old                         registers with an ONNX Runtime that is too old
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bridges/onnxruntime/ort_api.h"
#include "opwright/runtime/onnxruntime.h"

namespace {

using namespace opwright::ort_bridge;

struct OrtEnv;
struct OrtSession;
struct OrtMemoryInfo;
constexpr OrtEntry<OrtResult(int, const char*, OrtEnv**)> kCreateEnv{3};
constexpr OrtEntry<OrtResult(OrtEnv*, const char*, OrtSessionOptions*, OrtSession**)>
    kCreateSession{7};
constexpr OrtEntry<OrtResult(OrtSession*, const void*, const char* const*, const OrtValue* const*,
                             size_t, const char* const*, size_t, OrtValue**)>
    kRun{9};
constexpr OrtEntry<OrtResult(OrtSessionOptions**)> kCreateSessionOptions{10};
constexpr OrtEntry<OrtResult(OrtMemoryInfo*, void*, size_t, const int64_t*, size_t, OrtDType,
                             OrtValue**)>
    kCreateTensor{49};
constexpr OrtEntry<OrtResult(int, int, OrtMemoryInfo**)> kCreateCpuMemory{69};
constexpr OrtEntry<void(OrtEnv*)> kReleaseEnv{92};
constexpr OrtEntry<void(OrtMemoryInfo*)> kReleaseMemory{94};
constexpr OrtEntry<void(OrtSession*)> kReleaseSession{95};
constexpr OrtEntry<void(OrtValue*)> kReleaseValue{96};
constexpr OrtEntry<void(OrtSessionOptions*)> kReleaseSessionOptions{100};
constexpr OrtEntry<OrtResult(OrtSessionOptions*, const char*)> kRegisterLibrary{228};

OrtApi api;

void require(OrtStatus* status) {
  if (!status) return;
  std::printf("%s\n", api.call(entry::kGetErrorMessage, status));
  api.call(entry::kReleaseStatus, status);
  std::exit(1);
}

void run(const char* library, const char* model, const char* what, bool is_by_name) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) std::printf("%s\n", dlerror()), std::exit(1);
  const auto* base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"))();
  api = OrtApi(base->get_api(kOldestOrtApi), kOldestOrtApi);
  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  require(api.call(kCreateEnv, 3, "test", &env));
  require(api.call(kCreateSessionOptions, &options));
  require(is_by_name ? api.call(kRegisterLibrary, options, what)
                     : opw_onnxruntime_register(options, base, what));
  require(api.call(kCreateSession, env, model, options, &session));
  api.call(kReleaseSessionOptions, options);

  float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t sizes[] = {2, 4};
  OrtMemoryInfo* memory = nullptr;
  OrtValue* x = nullptr;
  OrtValue* y = nullptr;
  require(api.call(kCreateCpuMemory, 0, 0, &memory));
  require(api.call(kCreateTensor, memory, data, sizeof data, sizes, 2, OrtDType::Float32, &x));
  const char* input = "x";
  const char* output = "y";
  for (int i = 0; i < 3; ++i) {
    if (y) api.call(kReleaseValue, y);
    y = nullptr;
    require(api.call(kRun, session, nullptr, &input, &x, 1, &output, 1, &y));
  }
  void* result = nullptr;
  require(api.call(entry::kGetData, y, &result));
  for (size_t i = 0; i < 8; ++i)
    std::printf("%.4f ", static_cast<double>(static_cast<float*>(result)[i]));
  std::printf("\n");
  api.call(kReleaseValue, x);
  api.call(kReleaseValue, y);
  api.call(kReleaseMemory, memory);
  api.call(kReleaseSession, session);
  api.call(kReleaseEnv, env);
}

// An ONNX Runtime that has no table but its first.
OrtStatus* keep_text(OrtErrorCode /*code*/, const char* text) {
  return reinterpret_cast<OrtStatus*>(strdup(text));
}
const void* const kFirstTable[] = {reinterpret_cast<const void*>(&keep_text)};
const void* get_old_api(uint32_t version) { return version == 1 ? kFirstTable : nullptr; }
const char* get_old_version() { return "1.16.3"; }

void register_with_old() {
  const OrtApiBase base{&get_old_api, &get_old_version};
  OrtStatus* status = opw_onnxruntime_register(nullptr, &base, "nothing.so");
  std::printf("%s\n", reinterpret_cast<char*>(status));
  std::free(status);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "old") {
    register_with_old();
  } else if (argc == 5) {
    run(argv[2], argv[3], argv[4], what == "named");
  }
  return 0;
}
