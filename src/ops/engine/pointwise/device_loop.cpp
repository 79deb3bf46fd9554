#include "opwright/ops/engine/pointwise/device_loop.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/ops/engine/shape/elementwise_shape.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

constexpr size_t kMostLoopTerms = kMostInputs + 1;  // the result is the first

// The dimensions of all terms, outermost first: in the result's memory order, merged where they are
// contiguous in every term. At least one.
class LoopDims {
 public:
  LoopDims(const Sizes& sizes, std::span<const Sizes> strides) : num_terms_(strides.size()) {
    SmallVector<size_t, kInlineDims> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, [&](size_t a, size_t b) {  // a stable sort would allocate
      const int64_t of_a = std::abs(strides[0][a]);
      const int64_t of_b = std::abs(strides[0][b]);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    for (const size_t dim : order) add(sizes[dim], dim, strides);
    if (sizes_.empty()) {
      sizes_.push_back(1);
      for (size_t i = 0; i < num_terms_; ++i) strides_[i].push_back(1);
    }
  }

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] const int64_t* strides(size_t term) const { return strides_[term].data(); }

 private:
  void add(int64_t size, size_t dim, std::span<const Sizes> strides) {
    if (size == 1) return;
    bool continues = !sizes_.empty();
    for (size_t i = 0; i < num_terms_ && continues; ++i)
      continues = strides_[i].back() == strides[i][dim] * size;
    if (continues)
      sizes_.back() *= size;
    else
      sizes_.push_back(size);
    for (size_t i = 0; i < num_terms_; ++i) {
      if (continues)
        strides_[i].back() = strides[i][dim];
      else
        strides_[i].push_back(strides[i][dim]);
    }
  }

  size_t num_terms_;
  Sizes sizes_;
  std::array<Sizes, kMostLoopTerms> strides_;
};

// Like broadcast_strides, which would cost more than a small call.
Sizes strides_in(const DeviceElements& elements, const Sizes& sizes) {
  if (sizes.size() != 1) return broadcast_strides(elements.sizes, elements.strides, sizes);
  const bool is_one = elements.sizes.empty() || elements.sizes[0] == 1;
  return Sizes(1, is_one ? 0 : elements.strides[0]);
}

OpwOperand describe_elements(const DeviceElements& elements, DType through,
                             const int64_t* strides) {
  OpwOperand operand{};
  operand.data = elements.data;
  operand.strides = strides;
  operand.dtype = to_dlpack(elements.dtype);
  operand.through = to_dlpack(through);
  return operand;
}

}  // namespace

DeviceElements elements_of(const Tensor& tensor) {
  return {.data = const_cast<void*>(tensor.data()),
          .dtype = tensor.dtype(),
          .sizes = Sizes(tensor.sizes()),
          .strides = Sizes(tensor.strides())};
}

DeviceElements row_of(const Tensor& tensor) {
  DeviceElements row{.data = const_cast<void*>(tensor.data()),
                     .dtype = tensor.dtype(),
                     .sizes = {},
                     .strides = {}};
  if (tensor.dim() != 0) {
    row.sizes.push_back(tensor.numel());
    row.strides.push_back(1);
  }
  return row;
}

bool computes_loops(Device device) { return device_table(device.type).compute_loop != nullptr; }

void DeviceLoop::add_operand(DeviceElements elements, DType through) {
  operands_.push_back({std::move(elements), through, {}});
}

void DeviceLoop::add_operand(const Scalar& number, DType through) {
  operands_.push_back({{nullptr, through, {}, {}}, through, number});
}

void DeviceLoop::add_number(const Scalar& number) { numbers_.push_back(number.value()); }

void DeviceLoop::write(const char* who, Device device, const DeviceElements& result) {
  if (std::ranges::find(result.sizes, 0) != result.sizes.end()) return;
  std::array<Sizes, kMostLoopTerms> strides;
  strides[0] = result.strides;
  for (size_t i = 0; i < operands_.size(); ++i)
    strides[i + 1] = strides_in(operands_[i].elements, result.sizes);
  const LoopDims dims(result.sizes, std::span(strides).first(operands_.size() + 1));
  SmallVector<OpwOperand, kMostInputs> operands;
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& each = operands_[i];
    operands.push_back(describe_elements(each.elements, each.through, dims.strides(i + 1)));
    operands.back().number = each.number.value();
  }
  OpwLoop loop{};
  loop.struct_size = sizeof loop;
  loop.rank = static_cast<uint32_t>(dims.sizes().size());
  loop.sizes = dims.sizes().data();
  loop.formula = formula_;
  loop.compute = to_dlpack(compute_);
  loop.num_operands = static_cast<uint32_t>(operands.size());
  loop.num_numbers = static_cast<uint32_t>(numbers_.size());
  loop.operands = operands.data();
  loop.numbers = numbers_.data();
  loop.result = describe_elements(result, result.dtype, dims.strides(0));
  run_primitive(who, device, &OpwDeviceTable::compute_loop, "loops (compute_loop)", loop);
}

}  // namespace opwright
