#include "opwright/graph_engine/vendor_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/convert/ge/model.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/graph_engine/engine.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/factory.h"
#include "opwright/vendor/ge_engine.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

constexpr int32_t kFormatNd = 2;

// The functions of a library, and the names of missing ones.
class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {}

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function) missing_ += concatenate(missing_.empty() ? "" : ", ", name);
  }
  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  void* handle_;
  std::string missing_;
};

uint64_t num_bytes_of(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.numel()) * item_size(tensor.dtype());
}

OpwGeTensor describe(const Tensor& tensor, size_t index) {
  OPWRIGHT_CHECK_VALUE(tensor.dim() <= OPW_GE_MAX_RANK, "GE: input ", index, " has ", tensor.dim(),
                       " dimensions; a library of the engine takes at most ", OPW_GE_MAX_RANK);
  OpwGeTensor described{};
  described.data = const_cast<void*>(tensor.data());
  described.num_bytes = num_bytes_of(tensor);
  described.dtype = static_cast<int32_t>(data_type_of(tensor.dtype()));
  described.format = kFormatNd;
  described.rank = static_cast<uint32_t>(tensor.dim());
  std::ranges::copy(tensor.sizes(), described.sizes);
  return described;
}

}  // namespace

VendorLibrary::VendorLibrary(std::string path) : path_(std::move(path)) {
  void* handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* problem = dlerror();
    throw_error("OSError", "GE: the engine's library ", path_,
                " cannot be opened: ", problem ? problem : "no reason was given");
  }
  Symbols symbols(handle);
  OpwGeVersion version = nullptr;
  symbols.find(version, OPW_GE_VERSION_SYMBOL);
  symbols.find(message, OPW_GE_MESSAGE_SYMBOL);
  symbols.find(build, OPW_GE_BUILD_SYMBOL);
  symbols.find(workspace, OPW_GE_WORKSPACE_SYMBOL);
  symbols.find(execute, OPW_GE_EXECUTE_SYMBOL);
  symbols.find(release, OPW_GE_RELEASE_SYMBOL);
  OPWRIGHT_CHECK_KIND("ImportError", symbols.missing().empty(), "GE: ", path_,
                      " is not a library of a graph engine: it does not have ", symbols.missing(),
                      "\n  opwright/ge_engine.h describes such libraries.");
  OPWRIGHT_CHECK_KIND("ImportError", version() == OPW_GE_ENGINE_VERSION, "GE: ", path_,
                      " was built for version ", version(),
                      " of opwright/ge_engine.h, this is version ", OPW_GE_ENGINE_VERSION,
                      "\n  Build it again with the headers of this version.");
}

const VendorLibrary& VendorLibrary::open(const std::string& path) {
  static std::mutex mutex;
  static auto* libraries = new std::map<std::string, std::unique_ptr<const VendorLibrary>>;
  const std::lock_guard lock(mutex);
  const auto found = libraries->find(path);
  if (found != libraries->end()) return *found->second;
  std::unique_ptr<const VendorLibrary> opened(new VendorLibrary(path));
  return *libraries->emplace(path, std::move(opened)).first->second;
}

void VendorLibrary::check(int32_t status, const char* what) const {
  if (status == 0) return;
  const char* text = message();
  throw_error("RuntimeError", "GE: ", what, " failed with status ", status, " in ", path_,
              text && *text ? ": " : "", text ? text : "");
}

struct VendorGraph::State {
  const VendorLibrary& library;
  size_t num_outputs;
  Device device;
  OpwGeGraph* graph = nullptr;
  std::mutex running = {};
};

VendorGraph::VendorGraph(const VendorLibrary& library, std::string_view bytes, size_t num_outputs,
                         Device device, const EngineOptions& options)
    : state_(new State{.library = library, .num_outputs = num_outputs, .device = device}) {
  std::vector<const char*> pairs;
  for (const auto& [key, value] : options) {
    pairs.push_back(key.c_str());
    pairs.push_back(value.c_str());
  }
  library.check(library.build(bytes.data(), bytes.size(), std::max(device.index, 0), pairs.data(),
                              static_cast<uint32_t>(options.size()), &state_->graph),
                "building the graph");
}

VendorGraph::~VendorGraph() {
  if (state_->graph) state_->library.release(state_->graph);
}

std::vector<Tensor> VendorGraph::run(std::span<const Tensor> inputs) const {
  const VendorLibrary& library = state_->library;
  std::vector<Tensor> dense;
  std::vector<OpwGeTensor> given;
  for (const Tensor& input : inputs) {
    dense.push_back(input.contiguous());
    given.push_back(describe(dense.back(), given.size()));
  }
  std::vector<OpwGeTensor> described(state_->num_outputs);
  const auto num_inputs = static_cast<uint32_t>(given.size());
  const auto num_outputs = static_cast<uint32_t>(described.size());

  const std::lock_guard lock(state_->running);
  uint64_t workspace_size = 0;
  OpwGeExecutor* executor = nullptr;
  library.check(library.workspace(state_->graph, given.data(), num_inputs, described.data(),
                                  num_outputs, &workspace_size, &executor),
                "querying the workspace of a run");
  std::vector<Tensor> outputs;
  for (OpwGeTensor& each : described) {
    OPWRIGHT_CHECK(each.rank <= OPW_GE_MAX_RANK, "GE: ", library.path(), " gave output ",
                   outputs.size(), " ", each.rank, " dimensions");
    const std::optional<DType> dtype = dtype_of(static_cast<DataType>(each.dtype));
    OPWRIGHT_CHECK(dtype, "GE: ", library.path(), " gave output ", outputs.size(), " the dtype ",
                   each.dtype, ", which Opwright does not have");
    outputs.push_back(make_empty(std::span(each.sizes, each.rank), *dtype, state_->device));
    OPWRIGHT_CHECK(each.num_bytes == num_bytes_of(outputs.back()), "GE: ", library.path(),
                   " asked for ", each.num_bytes, " bytes for output ", outputs.size() - 1,
                   ", its sizes and dtype make ", num_bytes_of(outputs.back()));
    each.data = outputs.back().mutable_data();
  }
  Tensor workspace;
  if (workspace_size != 0) {
    const int64_t sizes[] = {static_cast<int64_t>(workspace_size)};
    workspace = make_empty(sizes, DType::UInt8, state_->device);
  }
  library.check(
      library.execute(workspace_size != 0 ? workspace.mutable_data() : nullptr, workspace_size,
                      executor, given.data(), num_inputs, described.data(), num_outputs,
                      current_device_stream(state_->device)),
      "running the graph");
  return outputs;
}

}  // namespace opwright::graph_engine
