// The part of cuBLASLt's interface that the plug-in uses, restated so that the build does not need
// its headers. The numbers are those of cublasLt.h, the same in versions 11 to 13.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <driver_types.h>
#include <library_types.h>

namespace opwright::cuda::lt {

using Status = int;  // cublasStatus_t; 0 is success
using Handle = void*;
using Operation = void*;   // cublasLtMatmulDesc_t
using Layout = void*;      // cublasLtMatrixLayout_t
using Preference = void*;  // cublasLtMatmulPreference_t

inline constexpr int kCompute32 = 68;      // CUBLAS_COMPUTE_32F
inline constexpr int kComputeTf32 = 77;    // CUBLAS_COMPUTE_32F_FAST_TF32
inline constexpr int kCompute64 = 70;      // CUBLAS_COMPUTE_64F
inline constexpr int32_t kTransposes = 1;  // CUBLAS_OP_T

inline constexpr int kTransposesFirst = 3;   // CUBLASLT_MATMUL_DESC_TRANSA, int32_t
inline constexpr int kTransposesSecond = 4;  // CUBLASLT_MATMUL_DESC_TRANSB, int32_t

inline constexpr int kBatchCount = 5;   // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t
inline constexpr int kBatchOffset = 6;  // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t

inline constexpr int kMostWorkspace = 1;    // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t
inline constexpr int kAlignmentFirst = 5;   // ..._MIN_ALIGNMENT_A_BYTES, uint32_t
inline constexpr int kAlignmentSecond = 6;  // ..._MIN_ALIGNMENT_B_BYTES
inline constexpr int kAlignmentAdded = 7;   // ..._MIN_ALIGNMENT_C_BYTES
inline constexpr int kAlignmentResult = 8;  // ..._MIN_ALIGNMENT_D_BYTES

struct Algorithm {
  uint64_t data[8];
};
// cublasLtMatmulHeuristicResult_t
struct Choice {
  Algorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Choice) == 96);

// The functions without their prefix cublasLt.
struct Functions {
  size_t (*GetVersion)();
  Status (*Create)(Handle* handle);
  Status (*MatmulDescCreate)(Operation* operation, int compute, cudaDataType_t scale);
  Status (*MatmulDescSetAttribute)(Operation operation, int attribute, const void* value,
                                   size_t bytes);
  Status (*MatmulDescDestroy)(Operation operation);
  Status (*MatrixLayoutCreate)(Layout* layout, cudaDataType_t type, uint64_t rows, uint64_t columns,
                               int64_t leading);
  Status (*MatrixLayoutSetAttribute)(Layout layout, int attribute, const void* value, size_t bytes);
  Status (*MatrixLayoutDestroy)(Layout layout);
  Status (*MatmulPreferenceCreate)(Preference* preference);
  Status (*MatmulPreferenceSetAttribute)(Preference preference, int attribute, const void* value,
                                         size_t bytes);
  Status (*MatmulPreferenceDestroy)(Preference preference);
  Status (*MatmulAlgoGetHeuristic)(Handle handle, Operation operation, Layout first, Layout second,
                                   Layout added, Layout result, Preference preference, int wanted,
                                   Choice* choices, int* given);
  Status (*Matmul)(Handle handle, Operation operation, const void* alpha, const void* first,
                   Layout first_layout, const void* second, Layout second_layout, const void* beta,
                   const void* added, Layout added_layout, void* result, Layout result_layout,
                   const Algorithm* algorithm, void* workspace, size_t workspace_bytes,
                   cudaStream_t stream);
};

}  // namespace opwright::cuda::lt
