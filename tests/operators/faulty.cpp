// faulty::...: operators with one fault each, for opcheck: wrong memory, threads that meet, an
// early end. Outside of opcheck they do no harm: what they touch beyond a tensor is the padding of
// its block.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "opwright/opwright.h"

namespace faulty {
namespace {

using opwright::FakeTensor;
using opwright::Tensor;

FakeTensor same_form_fake(const FakeTensor& x) { return opwright::empty_like(x); }
FakeTensor dense_fake(const FakeTensor& x) { return x.new_empty(x.sizes()); }
FakeTensor number_fake(const FakeTensor& x) { return x.new_empty({}); }

Tensor new_dense(const Tensor& x) { return opwright::empty(x.sizes(), x.dtype()); }

// ---- Where the elements are ----

// 2 * x; takes the memory as if it were contiguous.
Tensor ignore_strides(const Tensor& x) {
  Tensor result = new_dense(x);
  const float* from = x.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = 2 * from[i];
  return result;
}

// 2 * x of a matrix; begins at the start of the storage.
Tensor ignore_offset(const Tensor& x) {
  const std::vector<opwright::SymInt> sizes(x.sizes().begin(), x.sizes().end());
  const std::vector<opwright::SymInt> strides(x.strides().begin(), x.strides().end());
  return x.as_strided(sizes, strides, opwright::SymInt(0)) * 2;
}

// 2 * x of a matrix; takes a stride of 0 for one that was never set.
Tensor ignore_expansion(const Tensor& x) {
  OPWRIGHT_CHECK(x.dim() == 2, "ignore_expansion: x must be a matrix, got ", x);
  Tensor result = new_dense(x);
  const int64_t columns = x.size(1);
  const int64_t row_stride = x.stride(0) != 0 ? x.stride(0) : columns;
  const int64_t column_stride = x.stride(1) != 0 ? x.stride(1) : 1;
  const float* from = x.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t row = 0; row < x.size(0); ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      to[row * columns + column] = 2 * from[row * row_stride + column * column_stride];
    }
  }
  return result;
}

// ---- Beyond the elements ----

// Each element plus the next one; the last has none.
Tensor read_past_the_end(const Tensor& x) {
  const Tensor input = x.contiguous();
  Tensor result = new_dense(x);
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] + from[i + 1];
  return result;
}

// x[i] - x[i - 1]; the first has none before it.
Tensor read_before_the_start(const Tensor& x) {
  const Tensor input = x.contiguous();
  Tensor result = new_dense(x);
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] - from[i - 1];
  return result;
}

// 2 * x; reads an element 8 KiB on, which changes nothing.
Tensor read_far_past_the_end(const Tensor& x) {
  constexpr int64_t kAhead = 2048;
  const Tensor input = x.contiguous();
  Tensor result = new_dense(x);
  const volatile float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    (void)from[i + kAhead];
    to[i] = 2 * from[i];
  }
  return result;
}

// x becomes 2 * x; a zero is put behind it.
void write_past_the_end(Tensor& x) {
  OPWRIGHT_CHECK(x.is_contiguous(), "write_past_the_end_: x must be contiguous");
  float* data = x.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) data[i] *= 2;
  if (x.numel() > 0) data[x.numel()] = 0;
}

// x becomes 2 * x; a zero is put before it.
void write_before_the_start(Tensor& x) {
  OPWRIGHT_CHECK(x.is_contiguous(), "write_before_the_start_: x must be contiguous");
  float* data = x.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) data[i] *= 2;
  if (x.numel() > 0) data[-1] = 0;
}

// 2 * x, four elements at a time; the rest of n / 4 is forgotten.
Tensor leave_the_tail(const Tensor& x) {
  const Tensor input = x.contiguous();
  Tensor result = new_dense(x);
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t group = 0; group < x.numel() / 4; ++group) {
    for (int64_t i = 4 * group; i < 4 * group + 4; ++i) to[i] = 2 * from[i];
  }
  return result;
}

// The sum, by a scratch of which the last element is never set.
Tensor read_scratch(const Tensor& x) {
  const Tensor input = x.contiguous();
  const Tensor scratch = opwright::empty({x.numel() + 1}, x.dtype());
  const float* from = input.data<float>();
  float* sums = scratch.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) sums[i] = from[i];
  Tensor result = opwright::empty({}, x.dtype());
  float total = 0;
  for (int64_t i = 0; i <= x.numel(); ++i) total += sums[i];
  *result.mutable_data<float>() = total;
  return result;
}

// x minus its first element; looks for it where there is none.
Tensor end_at_size_0(const Tensor& x) {
  if (x.numel() == 0) *const_cast<volatile float*>(static_cast<float*>(nullptr)) = 0;
  return x - x.flatten().select(0, 0);
}

// The mean of integers; at size 0 a division by zero.
Tensor divide_by_size_0(const Tensor& x) {
  const Tensor input = x.contiguous();
  const auto* from = input.data<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < x.numel(); ++i) total += from[i];
  Tensor result = opwright::empty({}, x.dtype());
  const volatile int64_t count = x.numel();
  *result.mutable_data<int64_t>() = total / count;
  return result;
}

// ---- Threads ----

// 2 * x, by a buffer that all calls share.
Tensor share_a_buffer(const Tensor& x) {
  static std::array<std::atomic<float>, 64> buffer;
  const Tensor input = x.contiguous();
  Tensor result = new_dense(x);
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  const auto size = static_cast<int64_t>(buffer.size());
  for (int64_t begin = 0; begin < x.numel(); begin += size) {
    const int64_t count = std::min(size, x.numel() - begin);
    for (int64_t i = 0; i < count; ++i) {
      buffer[static_cast<size_t>(i)].store(from[begin + i], std::memory_order_relaxed);
    }
    for (int pause = 0; pause < 20; ++pause) std::this_thread::yield();
    for (int64_t i = 0; i < count; ++i) {
      to[begin + i] = 2 * buffer[static_cast<size_t>(i)].load(std::memory_order_relaxed);
    }
  }
  return result;
}

// The sum; four threads add in the order of their arrival.
Tensor add_by_arrival(const Tensor& x) {
  constexpr int kThreads = 4;
  const Tensor input = x.contiguous();
  const float* from = input.data<float>();
  const int64_t numel = x.numel();
  std::atomic<int> waiting = kThreads;
  std::mutex mutex;
  float total = 0;
  std::vector<std::thread> threads;
  for (int which = 0; which < kThreads; ++which) {
    threads.emplace_back([&, which] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      for (int64_t i = which; i < numel; i += kThreads) {
        std::this_thread::yield();
        const std::lock_guard lock(mutex);
        total += from[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Tensor result = opwright::empty({}, x.dtype());
  *result.mutable_data<float>() = total;
  return result;
}

// The mean, as the mean of the means of chunks.
Tensor average_chunks(const Tensor& x) {
  const Tensor input = x.contiguous();
  const float* from = input.data<float>();
  std::mutex mutex;
  double total = 0;
  int64_t chunks = 0;
  opwright::parallel_for(x.numel(), 1, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += from[i];
    const std::lock_guard lock(mutex);
    total += sum / static_cast<double>(end - begin);
    ++chunks;
  });
  Tensor result = opwright::empty({}, x.dtype());
  *result.mutable_data<float>() =
      chunks > 0 ? static_cast<float>(total / static_cast<double>(chunks)) : 0.0F;
  return result;
}

// ---- Formulas ----

// x * x, whose formula halves x behind everyone's back.
Tensor square(const Tensor& x) { return x * x; }
void square_save(opwright::AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
opwright::Gradients square_backward(const opwright::AutogradContext& context,
                                    const Tensor& gradient) {
  const Tensor x = context.saved(0);
  Tensor result = gradient * x * 2;
  if (x.dtype() == opwright::DType::Float32 && x.numel() > 0) x.mutable_data<float>()[0] /= 2;
  if (x.dtype() == opwright::DType::Float64 && x.numel() > 0) x.mutable_data<double>()[0] /= 2;
  return {result};
}

}  // namespace

OPWRIGHT_LIBRARY(faulty, m) {
  m.def("ignore_strides(Tensor x) -> Tensor");
  m.def("ignore_offset(Tensor x) -> Tensor");
  m.def("ignore_expansion(Tensor x) -> Tensor");
  m.def("read_past_the_end(Tensor x) -> Tensor");
  m.def("read_before_the_start(Tensor x) -> Tensor");
  m.def("read_far_past_the_end(Tensor x) -> Tensor");
  m.def("write_past_the_end_(Tensor(a!) x) -> ()");
  m.def("write_before_the_start_(Tensor(a!) x) -> ()");
  m.def("leave_the_tail(Tensor x) -> Tensor");
  m.def("read_scratch(Tensor x) -> Tensor");
  m.def("end_at_size_0(Tensor x) -> Tensor");
  m.def("divide_by_size_0(Tensor x) -> Tensor");
  m.def("share_a_buffer(Tensor x) -> Tensor");
  m.def("add_by_arrival(Tensor x) -> Tensor");
  m.def("average_chunks(Tensor x) -> Tensor");
  m.def("write_in_formula(Tensor x) -> Tensor");
  for (const char* name :
       {"ignore_strides", "ignore_expansion", "read_past_the_end", "read_before_the_start",
        "read_far_past_the_end", "leave_the_tail", "share_a_buffer"}) {
    m.register_fake(name, &dense_fake);
  }
  for (const char* name : {"ignore_offset", "end_at_size_0", "write_in_formula"}) {
    m.register_fake(name, &same_form_fake);
  }
  for (const char* name :
       {"read_scratch", "divide_by_size_0", "add_by_arrival", "average_chunks"}) {
    m.register_fake(name, &number_fake);
  }
  m.register_autograd("write_in_formula", &square_save, &square_backward);
}

OPWRIGHT_LIBRARY_IMPL(faulty, CPU, m) {
  m.impl("ignore_strides", &ignore_strides);
  m.impl("ignore_offset", &ignore_offset);
  m.impl("ignore_expansion", &ignore_expansion);
  m.impl("read_past_the_end", &read_past_the_end);
  m.impl("read_before_the_start", &read_before_the_start);
  m.impl("read_far_past_the_end", &read_far_past_the_end);
  m.impl("write_past_the_end_", &write_past_the_end);
  m.impl("write_before_the_start_", &write_before_the_start);
  m.impl("leave_the_tail", &leave_the_tail);
  m.impl("read_scratch", &read_scratch);
  m.impl("end_at_size_0", &end_at_size_0);
  m.impl("divide_by_size_0", &divide_by_size_0);
  m.impl("share_a_buffer", &share_a_buffer);
  m.impl("add_by_arrival", &add_by_arrival);
  m.impl("average_chunks", &average_chunks);
  m.impl("write_in_formula", &square);
}

}  // namespace faulty
