#include "opwright/check/checks/batches.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "opwright/check/example/example.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr size_t kMostWays = 24;

// The elements in reverse order.
Tensor reversed(const Tensor& tensor) {
  const Tensor from = tensor.contiguous();
  Tensor to = make_empty(tensor.sizes(), tensor.dtype());
  const size_t bytes = item_size(tensor.dtype());
  const auto count = static_cast<size_t>(tensor.numel());
  const auto* source = static_cast<const std::byte*>(from.data());
  auto* target = static_cast<std::byte*>(to.mutable_data());
  for (size_t i = 0; i < count; ++i)
    std::memcpy(target + i * bytes, source + (count - 1 - i) * bytes, bytes);
  return to;
}

Tensor sample_of(const Tensor& tensor, int64_t which, Samples samples) {
  if (which == 0 || samples == Samples::Same) return tensor;
  Tensor sample = which % 2 == 1 ? reversed(tensor) : tensor;
  const bool has_fractions = is_floating(tensor.dtype()) || is_complex(tensor.dtype());
  if (samples == Samples::Scaled && has_fractions)
    sample = sample.mul(which % 2 == 1 ? 0.75 : 0.5).to(tensor.dtype());
  return sample;
}

Tensor make_batch(const Tensor& tensor, int64_t dim, int64_t batch_size, Samples samples) {
  std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
  sizes.insert(sizes.begin() + dim, batch_size);
  Tensor batch = make_empty(sizes, tensor.dtype(), tensor.device());
  for (int64_t i = 0; i < batch_size; ++i)
    batch.select(dim, i).copy_(sample_of(tensor, i, samples));
  return batch;
}

}  // namespace

std::vector<BatchDims> ways_to_map(const DistinctTensors& tensors) {
  const std::vector<Tensor>& all = tensors.get();
  BatchDims base(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (tensors.is_written(i)) base[i] = 0;
  }
  std::vector<BatchDims> ways;
  const auto add = [&](BatchDims dims) {
    if (std::ranges::find(ways, dims) == ways.end() && ways.size() < kMostWays)
      ways.push_back(std::move(dims));
  };
  const auto together = [&](const auto& dim_of) {
    BatchDims dims;
    for (size_t i = 0; i < all.size(); ++i) dims.emplace_back(dim_of(i));
    add(std::move(dims));
  };
  if (all.empty()) return ways;
  together([&](size_t /*i*/) { return int64_t{0}; });
  together([&](size_t i) { return all[i].dim(); });
  together([&](size_t i) { return i % 2 == 0 ? all[i].dim() : int64_t{0}; });
  for (size_t i = 0; i < all.size(); ++i) {
    for (int64_t dim = 0; dim <= all[i].dim(); ++dim) {
      BatchDims dims = base;
      dims[i] = dim;
      add(std::move(dims));
    }
  }
  return ways;
}

std::string describe_dims(const DistinctTensors& tensors, const BatchDims& dims) {
  std::string text = "in_dims {";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += concatenate(i == 0 ? "" : ", ", tensors.name(i), ": ",
                        dims[i] ? concatenate(*dims[i]) : std::string("None"));
  }
  return text + "}";
}

int64_t choose_batch_size(const DistinctTensors& tensors) {
  const auto is_size = [&](int64_t size) {
    return std::ranges::any_of(tensors.get(), [&](const Tensor& tensor) {
      return std::ranges::find(tensor.sizes(), size) != tensor.sizes().end();
    });
  };
  return is_size(2) && !is_size(3) ? 3 : 2;
}

std::vector<Tensor> make_batches(const DistinctTensors& tensors, const BatchDims& dims,
                                 int64_t batch_size, Samples samples) {
  std::vector<Tensor> batches;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Tensor& tensor = tensors.get()[i];
    batches.push_back(dims[i] ? make_batch(tensor, *dims[i], batch_size, samples)
                              : copy_with_storage(tensor));
  }
  return batches;
}

std::vector<Tensor> take_sample(const std::vector<Tensor>& batches, const BatchDims& dims,
                                int64_t which) {
  std::vector<Tensor> sample;
  for (size_t i = 0; i < dims.size(); ++i)
    sample.push_back(dims[i] ? batches[i].select(*dims[i], which) : batches[i]);
  return sample;
}

}  // namespace opwright
