// A vendor's graph engine in a library with the interface of opwright/ge_engine.h, opened at run
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/device.h"
#include "opwright/graph_engine/engine.h"
#include "opwright/tensor.h"
#include "opwright/vendor/ge_engine.h"

namespace opwright::graph_engine {

// The functions of an open library. It is never closed, since graphs may outlive the code that
// opened it.
class VendorLibrary {
 public:
  // OSError if the file cannot be opened; ImportError if functions are missing (all are named) or
  // it was built for another version of the interface. The same path returns the same object.
  [[nodiscard]] static const VendorLibrary& open(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // RuntimeError with the status and the library's message unless `status` is 0.
  void check(int32_t status, const char* what) const;

  OpwGeMessage message = nullptr;
  OpwGeBuild build = nullptr;
  OpwGeWorkspace workspace = nullptr;
  OpwGeExecute execute = nullptr;
  OpwGeRelease release = nullptr;

 private:
  explicit VendorLibrary(std::string path);
  std::string path_;
};

// A graph that the library has built. Runs are serialized.
class VendorGraph {
 public:
  // `bytes` is a serialized ge.proto.ModelDef.
  VendorGraph(const VendorLibrary& library, std::string_view bytes, size_t num_outputs,
              Device device, const EngineOptions& options);
  ~VendorGraph();
  VendorGraph(const VendorGraph&) = delete;
  VendorGraph& operator=(const VendorGraph&) = delete;

  // Returns new tensors on the graph's device; the work is on its current stream. Inputs with gaps
  // are copied. RuntimeError from the library.
  [[nodiscard]] std::vector<Tensor> run(std::span<const Tensor> inputs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opwright::graph_engine
