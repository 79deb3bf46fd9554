#include "devices/opencl/move.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <CL/cl.h>

#include "devices/opencl/device.h"
#include "devices/opencl/dtype_text.h"
#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/layout.h"
#include "devices/opencl/loader.h"
#include "devices/opencl/memory.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr size_t kMoveGroup = 64;

// Atomic additions by several work-items to one element. Elements of less than 32 bits are updated
// in the word around them.
constexpr const char* kAddNative = R"(
void add_element(__global E* element, A v) { ATOMIC_ADD((volatile __global E*)element, v); }
)";
constexpr const char* kAddByExchange = R"(
void add_element(__global E* element, A v) {
  volatile __global W* word = (volatile __global W*)element;
  W seen = *word, old;
  do {
    old = seen;
    seen = EXCHANGE(word, old, AS_WORD(AS_VALUE(old) + v));
  } while (seen != old);
}
)";
constexpr const char* kAddInWord = R"(
void add_element(__global E* element, A v) {
  const ulong address = (ulong)element;
  volatile __global uint* word = (volatile __global uint*)(address & ~(ulong)3);
  const uint shift = (uint)(address & 3) * 8;
  const uint mask = (uint)((1ul << (8 * sizeof(E))) - 1) << shift;
  uint seen = *word, old;
  do {
    old = seen;
    E current = (E)((old & mask) >> shift);
    const A value = LOADED(current) + v;
    STORE(current)
    const uint bits = ((uint)current << shift) & mask;
    seen = atomic_cmpxchg(word, old, (old & ~mask) | bits);
  } while (seen != old);
}
)";
constexpr const char* kAddTruth = R"(
void add_element(__global E* element, A v) {
  if (v != 0) *element = 1;
}
)";

std::string add_text(const Device& device, DType dtype) {
  const DType compute = computing(dtype);
  std::string text = concatenate("typedef ", value_type(compute), " A;\n#define LOADED(e) ",
                                 load_text(dtype, "(e)"), "\n#define STORE(element) ",
                                 store_text(dtype, "(element)", "value", compute));
  if (dtype == DType::Bool) return text + kAddTruth;
  if (item_size(dtype) < 4) return text + kAddInWord;
  if (item_size(dtype) == 4) {
    if (is_integral(dtype)) return text + "#define ATOMIC_ADD atomic_add\n" + kAddNative;
    return text +
           "typedef uint W;\n#define EXCHANGE atomic_cmpxchg\n#define AS_WORD as_uint\n"
           "#define AS_VALUE as_float\n" +
           kAddByExchange;
  }
  OPWRIGHT_CHECK_KIND("NotImplementedError", device.has_long_atomics(), "opencl:", device.index(),
                      " adds no elements of ", dtype,
                      " by index: the device has no cl_khr_int64_base_atomics");
  text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
  if (is_integral(dtype)) return text + "#define ATOMIC_ADD atom_add\n" + kAddNative;
  return text +
         "typedef ulong W;\n#define EXCHANGE atom_cmpxchg\n#define AS_WORD as_ulong\n"
         "#define AS_VALUE as_double\n" +
         kAddByExchange;
}

// An out-of-range index, as recorded by the kernel.
struct IndexFault {
  int64_t is_there, value, size;
};

// The source (unless it is a number), the result, and the indices that are not numbers.
std::vector<const int64_t*> list_strides(const OpwMove& move) {
  std::vector<const int64_t*> strides = {move.result.strides};
  if (move.source.data != nullptr) strides.push_back(move.source.strides);
  for (uint32_t i = 0; i < move.num_indices; ++i) {
    if (move.indices[i].value.data != nullptr) strides.push_back(move.indices[i].value.strides);
  }
  return strides;
}

KernelText make_move_kernel(const Device& device, const OpwMove& move, const Layout& layout,
                            uint32_t num_arrays) {
  const DType dtype = from_dlpack(move.result.dtype);
  const bool is_add = move.kind == kOpwMoveAdd;
  const bool is_number = move.source.data == nullptr;
  std::string source = dtype_prelude();
  source += concatenate("typedef ", is_add ? storage_type(dtype) : moved_type(dtype), " E;\n");
  if (is_add) source += add_text(device, dtype);
  source += layout_struct(layout.rank(), num_arrays);
  std::string arguments = is_number ? "E number" : "__global const E* source";
  std::string steps;
  uint32_t array = is_number ? 1 : 2;
  for (uint32_t i = 0; i < move.num_indices; ++i) {
    const OpwOperand& value = move.indices[i].value;
    arguments +=
        value.data != nullptr
            ? concatenate(", __global const ", storage_type(from_dlpack(value.dtype)), "* index", i)
            : concatenate(", long index", i);
    arguments += concatenate(", long size", i, ", long step", i);
    steps += "  { long value = (long)";
    steps += value.data != nullptr ? concatenate("index", i, "[at", array++, "];\n")
                                   : concatenate("index", i, ";\n");
    steps += concatenate("    const long size = size", i,
                         ";\n    if (value < -size || value >= size) {\n"
                         "      if (atomic_cmpxchg((volatile __global int*)fault, 0, 1) == 0) {\n"
                         "        fault[1] = value;\n        fault[2] = size;\n      }\n"
                         "      return;\n    }\n    moved += step",
                         i, " * (value < 0 ? value + size : value);\n  }\n");
  }
  const std::string here = is_number ? "number" : "source[at1]";
  const char* index = layout.is_wide() ? "ulong" : "uint";
  source += concatenate("__kernel void move(Layout layout, ulong count, __global long* fault, ",
                        "__global E* result, ", arguments, ") {\n  const ", index, " i = (", index,
                        ")get_global_id(0);\n  if (i >= count) return;\n",
                        layout_places(layout.rank(), num_arrays, layout.is_wide()),
                        "  long moved = 0;\n", steps);
  if (move.kind == kOpwMoveGather) {
    source += is_number ? "  result[at0] = number;\n" : "  result[at0] = source[at1 + moved];\n";
  } else if (is_add) {
    source += "  add_element(result + at0 + moved, LOADED(" + here + "));\n";
  } else {
    source += "  result[at0 + moved] = " + here + ";\n";
  }
  return {source + "}\n", "move", device.build_options(), "the move of elements"};
}

std::string move_key(const OpwMove& move, const Layout& layout) {
  std::string key =
      concatenate("move ", move.kind, " ", static_cast<uint32_t>(from_dlpack(move.result.dtype)),
                  move.source.data == nullptr ? " number" : " array", " ", layout.rank(),
                  layout.is_wide() ? " wide" : "");
  for (uint32_t i = 0; i < move.num_indices; ++i) {
    const OpwOperand& value = move.indices[i].value;
    key += value.data == nullptr
               ? std::string(" number")
               : concatenate(" ", static_cast<uint32_t>(from_dlpack(value.dtype)));
  }
  return key;
}

void* operand_moved_by(const OpwOperand& operand, int64_t elements) {
  const auto size = static_cast<int64_t>(item_size(from_dlpack(operand.dtype)));
  return static_cast<std::byte*>(operand.data) + elements * size;
}

void run_move(Device& device, const OpwMove& move, const Layout& layout,
              std::span<const int64_t> offsets, void* fault, cl_command_queue queue) {
  const auto num_arrays = static_cast<uint32_t>(offsets.size());
  KernelCall call(device.kernels().find(
      move_key(move, layout), [&] { return make_move_kernel(device, move, layout, num_arrays); }));
  call.bytes(layout.numbers().data(), layout.numbers().size() * sizeof(int64_t));
  call.value(layout.count()).memory(fault).memory(operand_moved_by(move.result, offsets[0]));
  size_t array = 1;
  if (move.source.data != nullptr) {
    call.memory(operand_moved_by(move.source, offsets[array++]));
  } else {
    const NumberBytes number = storage_bytes(move.source.number, from_dlpack(move.result.dtype));
    call.bytes(number.bytes.data(), number.size);
  }
  for (uint32_t i = 0; i < move.num_indices; ++i) {
    const OpwIndex& index = move.indices[i];
    if (index.value.data != nullptr) {
      call.memory(operand_moved_by(index.value, offsets[array++]));
    } else {
      call.value(index.value.number.as_int);
    }
    call.value(index.size).value(index.step);
  }
  call.run(queue, {round_up(layout.count(), kMoveGroup), 1, 1}, {kMoveGroup, 1, 1});
}

void check_move(const Device& device, const OpwMove& move) {
  if (move.kind == kOpwMoveAdd)
    check_computes(device, from_dlpack(move.result.dtype), "the addition by indices");
  for (uint32_t i = 0; i < move.num_indices; ++i) {
    const DType dtype = from_dlpack(move.indices[i].value.dtype);
    OPWRIGHT_CHECK_TYPE(move.indices[i].value.data == nullptr || is_integral(dtype),
                        "opencl: indices must be ints, got ", dtype);
  }
}

}  // namespace

void move_elements(int32_t index, const OpwMove* move, OpwStream* stream) {
  Device& device = find_device(index);
  check_move(device, *move);
  cl_command_queue queue = queue_of(device, stream);
  const std::vector<const int64_t*> strides = list_strides(*move);
  // Besides the layout there are three numbers for every index.
  const auto num_arrays = static_cast<uint32_t>(strides.size());
  const uint32_t room = kMostLayoutNumbers - std::min(3 * move->num_indices, 90U);
  const uint32_t most = std::max(1U, std::min(kMostRank, room / (num_arrays + 1)));
  const uint32_t outer = move->rank > most ? move->rank - most : 0;
  std::vector<const int64_t*> inner_strides;
  for (const int64_t* of_array : strides) inner_strides.push_back(of_array + outer);
  const std::span<const int64_t> sizes(move->sizes, move->rank);
  const Layout layout(sizes.subspan(outer), inner_strides);

  const Scratch memory(device, sizeof(IndexFault), queue);
  const int64_t zero = 0;
  check_status(opencl().clEnqueueSVMMemFill(queue, memory.data(), &zero, sizeof zero,
                                            sizeof(IndexFault), 0, nullptr, nullptr),
               "clEnqueueSVMMemFill");
  for_each_outer(sizes, strides, outer, [&](std::span<const int64_t> offsets) {
    run_move(device, *move, layout, offsets, memory.data(), queue);
  });
  IndexFault fault{};
  check_status(opencl().clEnqueueSVMMemcpy(queue, CL_TRUE, &fault, memory.data(), sizeof fault, 0,
                                           nullptr, nullptr),
               "clEnqueueSVMMemcpy");
  OPWRIGHT_CHECK_INDEX(fault.is_there == 0, "index ", fault.value,
                       " is out of range for a dimension of size ", fault.size);
}

}  // namespace opwright::opencl
