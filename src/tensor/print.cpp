#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/level.h"
#include "opwright/tensor/number_text.h"
#include "opwright/tensor/print_options.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr int64_t kMostShown = 100'000;  // the limit when many dimensions are shortened
constexpr std::string_view kPrefix = "tensor(";

int64_t numel_of(const TensorImpl& tensor) {
  int64_t product = 1;
  for (const int64_t size : tensor.shape()) product *= size;
  return product;
}

// Whether many dimensions are shortened and the ends are still too many.
bool has_too_many_shown(const TensorImpl& tensor, const PrintOptions& options) {
  if (numel_of(tensor) <= options.threshold) return false;
  int64_t shown = 1;
  for (const int64_t size : tensor.shape()) {
    shown *= std::min(size, 2 * std::min(options.edge_items, kMostShown));
    if (shown > kMostShown) return true;
  }
  return false;
}

// A tensor's memory, copied to the cpu if necessary.
class CpuMemory {
 public:
  explicit CpuMemory(const TensorImpl& tensor)
      : first_(static_cast<const std::byte*>(tensor.dl.data)) {
    if (tensor.dl.device.type == kOpwDeviceCpu) return;
    const std::optional<Extent> extent = find_extent(tensor.shape(), tensor.strides());
    OPWRIGHT_ASSERT(extent.has_value());
    if (extent->is_empty) return;
    const auto item = static_cast<int64_t>(item_size(tensor.dtype()));
    const auto bytes = static_cast<size_t>(extent->length() * item);
    copy_.reset(new std::byte[bytes]);
    copy_bytes(copy_.get(), kCpu, first_ + extent->lowest * item, tensor.device(), bytes);
    first_ = copy_.get() - extent->lowest * item;
  }
  [[nodiscard]] const std::byte* first() const noexcept { return first_; }

 private:
  const std::byte* first_;
  std::unique_ptr<std::byte[]> copy_;
};

// Writes the nested brackets of one tensor.
class TensorPrinter {
 public:
  TensorPrinter(const TensorImpl& tensor, const std::byte* first, const PrintOptions& options)
      : tensor_(tensor),
        first_(first),
        options_(options),
        is_cut_(numel_of(tensor) > options.threshold),
        real_({}, options),
        imag_({}, options) {
    if (numel_of(tensor) == 0) return;  // there may be no memory to walk over
    const DType dtype = tensor.dtype();
    if (is_floating(dtype) || is_complex(dtype)) {
      std::vector<double> reals;
      std::vector<double> imags;
      visit_shown(0, first, [&](const std::byte* element) {
        const FloatParts parts = read_float(element, dtype);
        reals.push_back(parts.real);
        imags.push_back(parts.imag);
      });
      real_ = FloatFormat(reals, options);
      imag_ = FloatFormat(imags, options);
    } else {
      visit_shown(0, first, [&](const std::byte* element) {
        discrete_width_ = std::max(discrete_width_, discrete_text(element, dtype).size());
      });
    }
  }

  [[nodiscard]] std::string text() const {
    if (numel_of(tensor_) == 0) return "[]";
    return tensor_.dl.ndim == 0 ? element_text(first_) : nested_text(0, first_, kPrefix.size());
  }

 private:
  [[nodiscard]] bool is_cut(size_t dim) const {
    return is_cut_ && tensor_.dl.shape[dim] / 2 >= options_.edge_items &&
           tensor_.dl.shape[dim] > 2 * options_.edge_items;
  }
  [[nodiscard]] const std::byte* at(size_t dim, const std::byte* from, int64_t index) const {
    return from +
           index * tensor_.dl.strides[dim] * static_cast<int64_t>(item_size(tensor_.dtype()));
  }

  // Calls visit(index) for the shown indices of a dimension, gap() between the two ends.
  template <class Visit, class Gap>
  void visit_indices(size_t dim, const Visit& visit, const Gap& gap) const {
    const int64_t size = tensor_.dl.shape[dim];
    for (int64_t i = 0; i < size; ++i) {
      if (is_cut(dim) && i == options_.edge_items) {
        gap();
        i = size - options_.edge_items;
        if (i == size) break;
      }
      visit(i);
    }
  }
  template <class Visit>
  void visit_shown(size_t dim, const std::byte* from, const Visit& visit) const {
    if (dim == static_cast<size_t>(tensor_.dl.ndim)) return visit(from);
    visit_indices(dim, [&](int64_t i) { visit_shown(dim + 1, at(dim, from, i), visit); }, [] {});
  }

  [[nodiscard]] size_t element_width() const {
    const DType dtype = tensor_.dtype();
    if (is_complex(dtype)) return real_.width() + imag_.width() + 1;
    return is_floating(dtype) ? real_.width() : discrete_width_;
  }
  [[nodiscard]] std::string element_text(const std::byte* element) const {
    const DType dtype = tensor_.dtype();
    if (!is_floating(dtype) && !is_complex(dtype)) {
      const std::string text = discrete_text(element, dtype);
      return std::string(discrete_width_ - text.size(), ' ') + text;
    }
    const FloatParts parts = read_float(element, dtype);
    if (is_floating(dtype)) return real_.text(parts.real);
    std::string imag = imag_.text(parts.imag);
    imag.erase(0, imag.find_first_not_of(' '));
    return real_.text(parts.real) + (imag[0] == '-' ? "" : "+") + imag + "j";
  }

  [[nodiscard]] std::string nested_text(size_t dim, const std::byte* from, size_t indent) const {
    const auto levels_below = static_cast<size_t>(tensor_.dl.ndim) - dim - 1;
    if (levels_below == 0) return row_text(dim, from, indent);
    const std::string separator =
        "," + std::string(levels_below, '\n') + std::string(indent + 1, ' ');
    std::string text = "[";
    const auto append = [&](const std::string& part) {
      text.append(text.size() > 1 ? separator : "").append(part);
    };
    visit_indices(
        dim, [&](int64_t i) { append(nested_text(dim + 1, at(dim, from, i), indent + 1)); },
        [&] { append("..."); });
    return text + "]";
  }
  // One innermost dimension, broken into lines.
  [[nodiscard]] std::string row_text(size_t dim, const std::byte* from, size_t indent) const {
    const auto line_width = static_cast<size_t>(options_.line_width);
    const size_t room = line_width - std::min(line_width, indent);
    const size_t per_line = std::max<size_t>(1, room / (element_width() + 2));
    const std::string new_line = ",\n" + std::string(indent + 1, ' ');
    std::string text = "[";
    size_t written = 0;
    const auto append = [&](const std::string& part) {
      if (written > 0) text.append(written % per_line == 0 ? new_line : ", ");
      text.append(part);
      ++written;
    };
    visit_indices(
        dim, [&](int64_t i) { append(element_text(at(dim, from, i))); }, [&] { append(" ..."); });
    return text + "]";
  }

  const TensorImpl& tensor_;
  const std::byte* first_;
  const PrintOptions& options_;
  bool is_cut_;
  FloatFormat real_;
  FloatFormat imag_;
  size_t discrete_width_ = 1;
};

// "(2, s0)", "(3,)"
std::string tuple_text(const Tensor& tensor) {
  std::string text;
  append_shape(text, tensor);
  text.front() = '(';
  text.back() = ')';
  if (tensor.dim() == 1) text.insert(text.size() - 1, ",");
  return text;
}

std::string with_suffixes(std::string text, const std::vector<std::string>& suffixes,
                          size_t line_width) {
  const size_t line_start = text.rfind('\n');
  size_t line_length =
      line_start == std::string::npos ? text.size() + 2 : text.size() - line_start + 1;
  for (const std::string& suffix : suffixes) {
    if (line_length + suffix.size() + 2 > line_width) {
      text.append(",\n").append(kPrefix.size(), ' ').append(suffix);
      line_length = kPrefix.size() + suffix.size();
    } else {
      text.append(", ").append(suffix);
      line_length += suffix.size() + 2;
    }
  }
  return text + ")";
}

}  // namespace

std::string to_text(const Tensor& tensor) {
  if (!tensor.is_defined()) return "tensor(undefined)";
  const TensorImpl& self = impl(tensor);
  const PrintOptions options = print_options();
  const bool shows_elements =
      !(self.flags & (kOpwFlagFake | kOpwFlagWrapped)) && !has_too_many_shown(self, options);
  const bool is_empty = !self.symbolic && std::find(self.shape().begin(), self.shape().end(), 0) !=
                                              self.shape().end();
  const DType dtype = self.dtype();
  std::vector<std::string> suffixes;
  if (self.dl.device.type != kOpwDeviceCpu)
    suffixes.push_back(concatenate("device='", self.device(), "'"));
  if (!shows_elements || (is_empty && self.dl.ndim != 1))
    suffixes.push_back("size=" + tuple_text(tensor));
  // If no element is shown, only the default dtype is omitted.
  const bool is_seen_by_elements =
      shows_elements && !is_empty && (dtype == DType::Int64 || dtype == DType::Bool);
  if (dtype != DType::Float32 && !is_seen_by_elements)
    suffixes.push_back(concatenate("dtype=", dtype));
  if (self.level) suffixes.push_back(concatenate("inside='", self.level->name(), "'"));
  if (tensor.requires_grad()) {
    const std::string node = self.autograd ? self.autograd->node_name() : std::string();
    suffixes.push_back(node.empty() ? "requires_grad=True" : concatenate("grad_fn=<", node, ">"));
  }
  std::string text(kPrefix);
  if (shows_elements) {
    const CpuMemory memory(self);
    text.append(TensorPrinter(self, memory.first(), options).text());
  } else {
    text.append("...");
  }
  return with_suffixes(std::move(text), suffixes, static_cast<size_t>(options.line_width));
}

}  // namespace opwright
