// A fake libcublasLt.so.13: column-major products on the CPU, from the description that the real
// one would get. It rejects what the real one rejects: a leading dimension that is too small, sizes
// that do not match, memory that is less aligned than stated.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

namespace {

constexpr int kInvalidValue = 7;
constexpr int kNotSupported = 15;

struct Operation {
  int compute;
  cudaDataType_t scale;
  int32_t transposes[2] = {0, 0};
};
struct Layout {
  cudaDataType_t type;
  int64_t rows, columns, leading;
  int32_t batch = 1;
  int64_t offset = 0;
};
struct Preference {
  uint64_t most_workspace = 0;
  std::map<int, uint32_t> alignments;
};
struct Choice {
  uint64_t algorithm[8];
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
constexpr uint64_t kAlgorithm = 0x1234;
constexpr size_t kWorkspaceBytes = 4096;

template <class T>
bool take(T& field, const void* value, size_t bytes) {
  if (bytes != sizeof(T)) return false;
  std::memcpy(&field, value, bytes);
  return true;
}

template <class T>
double element(const void* data, const Layout& layout, int64_t batch, int64_t row, int64_t column) {
  const T value =
      static_cast<const T*>(data)[batch * layout.offset + row + column * layout.leading];
  return static_cast<double>(value);
}
double as_double(const void* data, const Layout& layout, int64_t batch, int64_t row,
                 int64_t column) {
  switch (layout.type) {
    case CUDA_R_32F:
      return element<float>(data, layout, batch, row, column);
    case CUDA_R_64F:
      return element<double>(data, layout, batch, row, column);
    case CUDA_R_16F:
      return static_cast<double>(__half2float(
          static_cast<const __half*>(data)[batch * layout.offset + row + column * layout.leading]));
    default:
      return static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(
          data)[batch * layout.offset + row + column * layout.leading]));
  }
}
void store(void* data, const Layout& layout, int64_t batch, int64_t row, int64_t column,
           double value) {
  const int64_t place = batch * layout.offset + row + column * layout.leading;
  switch (layout.type) {
    case CUDA_R_32F:
      static_cast<float*>(data)[place] = static_cast<float>(value);
      return;
    case CUDA_R_64F:
      static_cast<double*>(data)[place] = value;
      return;
    case CUDA_R_16F:
      static_cast<__half*>(data)[place] = __float2half(static_cast<float>(value));
      return;
    default:
      static_cast<__nv_bfloat16*>(data)[place] = __float2bfloat16(static_cast<float>(value));
  }
}

bool fits(const Operation& operation, const Layout& first, const Layout& second,
          const Layout& result) {
  const int64_t rows = operation.transposes[0] ? first.columns : first.rows;
  const int64_t depth = operation.transposes[0] ? first.rows : first.columns;
  const int64_t other_depth = operation.transposes[1] ? second.columns : second.rows;
  const int64_t columns = operation.transposes[1] ? second.rows : second.columns;
  return rows == result.rows && columns == result.columns && depth == other_depth && depth > 0 &&
         first.batch == result.batch && second.batch == result.batch;
}

double scalar(const Operation& operation, const void* value) {
  return operation.scale == CUDA_R_64F ? *static_cast<const double*>(value)
                                       : static_cast<double>(*static_cast<const float*>(value));
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130100; }
int cublasLtCreate(void** handle) {
  *handle = new int(1);
  return 0;
}
int cublasLtMatmulDescCreate(Operation** operation, int compute, cudaDataType_t scale) {
  if (compute != 68 && compute != 70 && compute != 77) return kInvalidValue;
  *operation = new Operation{.compute = compute, .scale = scale};
  return 0;
}
int cublasLtMatmulDescSetAttribute(Operation* operation, int attribute, const void* value,
                                   size_t bytes) {
  if (attribute != 3 && attribute != 4) return kInvalidValue;
  return take(operation->transposes[attribute - 3], value, bytes) ? 0 : kInvalidValue;
}
int cublasLtMatmulDescDestroy(Operation* operation) {
  delete operation;
  return 0;
}
int cublasLtMatrixLayoutCreate(Layout** layout, cudaDataType_t type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  if (leading < static_cast<int64_t>(rows) || rows == 0 || columns == 0) return kInvalidValue;
  *layout = new Layout{.type = type,
                       .rows = static_cast<int64_t>(rows),
                       .columns = static_cast<int64_t>(columns),
                       .leading = leading};
  return 0;
}
int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value,
                                     size_t bytes) {
  if (attribute == 5) return take(layout->batch, value, bytes) ? 0 : kInvalidValue;
  if (attribute == 6) return take(layout->offset, value, bytes) ? 0 : kInvalidValue;
  return kInvalidValue;
}
int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return 0;
}
int cublasLtMatmulPreferenceCreate(Preference** preference) {
  *preference = new Preference;
  return 0;
}
int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* value,
                                         size_t bytes) {
  if (attribute == 1) return take(preference->most_workspace, value, bytes) ? 0 : kInvalidValue;
  if (attribute < 5 || attribute > 8) return kInvalidValue;
  return take(preference->alignments[attribute], value, bytes) ? 0 : kInvalidValue;
}
int cublasLtMatmulPreferenceDestroy(Preference* preference) {
  delete preference;
  return 0;
}
int cublasLtMatmulAlgoGetHeuristic(void* /*handle*/, Operation* operation, Layout* first,
                                   Layout* second, Layout* /*added*/, Layout* result,
                                   Preference* preference, int wanted, Choice* choices,
                                   int* given) {
  *given = 0;
  if (wanted < 1 || !fits(*operation, *first, *second, *result)) return kInvalidValue;
  if (preference->most_workspace < kWorkspaceBytes || preference->alignments.size() != 4) {
    return kNotSupported;
  }
  choices[0] = {};
  choices[0].algorithm[0] = kAlgorithm;
  choices[0].algorithm[1] = preference->alignments[5];
  choices[0].algorithm[2] = preference->alignments[6];
  choices[0].algorithm[3] = preference->alignments[8];
  choices[0].workspace_bytes = kWorkspaceBytes;
  *given = 1;
  return 0;
}
int cublasLtMatmul(void* /*handle*/, Operation* operation, const void* alpha, const void* first,
                   Layout* first_layout, const void* second, Layout* second_layout,
                   const void* beta, const void* added, Layout* added_layout, void* result,
                   Layout* result_layout, const uint64_t* algorithm, void* workspace,
                   size_t workspace_bytes, cudaStream_t stream) {
  if (!fits(*operation, *first_layout, *second_layout, *result_layout)) return kInvalidValue;
  if (!algorithm || algorithm[0] != kAlgorithm) return kInvalidValue;
  const void* places[] = {first, second, result};
  for (size_t i = 0; i < 3; ++i) {
    if (reinterpret_cast<uintptr_t>(places[i]) % algorithm[i + 1] != 0) return kInvalidValue;
  }
  if (!workspace || workspace_bytes < kWorkspaceBytes) return kInvalidValue;
  cudaStreamSynchronize(stream);
  const double scale = scalar(*operation, alpha);
  const double kept = scalar(*operation, beta);
  const int64_t depth = operation->transposes[0] ? first_layout->rows : first_layout->columns;
  for (int64_t b = 0; b < result_layout->batch; ++b) {
    for (int64_t i = 0; i < result_layout->rows; ++i) {
      for (int64_t j = 0; j < result_layout->columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum += (operation->transposes[0] ? as_double(first, *first_layout, b, k, i)
                                           : as_double(first, *first_layout, b, i, k)) *
                 (operation->transposes[1] ? as_double(second, *second_layout, b, j, k)
                                           : as_double(second, *second_layout, b, k, j));
        }
        const double before = kept == 0 ? 0 : kept * as_double(added, *added_layout, b, i, j);
        store(result, *result_layout, b, i, j, scale * sum + before);
      }
    }
  }
  return 0;
}

}  // extern "C"
