// compute_loop: finds the formula's kernels, and the way to run them that the memory allows.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "devices/cuda/device.h"
#include "devices/cuda/driver_functions.h"
#include "devices/cuda/kernels/formula_table.h"
#include "devices/cuda/kernels/joined_space.h"
#include "devices/cuda/kernels/word_copy.h"
#include "devices/cuda/primitives.h"

namespace opwright::cuda {

namespace {

constexpr size_t kMostOperands = 3;

// Null if the text was unknown when the plug-in was built.
const FormulaEntry* find_entry(std::string_view text) {
  const std::span<const FormulaEntry> table(kFormulaTable, kNumFormulas);
  const auto entry = std::ranges::lower_bound(
      table, text, {}, [](const FormulaEntry& each) { return std::string_view(each.text); });
  return entry != table.end() && entry->text == text ? &*entry : nullptr;
}

// The same, cached: the same texts are looked up again and again.
const FormulaEntry* find_formula(const char* text) {
  constexpr size_t kMostKnown = 64;
  thread_local std::array<const FormulaEntry*, kMostKnown> all{};
  const FormulaEntry*& known = all[reinterpret_cast<uintptr_t>(text) / sizeof(void*) % kMostKnown];
  if (!known || std::strcmp(known->text, text) != 0) {
    const FormulaEntry* found = find_entry(text);
    if (!found) return nullptr;
    known = found;
  }
  return known;
}

// A loop with its merged dimensions; the result is memory 0, the operands follow.
struct Loop {
  const OpwLoop& call;
  int32_t index;
  OpwStream* stream;
  JoinedSpace space;
};

void check_queued(const Loop& loop, int status) {
  if (status == CUDA_SUCCESS) [[likely]]
    return;
  check_driver(static_cast<CUresult>(status),
               concatenate("launching the kernel '", loop.call.formula, "'"), loop.index);
}

JoinedSpace join_dimensions(const OpwLoop& call) {
  std::array<const int64_t*, kMostOperands + 1> strides{call.result.strides};
  for (uint32_t i = 0; i < call.num_operands; ++i)
    strides[i + 1] = call.operands[i].data ? call.operands[i].strides : nullptr;
  return {call.rank, call.sizes, std::span(strides).first(call.num_operands + 1)};
}

bool are_same(OpwDtype a, OpwDtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

// The dtype to which elements of an operand are rounded first; None if they are not.
Element loop_rounding(const OpwLoop& call, const OpwOperand& operand) {
  const Element through = element_of(operand.through, call.formula);
  const Element compute = element_of(call.compute, call.formula);
  if (operand.data && are_same(operand.dtype, operand.through)) return Element::None;
  if (through != compute) return through;
  switch (compute) {  // computed in wider ints
    case Element::UInt8:
    case Element::Int8:
    case Element::UInt16:
    case Element::Int16:
    case Element::UInt32:
      return compute;
    default:
      return Element::None;
  }
}

LoopNumber rounded_number(const OpwLoop& call, const OpwOperand& operand) {
  LoopNumber number = loop_number(operand.number);
  const Element through = loop_rounding(call, operand);
  if (through == Element::None) return number;
  number.as_double = round_through(number.as_double, through);
  number.as_int = round_through(number.as_int, through);
  return number;
}

Compute loop_compute(const OpwLoop& call) {
  switch (element_of(call.compute, call.formula)) {
    case Element::Bool:
      return Compute::Bool;
    case Element::UInt8:
    case Element::Int8:
    case Element::UInt16:
    case Element::Int16:
    case Element::Int32:
      return Compute::Int32;
    case Element::UInt32:
    case Element::Int64:
      return Compute::Int64;
    case Element::UInt64:
      if (call.formula == std::string_view("x")) return Compute::Int64;
      throw_error("NotImplementedError", "the loop '", call.formula,
                  "' is not computed in uint64 on cuda; convert to int64 first");
    case Element::Float32:
    case Element::Float16:
    case Element::BFloat16:
      return Compute::Float;
    case Element::Float64:
      return Compute::Double;
    default:
      throw_error("NotImplementedError", "the loop '", call.formula, "' is not computed in ",
                  from_dlpack(call.compute), " on cuda");
  }
}

// ---- dense elements of one dtype ----

// kNumDenses if there are no such kernels.
size_t dense_index(OpwDtype dtype) {
  switch (from_dlpack(dtype)) {
    case DType::Float32:
      return static_cast<size_t>(Dense::Float32);
    case DType::Float16:
      return static_cast<size_t>(Dense::Float16);
    case DType::BFloat16:
      return static_cast<size_t>(Dense::BFloat16);
    case DType::Float64:
      return static_cast<size_t>(Dense::Float64);
    case DType::Int32:
      return static_cast<size_t>(Dense::Int32);
    case DType::Int64:
      return static_cast<size_t>(Dense::Int64);
    case DType::Bool:
      return static_cast<size_t>(Dense::Bool);
    default:
      return kNumDenses;
  }
}

bool is_computed_as(OpwDtype dtype, OpwDtype compute) {
  const bool is_half =
      dtype.bits == 16 && dtype.code != kOpwDtypeInt && dtype.code != kOpwDtypeUInt;
  const bool is_float = compute.code == kOpwDtypeFloat && compute.bits == 32;
  return are_same(dtype, compute) || (is_half && is_float);
}

// The dtype of all operands in memory, if the dense kernels support them; otherwise null.
const OpwDtype* find_dense_dtype(const Loop& loop, bool gives_truth) {
  const OpwLoop& call = loop.call;
  if (!loop.space.is_dense(0) || !is_aligned_to(call.result.data, 16)) return nullptr;
  const OpwDtype* dtype = gives_truth ? nullptr : &call.result.dtype;
  for (uint32_t i = 0; i < call.num_operands; ++i) {
    const OpwOperand& operand = call.operands[i];
    if (!operand.data) continue;
    if (!dtype) dtype = &operand.dtype;
    const bool is_regular = (loop.space.is_dense(i + 1) && is_aligned_to(operand.data, 16)) ||
                            loop.space.is_repeated(i + 1);
    if (!is_regular || !are_same(operand.dtype, *dtype) ||
        loop_rounding(call, operand) != Element::None)
      return nullptr;
  }
  if (!dtype || !is_computed_as(*dtype, call.compute)) return nullptr;
  if (gives_truth && from_dlpack(call.result.dtype) != DType::Bool) return nullptr;
  return dtype;
}

bool run_dense(const Loop& loop, const FormulaKernels& kernels) {
  const OpwDtype* dtype = find_dense_dtype(loop, kernels.gives_truth);
  const size_t place = dtype ? dense_index(*dtype) : kNumDenses;
  if (place == kNumDenses || !kernels.dense[place]) return false;
  DenseLoop dense{};
  dense.count = loop.space.count();
  dense.result = loop.call.result.data;
  for (uint32_t i = 0; i < loop.call.num_operands; ++i) {
    const OpwOperand& operand = loop.call.operands[i];
    dense.operands[i].data = operand.data;
    dense.operands[i].is_repeated = loop.space.is_repeated(i + 1) && dense.count > 1;
    if (!operand.data) dense.operands[i].number = rounded_number(loop.call, operand);
  }
  for (uint32_t i = 0; i < loop.call.num_numbers; ++i)
    dense.numbers[i] = loop_number(loop.call.numbers[i]);
  check_queued(loop, kernels.dense[place](dense, cuda_stream(loop.stream)));
  return true;
}

// ---- any elements ----

// How the kernels of a formula run a loop that is not dense.
struct StridedKernels {
  LaunchStrided by_elements;
  LaunchStrided by_runs;
};

bool lies_in_runs(const Loop& loop, size_t memory, const OpwOperand& operand) {
  return loop.space.lies_in_runs(memory, kRunLength) &&
         is_aligned_to(operand.data, std::min<size_t>(kRunLength * bytes_of(operand.dtype), 16));
}

void run_small(const Loop& loop, const StridedKernels& kernels) {
  const OpwLoop& call = loop.call;
  LoopArguments arguments{};
  const bool runs = lies_in_runs(loop, 0, call.result);
  JoinedSpace space = loop.space;
  if (runs) space.count_runs(kRunLength);
  arguments.space = space.index_space(call.formula);
  arguments.result = call.result.data;
  arguments.result_element = element_of(call.result.dtype, call.formula);
  space.copy_strides(0, arguments.result_strides);
  for (uint32_t i = 0; i < call.num_operands; ++i) {
    LoopOperand& operand = arguments.operands[i];
    operand.data = call.operands[i].data;
    operand.through = Element::None;
    if (!operand.data) {
      operand.number = rounded_number(call, call.operands[i]);
      continue;
    }
    operand.element = element_of(call.operands[i].dtype, call.formula);
    operand.through = loop_rounding(call, call.operands[i]);
    operand.lies_in_runs = lies_in_runs(loop, i + 1, call.operands[i]);
    operand.step = runs ? loop.space.stride(i + 1, loop.space.rank() - 1) : 0;
    space.copy_strides(i + 1, operand.strides);
  }
  for (uint32_t i = 0; i < call.num_numbers; ++i)
    arguments.numbers[i] = loop_number(call.numbers[i]);
  const LaunchStrided launch = runs ? kernels.by_runs : kernels.by_elements;
  check_queued(loop, launch(arguments, cuda_stream(loop.stream)));
}

void move_on(OpwOperand& operand, int64_t elements) {
  if (operand.data)
    operand.data = static_cast<std::byte*>(operand.data) +
                   elements * static_cast<int64_t>(bytes_of(operand.dtype));
}

// Kernels index up to 2^31: longer loops run in slices of the outermost dimension.
void run_strided(const Loop& loop, const StridedKernels& kernels) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const int64_t count = loop.space.count();
  if (count <= kMost) return run_small(loop, kernels);
  const int64_t inner = count / loop.space.size(0);
  const int64_t rows = inner <= kMost ? kMost / inner : 1;
  std::array<OpwOperand, kMostOperands> operands{};
  std::copy_n(loop.call.operands, loop.call.num_operands, operands.begin());
  OpwLoop call = loop.call;
  call.operands = operands.data();
  for (int64_t row = 0; row < loop.space.size(0); row += rows) {
    const int64_t size = std::min(rows, loop.space.size(0) - row);
    Loop slice{call, loop.index, loop.stream, loop.space};
    slice.space.set_size(0, size);
    run_strided(slice, kernels);
    move_on(call.result, size * loop.space.stride(0, 0));
    for (uint32_t i = 0; i < call.num_operands; ++i)
      move_on(operands[i], size * loop.space.stride(i + 1, 0));
  }
}

// ---- copies and fills ----

// "x" between memories of one dtype is a byte copy, for any dtype.
bool run_copy(const Loop& loop) {
  const OpwLoop& call = loop.call;
  if (call.formula != std::string_view("x") || call.num_operands != 1) return false;
  const OpwOperand& from = call.operands[0];
  if (!from.data || !are_same(from.dtype, call.result.dtype) ||
      !is_computed_as(from.dtype, call.compute) || loop_rounding(call, from) != Element::None)
    return false;
  if (from.data == call.result.data && loop.space.is_dense(0) && loop.space.is_dense(1))
    return true;
  copy_words(loop.space, bytes_of(from.dtype), call.result.data, from.data, loop.index,
             loop.stream);
  return true;
}

void run_call(const OpwLoop& call, int32_t index, OpwStream* stream) {
  OPWRIGHT_CHECK(call.num_operands <= kMostOperands && call.num_numbers <= 3, "the loop '",
                 call.formula, "' has more operands or numbers than x, y, z and a, b, c");
  const Loop loop{call, index, stream, join_dimensions(call)};
  if (run_copy(loop)) return;
  const FormulaEntry* formula = find_formula(call.formula);
  if (!formula)
    throw_error("NotImplementedError", "the loop '", call.formula,
                "' has no kernel in the CUDA plug-in");
  if (run_dense(loop, *formula->kernels)) return;
  const auto compute = static_cast<size_t>(loop_compute(call));
  const StridedKernels strided{formula->kernels->strided[compute],
                               formula->kernels->by_runs[compute]};
  if (!strided.by_elements)
    throw_error("NotImplementedError", "the loop '", call.formula, "' is not computed in ",
                from_dlpack(call.compute), " on cuda");
  run_strided(loop, strided);
}

}  // namespace

int compute_loop_cuda(const OpwHost* host, int32_t index, const OpwLoop* loop, OpwStream* stream) {
  return run_on(host, index, [&] { run_call(*loop, index, stream); });
}

}  // namespace opwright::cuda
