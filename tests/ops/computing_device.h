// "computing": a device that uses the test's own memory and computes loops and reductions element
// by element, as docs/concepts/device_plugin.md describes.
//
// Other headers add their functions to table() before the device is first used.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ops/formula_evaluator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/plugin/device_plugin.h"
#include "opwright/tensor/device/device_table.h"
#include "tensor/test_device.h"

namespace opwright::testing {

// The offset of element `index` of an operand, in elements.
inline int64_t offset_of(const OpwOperand& operand, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * operand.strides[i];
  return offset;
}

// Calls visit(index) for every index below the sizes, last dimension fastest.
template <class Visit>
void for_each_index(std::vector<int64_t> sizes, const Visit& visit) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim]) break;
      index[dim] = 0;
    }
  }
}

template <class T>
T read_operand(const OpwOperand& operand, int64_t offset) {
  if (!operand.data) return number_as<T>(ValueOf<Scalar>::read(operand.number));
  return for_dtype(from_dlpack(operand.dtype), "computing", [&]<typename M>() {
    const M element = static_cast<const M*>(operand.data)[offset];
    return for_dtype(from_dlpack(operand.through), "computing",
                     [&]<typename V>() { return convert_number<T>(convert_number<V>(element)); });
  });
}

template <class T>
void write_operand(const OpwOperand& operand, int64_t offset, T value) {
  for_dtype(from_dlpack(operand.dtype), "computing", [&]<typename M>() {
    static_cast<M*>(operand.data)[offset] = convert_number<M>(value);
  });
}

class ComputingDevice {
 public:
  // Counts of computations.
  static inline int64_t loops = 0;
  static inline int64_t folds = 0;
  static inline std::string formula;         // of the last loop
  static inline std::vector<int64_t> sizes;  // of the last loop or reduction
  static inline int32_t index = -1;          // of the last loop or reduction
  static inline OpwStream* stream = nullptr;
  static inline std::string_view refused;  // a formula that it rejects

  static OpwDeviceTable& table() {
    static OpwDeviceTable table = [] {
      OpwDeviceTable made = TestDevice::kTable;
      made.name = "computing";
      made.compute_loop = &compute_loop;
      made.compute_fold = &compute_fold;
      made.allocate_pinned = [](const OpwHost*, size_t bytes, void** memory) {
        *memory = std::malloc(bytes);
        return 0;
      };
      made.free_pinned = [](void* memory, size_t) { std::free(memory); };
      return made;
    }();
    return table;
  }
  // Registers the device on first use.
  static Device device(int32_t number = 0) {
    static const int32_t type = register_device(table());
    return Device(type, number);
  }

 private:
  template <class Body>
  static void for_compute(OpwDtype compute, const Body& body) {
    switch (from_dlpack(compute)) {
      case DType::Bool:
        return body.template operator()<bool>();
      case DType::UInt8:
        return body.template operator()<uint8_t>();
      case DType::Int8:
        return body.template operator()<int8_t>();
      case DType::Int16:
        return body.template operator()<int16_t>();
      case DType::Int32:
        return body.template operator()<int32_t>();
      case DType::Int64:
        return body.template operator()<int64_t>();
      case DType::Float32:
        return body.template operator()<float>();
      case DType::Float64:
        return body.template operator()<double>();
      default:
        throw Error("NotImplementedError", "the computing device has no such dtype");
    }
  }

  static int compute_loop(const OpwHost* host, int32_t at, const OpwLoop* loop, OpwStream* on) {
    return give_status(host, [&] {
      OPWRIGHT_CHECK_KIND("NotImplementedError", refused != loop->formula, "refused: ", refused);
      ++loops;
      formula = loop->formula;
      note(at, on, loop->sizes, loop->rank);
      for_compute(loop->compute, [&]<typename T>() { run_loop<T>(*loop); });
    });
  }

  template <class T>
  static void run_loop(const OpwLoop& loop) {
    std::vector<T> numbers;
    for (uint32_t i = 0; i < loop.num_numbers; ++i)
      numbers.push_back(number_as<T>(ValueOf<Scalar>::read(loop.numbers[i])));
    for_each_index(sizes, [&](const std::vector<int64_t>& element) {
      std::vector<FormulaValue<T>> operands;
      for (uint32_t i = 0; i < loop.num_operands; ++i) {
        const OpwOperand& operand = loop.operands[i];
        const int64_t offset = operand.data ? offset_of(operand, element) : 0;
        const bool is_truth = from_dlpack(operand.through) == DType::Bool;
        operands.push_back({read_operand<T>(operand, offset), is_truth});
      }
      FormulaEvaluator<T> evaluator(loop.formula, operands, numbers);
      write_operand(loop.result, offset_of(loop.result, element), evaluator.evaluate().number);
    });
  }

  static int compute_fold(const OpwHost* host, int32_t at, const OpwFold* fold, OpwStream* on) {
    return give_status(host, [&] {
      ++folds;
      note(at, on, fold->sizes, fold->num_kept + fold->num_folded);
      for_compute(fold->compute, [&]<typename T>() { run_fold<T>(*fold); });
    });
  }

  template <class T>
  static void run_fold(const OpwFold& fold) {
    const std::vector<int64_t> kept(fold.sizes, fold.sizes + fold.num_kept);
    const std::vector<int64_t> folded(fold.sizes + fold.num_kept,
                                      fold.sizes + fold.num_kept + fold.num_folded);
    for_each_index(kept, [&](const std::vector<int64_t>& outer) {
      std::vector<T> elements;
      for_each_index(folded, [&](const std::vector<int64_t>& inner) {
        std::vector<int64_t> element = outer;
        element.insert(element.end(), inner.begin(), inner.end());
        elements.push_back(read_operand<T>(fold.operand, offset_of(fold.operand, element)));
      });
      int64_t where = 0;
      const auto value = fold_elements<T>(fold.fold, elements, fold.number, where);
      if (fold.result.data) write_operand(fold.result, offset_of(fold.result, outer), value);
      if (fold.indices.data) write_operand(fold.indices, offset_of(fold.indices, outer), where);
    });
  }

  template <class T>
  static T fold_elements(std::string_view fold, const std::vector<T>& elements, double number,
                         int64_t& where) {
    if (fold == "max" || fold == "min") {
      for (size_t i = 1; i < elements.size(); ++i) {
        const T x = elements[i];
        const T found = elements[static_cast<size_t>(where)];
        const bool exceeds = fold == "max" ? x > found : x < found;
        if (exceeds || (x != x && found == found)) where = static_cast<int64_t>(i);
      }
      return elements[static_cast<size_t>(where)];
    }
    if (fold == "any" || fold == "all") {
      bool value = fold == "all";
      for (const T x : elements) value = fold == "all" ? value && x != T(0) : value || x != T(0);
      return static_cast<T>(value);
    }
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(fold_floats(fold, {elements.begin(), elements.end()}, number));
    } else if constexpr (!std::is_same_v<T, bool>) {
      T value = fold == "prod" ? T(1) : T(0);
      for (const T x : elements) value = fold == "prod" ? wrap_mul(value, x) : wrap_add(value, x);
      if (fold == "prod" || fold == "sum") return value;
    }
    throw Error("NotImplementedError", "the computing device has no such fold");
  }

  static double fold_floats(std::string_view fold, const std::vector<double>& elements,
                            double number) {
    const auto count = static_cast<double>(elements.size());
    double sum = 0, product = 1, powers = 0, deviations = 0;
    for (const double x : elements) {
      sum += x;
      product *= x;
      powers += std::pow(std::abs(x), number);
    }
    for (const double x : elements) deviations += (x - sum / count) * (x - sum / count);
    if (fold == "sum") return sum;
    if (fold == "prod") return product;
    if (fold == "mean") return sum / count;
    if (fold == "var") return deviations / std::max(count - number, 0.0);
    if (fold == "norm") return std::pow(powers, 1 / number);
    throw Error("NotImplementedError", "the computing device has no such fold");
  }

  static void note(int32_t at, OpwStream* on, const int64_t* given, uint32_t count) {
    index = at;
    stream = on;
    sizes.assign(given, given + count);
  }
};

// Copies the tensor to the computing device.
inline Tensor computed(const Tensor& tensor, int32_t number = 0) {
  return tensor.to(ComputingDevice::device(number), tensor.dtype());
}
inline Tensor on_cpu(const Tensor& tensor) { return tensor.to(kCpu, tensor.dtype()); }

}  // namespace opwright::testing
