#include "devices/cuda/cublas_lt.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <library_types.h>

#include "devices/cuda/cublas_lt_api.h"
#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/product_layout.h"
#include "devices/cuda/shared_library.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

constexpr size_t kMostWorkspaceBytes = size_t{32} << 20;  // required by Hopper's best kernels
constexpr size_t kMostPlans = 4096;
constexpr uint32_t kMostAlignment = 256;  // more helps no kernel

// ---- The library ----

struct Library {
  SharedLibrary file{"cublasLt", "cublas"};
  lt::Functions call{};
  std::string description;

  Library() {
    const bool is_whole =
        file.find("cublasLtGetVersion", call.GetVersion) &&
        file.find("cublasLtCreate", call.Create) &&
        file.find("cublasLtMatmulDescCreate", call.MatmulDescCreate) &&
        file.find("cublasLtMatmulDescSetAttribute", call.MatmulDescSetAttribute) &&
        file.find("cublasLtMatmulDescDestroy", call.MatmulDescDestroy) &&
        file.find("cublasLtMatrixLayoutCreate", call.MatrixLayoutCreate) &&
        file.find("cublasLtMatrixLayoutSetAttribute", call.MatrixLayoutSetAttribute) &&
        file.find("cublasLtMatrixLayoutDestroy", call.MatrixLayoutDestroy) &&
        file.find("cublasLtMatmulPreferenceCreate", call.MatmulPreferenceCreate) &&
        file.find("cublasLtMatmulPreferenceSetAttribute", call.MatmulPreferenceSetAttribute) &&
        file.find("cublasLtMatmulPreferenceDestroy", call.MatmulPreferenceDestroy) &&
        file.find("cublasLtMatmulAlgoGetHeuristic", call.MatmulAlgoGetHeuristic) &&
        file.find("cublasLtMatmul", call.Matmul);
    if (is_whole) {
      const size_t version = call.GetVersion();
      description = concatenate("cuBLASLt ", version / 10000, ".", version / 100 % 100, " (",
                                file.path(), ")");
    } else {
      description = concatenate("kernels of the plug-in: ", file.problem());
    }
  }
};

Library& library() {
  static auto* found = new Library;  // used until the process ends
  return *found;
}

// float32 sums with 10-bit mantissas, many times as fast.
bool allows_tf32() {
  static const bool allows = [] {
    const char* text = std::getenv("OPWRIGHT_CUDA_TF32");
    return text && std::string_view(text) == "1";
  }();
  return allows;
}

[[noreturn]] void throw_failed(lt::Status status, const char* what) {
  throw_error("RuntimeError", "cuBLASLt failed with status ", status, " when ", what, " (",
              library().file.path(), ")");
}
void check_lt(lt::Status status, const char* what) {
  if (status != 0) throw_failed(status, what);
}

// ---- Plans ----

struct Types {
  cudaDataType_t element;
  cudaDataType_t scale;
  int compute;
};

std::optional<Types> types_of(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return Types{CUDA_R_32F, CUDA_R_32F, allows_tf32() ? lt::kComputeTf32 : lt::kCompute32};
    case DType::Float64:
      return Types{CUDA_R_64F, CUDA_R_64F, lt::kCompute64};
    case DType::Float16:
      return Types{CUDA_R_16F, CUDA_R_32F, lt::kCompute32};
    case DType::BFloat16:
      return Types{CUDA_R_16BF, CUDA_R_32F, lt::kCompute32};
    default:
      return std::nullopt;
  }
}

using Owned = std::unique_ptr<void, lt::Status (*)(void*)>;

struct Plan {
  Owned operation;
  Owned first;
  Owned second;
  Owned result;
  lt::Choice choice;
};

using PlanKey = std::array<int64_t, 16>;
struct PlanHash {
  size_t operator()(const PlanKey& key) const noexcept {
    uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const int64_t word : key) {
      hash = (hash ^ static_cast<uint64_t>(word)) * 0xFF51AFD7ED558CCDULL;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash);
  }
};

uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  return static_cast<uint32_t>(uintptr_t{1} << std::countr_zero(address | kMostAlignment));
}

PlanKey key_of(const ColumnProduct& product, DType dtype) {
  return {static_cast<int64_t>(dtype),
          product.rows,
          product.columns,
          product.depth,
          product.batch,
          product.transposes_first,
          product.transposes_second,
          product.first.leading,
          product.second.leading,
          product.result.leading,
          product.first.batch,
          product.second.batch,
          product.result.batch,
          alignment_of(product.first.data),
          alignment_of(product.second.data),
          alignment_of(product.result.data)};
}

Owned new_operation(const ColumnProduct& product, const Types& types) {
  const lt::Functions& call = library().call;
  lt::Operation made = nullptr;
  check_lt(call.MatmulDescCreate(&made, types.compute, types.scale), "describing a product");
  Owned operation(made, call.MatmulDescDestroy);
  const int32_t first = product.transposes_first ? lt::kTransposes : 0;
  const int32_t second = product.transposes_second ? lt::kTransposes : 0;
  check_lt(call.MatmulDescSetAttribute(made, lt::kTransposesFirst, &first, sizeof first),
           "describing a product");
  check_lt(call.MatmulDescSetAttribute(made, lt::kTransposesSecond, &second, sizeof second),
           "describing a product");
  return operation;
}

Owned new_layout(const ColumnMatrix& matrix, int64_t batch, cudaDataType_t type) {
  const lt::Functions& call = library().call;
  lt::Layout made = nullptr;
  check_lt(call.MatrixLayoutCreate(&made, type, static_cast<uint64_t>(matrix.rows),
                                   static_cast<uint64_t>(matrix.columns), matrix.leading),
           "describing a matrix");
  Owned layout(made, call.MatrixLayoutDestroy);
  if (batch > 1) {
    const auto count = static_cast<int32_t>(batch);
    check_lt(call.MatrixLayoutSetAttribute(made, lt::kBatchCount, &count, sizeof count),
             "describing a batch");
    check_lt(
        call.MatrixLayoutSetAttribute(made, lt::kBatchOffset, &matrix.batch, sizeof matrix.batch),
        "describing a batch");
  }
  return layout;
}

Owned new_preference(const ColumnProduct& product) {
  const lt::Functions& call = library().call;
  lt::Preference made = nullptr;
  check_lt(call.MatmulPreferenceCreate(&made), "choosing a kernel");
  Owned preference(made, call.MatmulPreferenceDestroy);
  const uint64_t most = kMostWorkspaceBytes;
  check_lt(call.MatmulPreferenceSetAttribute(made, lt::kMostWorkspace, &most, sizeof most),
           "choosing a kernel");
  const std::pair<int, const void*> places[] = {{lt::kAlignmentFirst, product.first.data},
                                                {lt::kAlignmentSecond, product.second.data},
                                                {lt::kAlignmentAdded, product.result.data},
                                                {lt::kAlignmentResult, product.result.data}};
  for (const auto& [attribute, data] : places) {
    const uint32_t alignment = alignment_of(data);
    check_lt(call.MatmulPreferenceSetAttribute(made, attribute, &alignment, sizeof alignment),
             "choosing a kernel");
  }
  return preference;
}

// Empty if the library has no kernel.
std::optional<Plan> make_plan(lt::Handle handle, const ColumnProduct& product, const Types& types) {
  Plan plan{.operation = new_operation(product, types),
            .first = new_layout(product.first, product.batch, types.element),
            .second = new_layout(product.second, product.batch, types.element),
            .result = new_layout(product.result, product.batch, types.element),
            .choice = {}};
  const Owned preference = new_preference(product);
  int given = 0;
  const lt::Status status = library().call.MatmulAlgoGetHeuristic(
      handle, plan.operation.get(), plan.first.get(), plan.second.get(), plan.result.get(),
      plan.result.get(), preference.get(), 1, &plan.choice, &given);
  if (status != 0 || given == 0 || plan.choice.state != 0) return std::nullopt;
  return plan;
}

// One for each device.
struct Products {
  std::mutex mutex;  // protects the plans, which a call uses until its end
  lt::Handle handle = nullptr;
  std::unordered_map<PlanKey, std::optional<Plan>, PlanHash> plans;

  const std::optional<Plan>& plan_for(const ColumnProduct& product, DType dtype,
                                      const Types& types) {
    if (!handle) check_lt(library().call.Create(&handle), "starting");
    const PlanKey key = key_of(product, dtype);
    const auto found = plans.find(key);
    if (found != plans.end()) [[likely]]
      return found->second;
    if (plans.size() >= kMostPlans) plans.clear();
    return plans.emplace(key, make_plan(handle, product, types)).first->second;
  }
};

Products& products_of(int32_t index) {
  static auto* all = new std::array<Products, kMostDevices>;
  return (*all)[static_cast<size_t>(index)];
}

}  // namespace

bool multiply_by_cublas(int32_t index, const ColumnProduct& product, DType dtype, double alpha,
                        double beta, OpwStream* stream) {
  const std::optional<Types> types = types_of(dtype);
  if (!types || !library().file.is_there()) return false;
  Products& products = products_of(index);
  const std::lock_guard lock(products.mutex);
  const std::optional<Plan>& plan = products.plan_for(product, dtype, *types);
  if (!plan) return false;

  const auto alpha32 = static_cast<float>(alpha);
  const auto beta32 = static_cast<float>(beta);
  const bool is_double = types->scale == CUDA_R_64F;
  const void* scale = is_double ? static_cast<const void*>(&alpha) : &alpha32;
  const void* kept = is_double ? static_cast<const void*>(&beta) : &beta32;
  const size_t bytes = plan->choice.workspace_bytes;
  const Workspace workspace(index, bytes, stream);
  check_lt(library().call.Matmul(products.handle, plan->operation.get(), scale, product.first.data,
                                 plan->first.get(), product.second.data, plan->second.get(), kept,
                                 product.result.data, plan->result.get(), product.result.data,
                                 plan->result.get(), &plan->choice.algorithm, workspace.data(),
                                 bytes, cuda_stream(stream)),
           "multiplying");
  return true;
}

const std::string& description_of_products() { return library().description; }

}  // namespace opwright::cuda
