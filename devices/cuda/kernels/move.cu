// move_elements: gather, scatter and add through indices.
#include <array>
#include <cstdint>
#include <span>

#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/kernels/atomic_add.h"
#include "devices/cuda/kernels/index_fault.h"
#include "devices/cuda/kernels/joined_space.h"
#include "devices/cuda/primitives.h"

namespace opwright::cuda {
namespace {

constexpr int kThreads = 256;
constexpr size_t kMostIndices = 8;

struct MoveIndex {
  const void* data;  // null: `number`
  bool is_wide;      // int64, otherwise int32
  int64_t number;
  int64_t size;
  int64_t step;
  int64_t strides[kMostDimensions];
};

struct MoveArguments {
  IndexSpace space;
  int num_indices;
  MoveIndex indices[kMostIndices];
  bool has_source;  // otherwise `number`
  int64_t source_strides[kMostDimensions];
  int64_t result_strides[kMostDimensions];
  IndexFault* fault;
  alignas(16) unsigned char number[16];  // an element
};

struct Places {
  int64_t result;
  int64_t source;
};

// Adds the offset of an index to `place`; false if it is out of range.
__device__ __forceinline__ bool add_index(const MoveArguments& move, const MoveIndex& index,
                                          int64_t at, int64_t& place) {
  int64_t value = index.number;
  if (index.data) {
    value = index.is_wide ? static_cast<const int64_t*>(index.data)[at]
                          : static_cast<const int32_t*>(index.data)[at];
  }
  const int64_t wrapped = value < 0 ? value + index.size : value;
  if (wrapped < 0 || wrapped >= index.size) {
    report_index(move.fault, value, index.size);
    return false;
  }
  place += wrapped * index.step;
  return true;
}

// The source and destination of element i; `indexed` is the one that the indices apply to. False if
// there is no such element, or one of its indices is out of range.
__device__ __forceinline__ bool find_places(const MoveArguments& move, int64_t i, Places& places,
                                            int64_t Places::* indexed) {
  if (i >= move.space.count) return false;
  if (move.space.is_small && move.num_indices == 1) {  // the common call: one walk for all
    places = {0, 0};
    int64_t at = 0;
    move.space.split(static_cast<uint32_t>(i), [&](int d, int64_t coordinate) {
      places.result += coordinate * move.result_strides[d];
      places.source += coordinate * move.source_strides[d];
      at += coordinate * move.indices[0].strides[d];
    });
    return add_index(move, move.indices[0], at, places.*indexed);
  }
  places = {move.space.place(i, move.result_strides), move.space.place(i, move.source_strides)};
  for (int k = 0; k < move.num_indices; ++k) {
    const MoveIndex& index = move.indices[k];
    const int64_t at = index.data ? move.space.place(i, index.strides) : 0;
    if (!add_index(move, index, at, places.*indexed)) return false;
  }
  return true;
}

template <class Word>
__device__ __forceinline__ Word read_source(const MoveArguments& move, const Word* source,
                                            int64_t place) {
  return move.has_source ? source[place] : *reinterpret_cast<const Word*>(move.number);
}

template <class Word>
__global__ void __launch_bounds__(kThreads)
    gather_kernel(const __grid_constant__ MoveArguments move, Word* result, const Word* source) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  Places places;
  if (find_places(move, i, places, &Places::source))
    result[places.result] = read_source(move, source, places.source);
}

template <class Word>
__global__ void __launch_bounds__(kThreads)
    scatter_kernel(const __grid_constant__ MoveArguments move, Word* result, const Word* source) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  Places places;
  if (find_places(move, i, places, &Places::result))
    result[places.result] = read_source(move, source, places.source);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    add_kernel(const __grid_constant__ MoveArguments move, T* result, const T* source) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  Places places;
  if (find_places(move, i, places, &Places::result))
    atomic_add(result + places.result, read_source(move, source, places.source));
}

// Memory 0 is the result, 1 the source, then the indices.
JoinedSpace join_dimensions(const OpwMove& call) {
  std::array<const int64_t*, kMostIndices + 2> strides{
      call.result.strides, call.source.data ? call.source.strides : nullptr};
  for (uint32_t k = 0; k < call.num_indices; ++k) {
    const OpwOperand& value = call.indices[k].value;
    strides[k + 2] = value.data ? value.strides : nullptr;
  }
  return {call.rank, call.sizes, std::span(strides).first(call.num_indices + 2)};
}

void write_number(const OpwValue& value, OpwDtype dtype, unsigned char* bytes) {
  const LoopNumber number = loop_number(value);
  const Element element = element_of(dtype, "a move");
  if (is_floating(from_dlpack(dtype)) || is_complex(from_dlpack(dtype)))
    store_as(bytes, element, 0, number.as_double);
  else
    store_as(bytes, element, 0, number.as_int);
  if (value.tag == kOpwComplex && element == Element::Complex64)
    reinterpret_cast<float*>(bytes)[1] = static_cast<float>(value.as_doubles[1]);
  if (value.tag == kOpwComplex && element == Element::Complex128)
    reinterpret_cast<double*>(bytes)[1] = value.as_doubles[1];
}

// The number of elements that can be moved as one 16-byte word: those of the innermost dimension,
// if they are contiguous on both sides and share their indices.
int64_t widening_of(const OpwMove& call, const JoinedSpace& space) {
  const auto item = static_cast<int64_t>(bytes_of(call.result.dtype));
  const int64_t width = 16 / item;
  const int last = space.rank() - 1;
  if (call.kind == kOpwMoveAdd || !call.source.data || width <= 1 || last < 0) return 1;
  bool fits = space.lies_in_runs(0, width) && space.lies_in_runs(1, width) &&
              is_aligned_to(call.result.data, 16) && is_aligned_to(call.source.data, 16);
  for (uint32_t k = 0; k < call.num_indices; ++k)
    fits = fits && space.stride(k + 2, last) == 0 && call.indices[k].step % width == 0;
  return fits ? width : 1;
}

MoveArguments make_arguments(const OpwMove& call, JoinedSpace space, int64_t width, int32_t index) {
  if (width > 1) space.count_words(width, {0, 1});
  MoveArguments move{};
  move.space = space.index_space("a move");
  space.copy_strides(0, move.result_strides);
  space.copy_strides(1, move.source_strides);
  move.num_indices = static_cast<int>(call.num_indices);
  for (uint32_t k = 0; k < call.num_indices; ++k) {
    const OpwIndex& from = call.indices[k];
    MoveIndex& to = move.indices[k];
    to.data = from.value.data;
    to.is_wide = from.value.dtype.bits == 64;
    if (!to.data) to.number = loop_number(from.value.number).as_int;
    to.size = from.size;
    to.step = from.step / width;
    space.copy_strides(k + 2, to.strides);
  }
  move.has_source = call.source.data != nullptr;
  if (!move.has_source) write_number(call.source.number, call.result.dtype, move.number);
  move.fault = index_fault(index);
  return move;
}

template <class Word>
void launch_words(const OpwMove& call, const MoveArguments& move, cudaStream_t stream) {
  auto* result = static_cast<Word*>(call.result.data);
  const auto* source = static_cast<const Word*>(call.source.data);
  const auto blocks = static_cast<unsigned>(blocks_for(move.space.count, kThreads));
  if (call.kind == kOpwMoveGather)
    gather_kernel<Word><<<blocks, kThreads, 0, stream>>>(move, result, source);
  else
    scatter_kernel<Word><<<blocks, kThreads, 0, stream>>>(move, result, source);
}

template <class T>
void launch_add(const OpwMove& call, const MoveArguments& move, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(blocks_for(move.space.count, kThreads));
  add_kernel<T><<<blocks, kThreads, 0, stream>>>(move, static_cast<T*>(call.result.data),
                                                 static_cast<const T*>(call.source.data));
}

void launch_move(const OpwMove& call, const MoveArguments& move, size_t bytes,
                 cudaStream_t stream) {
  switch (bytes) {
    case 1:
      return launch_words<uint8_t>(call, move, stream);
    case 2:
      return launch_words<uint16_t>(call, move, stream);
    case 4:
      return launch_words<uint32_t>(call, move, stream);
    case 8:
      return launch_words<uint64_t>(call, move, stream);
    default:
      return launch_words<ulonglong2>(call, move, stream);
  }
}

void launch_sum(const OpwMove& call, const MoveArguments& move, cudaStream_t stream) {
  switch (element_of(call.result.dtype, "a sum through indices")) {
    case Element::Bool:
      return launch_add<TruthByte>(call, move, stream);
    case Element::UInt8:
    case Element::Int8:
      return launch_add<uint8_t>(call, move, stream);
    case Element::UInt16:
    case Element::Int16:
      return launch_add<uint16_t>(call, move, stream);
    case Element::UInt32:
    case Element::Int32:
      return launch_add<uint32_t>(call, move, stream);
    case Element::UInt64:
    case Element::Int64:
      return launch_add<uint64_t>(call, move, stream);
    case Element::Float16:
      return launch_add<HalfBits>(call, move, stream);
    case Element::BFloat16:
      return launch_add<BFloatBits>(call, move, stream);
    case Element::Float32:
      return launch_add<float>(call, move, stream);
    case Element::Float64:
      return launch_add<double>(call, move, stream);
    case Element::Complex64:
      return launch_add<ComplexParts<float>>(call, move, stream);
    default:
      return launch_add<ComplexParts<double>>(call, move, stream);
  }
}

void run(const OpwMove& call, int32_t index, OpwStream* stream) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", call.num_indices <= kMostIndices,
                      "a move on cuda takes up to ", kMostIndices, " indices, got ",
                      call.num_indices);
  const JoinedSpace space = join_dimensions(call);
  const int64_t width = widening_of(call, space);
  const MoveArguments move = make_arguments(call, space, width, index);
  if (call.kind == kOpwMoveAdd)
    launch_sum(call, move, cuda_stream(stream));
  else
    launch_move(call, move, width > 1 ? 16 : bytes_of(call.result.dtype), cuda_stream(stream));
  check_launch("a move through indices", index);
}

}  // namespace

int move_elements_cuda(const OpwHost* host, int32_t index, const OpwMove* move, OpwStream* stream) {
  return run_on(host, index, [&] { run(*move, index, stream); });
}

}  // namespace opwright::cuda
