#include "devices/cuda/compiler.h"

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "devices/cuda/shared_library.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

// From nvrtc.h, restated here so that the build does not need it.
using Result = int;  // nvrtcResult; 0 is success
using Program = void*;

struct Nvrtc {
  SharedLibrary file{"nvrtc", "cuda_nvrtc"};
  Result (*create)(Program* program, const char* source, const char* name, int num_headers,
                   const char* const* headers, const char* const* header_names) = nullptr;
  Result (*compile)(Program program, int num_options, const char* const* options) = nullptr;
  Result (*log_size)(Program program, size_t* size) = nullptr;
  Result (*log)(Program program, char* text) = nullptr;
  Result (*code_size)(Program program, size_t* size) = nullptr;
  Result (*code)(Program program, char* bytes) = nullptr;
  Result (*destroy)(Program* program) = nullptr;
  const char* (*text_of)(Result result) = nullptr;

  Nvrtc() {
    file.find("nvrtcCreateProgram", create) && file.find("nvrtcCompileProgram", compile) &&
        file.find("nvrtcGetProgramLogSize", log_size) && file.find("nvrtcGetProgramLog", log) &&
        file.find("nvrtcGetCUBINSize", code_size) && file.find("nvrtcGetCUBIN", code) &&
        file.find("nvrtcDestroyProgram", destroy) && file.find("nvrtcGetErrorString", text_of);
  }
};

Nvrtc& nvrtc() {
  static auto* found = new Nvrtc;
  return *found;
}

std::string log_of(Program program) {
  size_t size = 0;
  if (nvrtc().log_size(program, &size) != 0 || size <= 1) return {};
  std::string text(size, '\0');
  if (nvrtc().log(program, text.data()) != 0) return {};
  text.resize(size - 1);  // drop the terminating zero
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<std::string> all_options(const std::string& options, int capability) {
  std::vector<std::string> all{concatenate("--gpu-architecture=sm_", capability), "--std=c++17"};
  // cuda_fp16.h and similar headers are next to the library's folder, in packages as in the
  // toolkit.
  const std::string& path = nvrtc().file.path();
  all.push_back("--include-path=" + path.substr(0, path.rfind('/')) + "/../include");
  std::istringstream words(options);
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

struct DestroyProgram {
  void operator()(void* program) const { nvrtc().destroy(&program); }
};

void check_nvrtc(Result result, const std::string& name) {
  OPWRIGHT_CHECK(result == 0, "the kernel '", name, "' cannot be built: ", nvrtc().text_of(result));
}

}  // namespace

std::vector<char> compile_source(const std::string& source, const std::string& name,
                                 const std::string& options, int capability) {
  OPWRIGHT_CHECK(nvrtc().file.is_there(), "the kernel '", name,
                 "' cannot be built: ", nvrtc().file.problem());
  Program made = nullptr;
  check_nvrtc(
      nvrtc().create(&made, source.c_str(), concatenate(name, ".cu").c_str(), 0, nullptr, nullptr),
      name);
  const std::unique_ptr<void, DestroyProgram> program(made);
  const std::vector<std::string> all = all_options(options, capability);
  std::vector<const char*> words;
  words.reserve(all.size());
  for (const std::string& option : all) words.push_back(option.c_str());
  const Result result = nvrtc().compile(made, static_cast<int>(words.size()), words.data());
  if (result != 0) {
    throw_error("RuntimeError", "the kernel '", name,
                "' cannot be built: ", nvrtc().text_of(result), "\n", log_of(made));
  }
  size_t size = 0;
  check_nvrtc(nvrtc().code_size(made, &size), name);
  std::vector<char> code(size);
  check_nvrtc(nvrtc().code(made, code.data()), name);
  return code;
}

}  // namespace opwright::cuda
