#include "opwright/ops/fft/fft_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/scratch_memory.h"
#include "opwright/ops/fft/fft_passes.h"
#include "opwright/ops/fft/fft_plan.h"

namespace opwright {
namespace {

constexpr int64_t kVectorBytes = 32;
// Of several lines at once; longer ones run one by one.
constexpr int64_t kMostBlockBytes = int64_t{1} << 21;
constexpr int64_t kFftGrain = 16384;  // numbers

template <class T>
inline constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));
template <class T>
struct VectorOf {
  using Type [[gnu::vector_size(kVectorBytes)]] = T;
};

// A job for one dtype: the lines, the plan of the complex transform in use, and the turns
// e^(-2 pi i k / length) that split a real line of even length into its even and odd numbers.
template <class T>
struct Job {
  FftLines<T> lines;
  std::shared_ptr<const FftPlan<T>> plan;
  std::vector<ComplexPair<T>> turns;

  [[nodiscard]] bool halves() const { return !turns.empty(); }
  [[nodiscard]] int64_t half_length() const { return lines.length / 2 + 1; }
  [[nodiscard]] int64_t in_length() const {
    return lines.kind == FftKind::ComplexToReal ? half_length() : lines.length;
  }
  [[nodiscard]] int64_t out_length() const {
    return lines.kind == FftKind::RealToComplex ? half_length() : lines.length;
  }
};

// `kCount` lines in memory: number k of line v has its parts at [(2 k + part) kCount + v].
template <class T, int64_t kCount>
class Block {
 public:
  using Vector = std::conditional_t<kCount == 1, T, typename VectorOf<T>::Type>;
  using Pair = ComplexPair<Vector>;

  // Lines first, ..., first + count - 1; count <= kCount.
  OPWRIGHT_INLINE Block(const Job<T>& job, T* memory, int64_t first, int64_t count)
      : job_(job), memory_(memory), count_(count) {
    const int64_t inner = job.lines.inner;
    for (int64_t v = 0; v < kCount; ++v) {
      const int64_t line = first + std::min(v, count - 1);
      const int64_t outer = line / inner;
      in_[v] = outer * job.in_length() * inner + line % inner;
      out_[v] = outer * job.out_length() * inner + line % inner;
    }
    is_adjacent_ = count == kCount && first / inner == (first + count - 1) / inner;
  }

  OPWRIGHT_INLINE void run() {
    const FftKind kind = job_.lines.kind;
    const bool swaps = kind == FftKind::ComplexToComplex && !job_.lines.forward;
    if (kind == FftKind::RealToComplex)
      load_real();
    else
      load_complex(job_.in_length(), swaps);
    if (kind == FftKind::ComplexToReal) prepare_real_line();
    result_ = reinterpret_cast<T*>(
        run_transform<T, Vector>(*job_.plan, reinterpret_cast<Pair*>(memory_)));
    if (kind == FftKind::RealToComplex)
      store_half_spectrum();
    else if (kind == FftKind::ComplexToReal)
      store_real();
    else
      store_complex(job_.lines.length, swaps);
  }

 private:
  // Parts are exchanged for an inverse transform.
  OPWRIGHT_INLINE void load_complex(int64_t count, bool swaps) {
    const int64_t inner = job_.lines.inner;
    const int64_t real = swaps ? kCount : 0;
    const int64_t imag = swaps ? 0 : kCount;
    T* to = memory_;
    const T* in = job_.lines.in;
    if (is_adjacent_) {
      const T* from = in + 2 * in_[0];
      for (int64_t k = 0; k < count; ++k, to += 2 * kCount, from += 2 * inner) {
        for (int64_t v = 0; v < kCount; ++v) {
          to[real + v] = from[2 * v];
          to[imag + v] = from[2 * v + 1];
        }
      }
      return;
    }
    for (int64_t k = 0; k < count; ++k, to += 2 * kCount) {
      for (int64_t v = 0; v < kCount; ++v) {
        const T* from = in + 2 * (in_[v] + k * inner);
        to[real + v] = from[0];
        to[imag + v] = from[1];
      }
    }
  }

  OPWRIGHT_INLINE void store_complex(int64_t count, bool swaps) const {
    for (int64_t k = 0; k < count; ++k) {
      const T* from = result_ + 2 * kCount * k;
      store_number(k, swaps ? from + kCount : from, swaps ? from : from + kCount);
    }
  }
  OPWRIGHT_INLINE void store_number(int64_t k, const T* real, const T* imag) const {
    const auto scale = static_cast<T>(job_.lines.scale);
    T* out = job_.lines.out + 2 * k * job_.lines.inner;
    if (is_adjacent_) {
      T* to = out + 2 * out_[0];
      for (int64_t v = 0; v < kCount; ++v) {
        to[2 * v] = real[v] * scale;
        to[2 * v + 1] = imag[v] * scale;
      }
      return;
    }
    for (int64_t v = 0; v < count_; ++v) {
      T* to = out + 2 * out_[v];
      to[0] = real[v] * scale;
      to[1] = imag[v] * scale;
    }
  }

  // Real numbers as the real parts, or a pair of neighbours as one number.
  OPWRIGHT_INLINE void load_real() {
    const int64_t inner = job_.lines.inner;
    const int64_t length = job_.lines.length;
    const bool halves = job_.halves();
    T* to = memory_;
    for (int64_t j = 0; j < length; ++j, to += kCount) {
      for (int64_t v = 0; v < kCount; ++v) to[v] = job_.lines.in[in_[v] + j * inner];
      if (halves) continue;
      to += kCount;
      for (int64_t v = 0; v < kCount; ++v) to[v] = T(0);
    }
  }

  OPWRIGHT_INLINE void store_half_spectrum() const {
    const int64_t half = job_.lines.length / 2;
    const auto* from = reinterpret_cast<const Pair*>(result_);
    for (int64_t k = 0; k <= half; ++k) {
      Pair each;
      if (job_.halves()) {
        const Pair a = from[k == half ? 0 : k];
        const Pair b = from[k == 0 ? 0 : half - k];
        // The transforms of the even and of the odd numbers.
        const Pair even{(a.real + b.real) * T(0.5), (a.imag - b.imag) * T(0.5)};
        const Pair odd{(a.imag + b.imag) * T(0.5), (b.real - a.real) * T(0.5)};
        each = even + rotate(odd, job_.turns[static_cast<size_t>(k)]);
      } else {
        each = from[k];
      }
      store_number(k, reinterpret_cast<const T*>(&each.real),
                   reinterpret_cast<const T*>(&each.imag));
    }
  }

  // The half spectrum of a real line as the input of a forward transform, its parts exchanged.
  OPWRIGHT_INLINE void prepare_real_line() const {
    const int64_t length = job_.lines.length;
    auto* line = reinterpret_cast<Pair*>(memory_);
    // A real line has real sums at both ends of the spectrum; what else is there does not count.
    line[0].imag = Vector{};
    if (length % 2 == 0) line[length / 2].imag = Vector{};
    if (job_.halves())
      merge_halves(line, length / 2);
    else
      for (int64_t k = 0; k < length / 2 + 1; ++k) set_symmetric(line, k, length);
  }
  // The even and the odd numbers' transforms as one complex line, its parts exchanged.
  OPWRIGHT_INLINE void merge_halves(Pair* line, int64_t half) const {
    for (int64_t k = 0; k <= half / 2; ++k) {
      const Pair a = line[k];
      const Pair b = line[half - k];
      const Pair first = merged(a, b, k);
      const Pair second = merged(b, a, half - k);
      line[k] = first;
      if (k != 0) line[half - k] = second;
    }
  }
  OPWRIGHT_INLINE Pair merged(const Pair& a, const Pair& b, int64_t k) const {
    const Pair even{a.real + b.real, a.imag - b.imag};
    const ComplexPair<T>& turn = job_.turns[static_cast<size_t>(k)];
    const Pair odd =
        rotate(Pair{a.real - b.real, a.imag + b.imag}, ComplexPair<T>{turn.real, -turn.imag});
    return {even.imag + odd.real, even.real - odd.imag};
  }
  OPWRIGHT_INLINE void set_symmetric(Pair* line, int64_t k, int64_t length) const {
    const Pair each = line[k];
    line[k] = {each.imag, each.real};
    if (k != 0) line[length - k] = {-each.imag, each.real};
  }
  OPWRIGHT_INLINE void store_real() const {
    const auto scale = static_cast<T>(job_.lines.scale);
    const int64_t inner = job_.lines.inner;
    const int64_t length = job_.lines.length;
    for (int64_t j = 0; j < length; ++j) {
      // Exchanged: the real part is the second of a pair.
      const int64_t place = job_.halves() ? (j % 2 == 0 ? j + 1 : j - 1) : 2 * j + 1;
      const T* from = result_ + place * kCount;
      for (int64_t v = 0; v < count_; ++v) job_.lines.out[out_[v] + j * inner] = from[v] * scale;
    }
  }

  const Job<T>& job_;
  T* memory_;
  T* result_ = nullptr;
  int64_t count_;
  bool is_adjacent_ = false;
  std::array<int64_t, static_cast<size_t>(kCount)> in_{};
  std::array<int64_t, static_cast<size_t>(kCount)> out_{};
};

// Lines begin to end - 1, several at once if they fit in a cache.
template <class T>
struct LineLoop {
  OPWRIGHT_INLINE static void run(const Job<T>& job, T* memory, int64_t begin, int64_t end,
                                  bool has_blocks) {
    int64_t line = begin;
    while (has_blocks && end - line > 1) {
      const int64_t count = std::min(end - line, kLanes<T>);
      Block<T, kLanes<T>>(job, memory, line, count).run();
      line += count;
    }
    for (; line < end; ++line) Block<T, 1>(job, memory, line, 1).run();
  }
};

template <class T>
void run_lines(const FftLines<T>& lines) {
  const bool is_real = lines.kind != FftKind::ComplexToComplex;
  const bool halves = is_real && lines.length % 2 == 0;
  Job<T> job{.lines = lines,
             .plan = find_fft_plan<T>(halves ? lines.length / 2 : lines.length),
             .turns = {}};
  if (halves) job.turns = roots_of_unity<T>(lines.length, lines.length / 2 + 1);
  const auto number_bytes = static_cast<int64_t>(2 * sizeof(T));
  const int64_t numbers = std::max(job.plan->scratch_length(), lines.length + 2);
  const bool has_blocks = numbers * number_bytes * kLanes<T> <= kMostBlockBytes;
  const int64_t bytes = numbers * number_bytes * (has_blocks ? kLanes<T> : 1);
  const int64_t grain = std::max(kLanes<T>, kFftGrain / lines.length);
  parallel_for(lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
    const ScratchMemory memory(static_cast<size_t>(bytes));
    run_at_level<LineLoop<T>, const Job<T>&>(job, memory.data<T>(), begin, end, has_blocks);
  });
}

}  // namespace

void transform_lines(const FftLines<float>& lines) { run_lines(lines); }
void transform_lines(const FftLines<double>& lines) { run_lines(lines); }

}  // namespace opwright
