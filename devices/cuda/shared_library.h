// Optional NVIDIA libraries: cuBLASLt and NVRTC.
#pragma once

#include <string>
#include <vector>

namespace opwright::cuda {

// The files to try for `name` ("cublasLt"), best first: those of major version 13, then 12, in
//   1. the folders of the environment variable OPWRIGHT_CUDA_LIBRARIES, separated by colons,
//   2. what the process has already loaded and the loader's own path,
//   3. the packages of PyPI in the site-packages that contain `own_folder` (nvidia/cu13/lib,
//      nvidia/<package>/lib),
//   4. the toolkit's folder of CUDA_HOME and /usr/local/cuda.
std::vector<std::string> library_candidates(const std::string& name, const std::string& package,
                                            const std::string& own_folder);

// A library that stays loaded. Any thread.
class SharedLibrary {
 public:
  // The first candidate that loads.
  SharedLibrary(const std::string& name, const std::string& package);

  [[nodiscard]] bool is_there() const noexcept { return handle_ != nullptr; }
  // The path of the loaded file.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Why nothing was loaded, and what to do.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  // Sets `function` to the library's; false if it has none, which `problem` then reports.
  template <class Function>
  bool find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(find_symbol(symbol));
    return function != nullptr;
  }

 private:
  void* find_symbol(const char* symbol);

  void* handle_ = nullptr;
  std::string path_;
  std::string problem_;
};

}  // namespace opwright::cuda
