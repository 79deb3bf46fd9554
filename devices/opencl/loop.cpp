#include "devices/opencl/loop.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/opencl/device.h"
#include "devices/opencl/dtype_text.h"
#include "devices/opencl/formula_text.h"
#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/layout.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr size_t kLoopGroup = 64;
constexpr const char* kOperandNames[] = {"x", "y", "z"};
constexpr const char* kNumberNames[] = {"a", "b", "c"};

DType through_of(const OpwOperand& operand) {
  return operand.through.bits == 0 ? from_dlpack(operand.dtype) : from_dlpack(operand.through);
}

// The dtype of a number that replaces elements.
DType dtype_of_number(const OpwOperand& operand, DType compute) {
  return through_of(operand) == DType::Bool ? DType::Bool : compute;
}

// One parsed loop: what its kernel is generated from.
struct LoopPlan {
  const OpwLoop& loop;
  DType compute;
  DType result;
  bool is_moved;  // elements or a number are stored unchanged, for any dtype

  [[nodiscard]] bool is_array(uint32_t operand) const {
    return loop.operands[operand].data != nullptr;
  }
};

// "x" of one dtype and "a", also for dtypes that the device cannot compute with.
bool is_plain_move(const OpwLoop& loop) {
  const std::string_view formula = loop.formula;
  const DType result = from_dlpack(loop.result.dtype);
  if (formula == "a") return is_complex(result);
  if (formula != "x") return false;
  const OpwOperand& operand = loop.operands[0];
  if (operand.data == nullptr) return is_complex(result);
  const DType dtype = from_dlpack(operand.dtype);
  const DType compute = from_dlpack(loop.compute);
  return dtype == result && through_of(operand) == dtype &&
         (compute == dtype || compute == computing(dtype));
}

LoopPlan read_loop(const Device& device, const OpwLoop& loop) {
  LoopPlan plan{loop, computing(from_dlpack(loop.compute)), from_dlpack(loop.result.dtype),
                is_plain_move(loop)};
  OPWRIGHT_CHECK_VALUE(loop.num_operands <= 3 && loop.num_numbers <= 3, "opencl: the formula '",
                       loop.formula, "' has ", loop.num_operands, " operands and ",
                       loop.num_numbers, " numbers; at most 3 of each are possible");
  if (plan.is_moved) return plan;
  const std::string who = concatenate("the loop '", loop.formula, "'");
  check_computes(device, plan.compute, who.c_str());
  check_computes(device, plan.result, who.c_str());
  for (uint32_t i = 0; i < loop.num_operands; ++i) {
    if (plan.is_array(i)) check_computes(device, from_dlpack(loop.operands[i].dtype), who.c_str());
  }
  return plan;
}

std::string loop_key(const LoopPlan& plan, const Layout& layout) {
  const OpwLoop& loop = plan.loop;
  std::string key =
      concatenate("loop ", loop.formula, " ", plan.is_moved ? "moved" : "computed",
                  static_cast<uint32_t>(plan.compute), " ", static_cast<uint32_t>(plan.result));
  for (uint32_t i = 0; i < loop.num_operands; ++i) {
    const OpwOperand& operand = loop.operands[i];
    key += concatenate(plan.is_array(i) ? " array" : " number",
                       static_cast<uint32_t>(from_dlpack(operand.dtype)), " ",
                       static_cast<uint32_t>(through_of(operand)));
  }
  return key + concatenate(" ", loop.num_numbers, layout.is_dense() ? " dense" : " rank",
                           layout.is_dense() ? 0 : layout.rank(), layout.is_wide() ? " wide" : "");
}

// The declaration and value of operand i; `element` is one of its elements.
std::string operand_text(const LoopPlan& plan, uint32_t i, const std::string& element) {
  const OpwOperand& operand = plan.loop.operands[i];
  const DType through = through_of(operand);
  const bool is_truth = through == DType::Bool;
  const DType dtype =
      plan.is_array(i) ? from_dlpack(operand.dtype) : dtype_of_number(operand, plan.compute);
  const std::string loaded = plan.is_array(i) ? load_text(dtype, element) : element;
  std::string value = convert_text(loaded, dtype, through);
  if (!is_truth) value = convert_text(value, through, plan.compute);
  return concatenate("  const ", is_truth ? "uchar" : value_type(plan.compute), " ",
                     kOperandNames[i], " = ", value, ";\n");
}

std::string body_of(const LoopPlan& plan) {
  const OpwLoop& loop = plan.loop;
  std::string text;
  uint32_t array = 1;  // the result is the first
  for (uint32_t i = 0; i < loop.num_operands; ++i) {
    const std::string name = concatenate("operand", i);
    const std::string element = plan.is_array(i) ? concatenate(name, "[at", array++, "]") : name;
    text += plan.is_moved ? concatenate("  const ", moved_type(plan.result), " ", kOperandNames[i],
                                        " = ", element, ";\n")
                          : operand_text(plan, i, element);
  }
  if (plan.is_moved) return text + concatenate("  result[at0] = ", loop.formula, ";\n");
  const std::string formula = formula_text(loop.formula, plan.compute);
  const std::string value = plan.compute == DType::Bool
                                ? "(uchar)((" + formula + ") != 0)"
                                : concatenate("(", value_type(plan.compute), ")(", formula, ")");
  text += concatenate("  const ", value_type(plan.compute), " value = ", value, ";\n");
  return text + "  " + store_text(plan.result, "result[at0]", "value", plan.compute);
}

KernelText make_loop_kernel(const Device& device, const LoopPlan& plan, const Layout& layout) {
  const OpwLoop& loop = plan.loop;
  std::string arguments = concatenate(
      "__global ", plan.is_moved ? moved_type(plan.result) : storage_type(plan.result), "* result");
  uint32_t num_arrays = 1;
  for (uint32_t i = 0; i < loop.num_operands; ++i) {
    const OpwOperand& operand = loop.operands[i];
    const DType dtype = from_dlpack(operand.dtype);
    if (plan.is_array(i)) {
      ++num_arrays;
      arguments +=
          concatenate(", __global const ", plan.is_moved ? moved_type(dtype) : storage_type(dtype),
                      "* operand", i);
    } else {
      arguments += concatenate(", ",
                               plan.is_moved ? moved_type(plan.result)
                                             : value_type(dtype_of_number(operand, plan.compute)),
                               " operand", i);
    }
  }
  for (uint32_t i = 0; i < loop.num_numbers; ++i) {
    arguments +=
        concatenate(", ", plan.is_moved ? moved_type(plan.result) : value_type(plan.compute), " ",
                    kNumberNames[i]);
  }
  const char* index = layout.is_wide() ? "ulong" : "uint";
  std::string source = dtype_prelude();
  if (!plan.is_moved) source += formula_functions(plan.compute);
  if (!layout.is_dense()) source += layout_struct(layout.rank(), num_arrays);
  source += concatenate("__kernel void loop(", layout.is_dense() ? "" : "Layout layout, ",
                        "ulong count, ", arguments, ") {\n  const ", index, " i = (", index,
                        ")get_global_id(0);\n  if (i >= count) return;\n");
  if (layout.is_dense()) {
    for (uint32_t array = 0; array < num_arrays; ++array)
      source += concatenate("  const size_t at", array, " = i;\n");
  } else {
    source += layout_places(layout.rank(), num_arrays, layout.is_wide());
  }
  source += body_of(plan) + "}\n";
  return {source, "loop", device.build_options(), concatenate("the loop '", loop.formula, "'")};
}

void* data_moved_by(void* data, int64_t elements, OpwDtype dtype) {
  const auto size = static_cast<int64_t>(item_size(from_dlpack(dtype)));
  return static_cast<std::byte*>(data) + elements * size;
}

void run_loop(Device& device, const LoopPlan& plan, std::span<const int64_t> sizes,
              std::span<const int64_t* const> strides, std::span<const int64_t> offsets,
              cl_command_queue queue) {
  const OpwLoop& loop = plan.loop;
  const Layout layout(sizes, strides);
  Kernel& kernel = device.kernels().find(loop_key(plan, layout),
                                         [&] { return make_loop_kernel(device, plan, layout); });
  KernelCall call(kernel);
  if (!layout.is_dense())
    call.bytes(layout.numbers().data(), layout.numbers().size() * sizeof(int64_t));
  call.value(layout.count());
  call.memory(data_moved_by(loop.result.data, offsets[0], loop.result.dtype));
  size_t array = 1;
  const auto pass_number = [&](const OpwValue& number, DType dtype) {
    const NumberBytes bytes = value_bytes(number, plan.is_moved ? plan.result : dtype);
    call.bytes(bytes.bytes.data(), bytes.size);
  };
  for (uint32_t i = 0; i < loop.num_operands; ++i) {
    const OpwOperand& operand = loop.operands[i];
    if (plan.is_array(i)) {
      call.memory(data_moved_by(operand.data, offsets[array++], operand.dtype));
    } else {
      pass_number(operand.number, dtype_of_number(operand, plan.compute));
    }
  }
  for (uint32_t i = 0; i < loop.num_numbers; ++i) pass_number(loop.numbers[i], plan.compute);
  call.run(queue, {round_up(layout.count(), kLoopGroup), 1, 1}, {kLoopGroup, 1, 1});
}

}  // namespace

void compute_loop(int32_t index, const OpwLoop* loop, OpwStream* stream) {
  Device& device = find_device(index);
  const LoopPlan plan = read_loop(device, *loop);
  const std::span<const int64_t> sizes(loop->sizes, loop->rank);
  std::vector<const int64_t*> strides = {loop->result.strides};
  for (uint32_t i = 0; i < loop->num_operands; ++i) {
    if (plan.is_array(i)) strides.push_back(loop->operands[i].strides);
  }
  const uint32_t outer = loop->rank > kMostRank ? loop->rank - kMostRank : 0;
  std::vector<const int64_t*> inner_strides;
  for (const int64_t* of_array : strides) inner_strides.push_back(of_array + outer);
  for_each_outer(sizes, strides, outer, [&](std::span<const int64_t> offsets) {
    run_loop(device, plan, sizes.subspan(outer), inner_strides, offsets, queue_of(device, stream));
  });
}

}  // namespace opwright::opencl
