// _ctc_loss and _ctc_loss_backward: minus the log-probability of all alignments of a target
// sequence with the frames of an input, and its gradient.
//
// The states of a target of length L are its labels with a blank before, between and after them:
// 2 L + 1. log_alpha[t][s] sums the alignments of the first t + 1 frames that end in state s; beta
// does the same backwards.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/dynamic_size.h"
#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/loss/ctc_lengths.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

using Lengths = std::span<const int64_t>;
using CtcResults = std::tuple<Tensor, Tensor>;
using FakeCtcResults = std::tuple<FakeTensor, FakeTensor>;

constexpr const char* kCtc = "_ctc_loss";
constexpr const char* kCtcBackward = "_ctc_loss_backward";

// The checks that need no lengths.
void check_ctc_tensors(const char* who, const Tensor& log_probs, const Tensor& targets,
                       int64_t blank) {
  OPWRIGHT_CHECK_TYPE(log_probs.dtype() == DType::Float32 || log_probs.dtype() == DType::Float64,
                      who, ": log_probs must be of float32 or float64, got ", log_probs.dtype());
  OPWRIGHT_CHECK_TYPE(targets.dtype() == DType::Int64 || targets.dtype() == DType::Int32, who,
                      ": targets must hold labels of int64 or int32, got ", targets.dtype());
  OPWRIGHT_CHECK(log_probs.dim() == 3, who, ": log_probs must be [frames, batch, labels], got ",
                 log_probs);
  OPWRIGHT_CHECK(guard_or_true(log_probs.sym_numel() != 0), who,
                 ": log_probs must have elements, got ", log_probs);
  OPWRIGHT_CHECK(targets.dim() == 1 || targets.dim() == 2, who,
                 ": targets must be [batch, length], or one sequence of all targets, got ",
                 targets);
  check(sym_and(log_probs.sym_size(2) > blank, SymInt(blank) >= 0),
        concatenate(who, ": blank must be a label from 0 to ", log_probs.sym_size(2) - 1, ", got ",
                    blank));
}

int64_t longest_of(Lengths lengths) { return lengths.empty() ? 0 : std::ranges::max(lengths); }

void check_ctc_lengths(const char* who, const Tensor& log_probs, const Tensor& targets,
                       Lengths input_lengths, Lengths target_lengths) {
  const auto check_lengths = [&](const char* name, Lengths lengths) {
    check(log_probs.sym_size(1) == static_cast<int64_t>(lengths.size()),
          concatenate(who, ": ", name, " must hold a length for each of the ",
                      log_probs.sym_size(1), " inputs, got ", lengths.size()));
    for (const int64_t length : lengths)
      OPWRIGHT_CHECK(length >= 0, who, ": ", name, " must not be negative, got ", length);
  };
  check_lengths("input_lengths", input_lengths);
  check_lengths("target_lengths", target_lengths);
  check(log_probs.sym_size(0) >= longest_of(input_lengths),
        concatenate(who, ": input_lengths must be at most the ", log_probs.sym_size(0),
                    " frames of log_probs, got ", longest_of(input_lengths)));
  if (targets.dim() == 2) {
    check(targets.sym_size(0) == log_probs.sym_size(1),
          concatenate(who, ": targets must hold a sequence for each of the ", log_probs.sym_size(1),
                      " inputs, got ", targets.sym_size(0)));
    check(targets.sym_size(1) >= longest_of(target_lengths),
          concatenate(who, ": target_lengths must be at most ", targets.sym_size(1),
                      ", the labels of each row of targets, got ", longest_of(target_lengths)));
    return;
  }
  (void)count_labels(who, target_lengths, targets.sym_size(0));
}

std::vector<int64_t> read_lengths(const char* who, const char* name, const Tensor& lengths) {
  OPWRIGHT_CHECK_TYPE(is_integral(lengths.dtype()), who, ": ", name, " must hold ints, got ",
                      lengths.dtype());
  OPWRIGHT_CHECK(lengths.dim() <= 1, who, ": ", name, " must have one dimension, got ", lengths);
  const Tensor dense = as_contiguous(as_dtype(lengths, DType::Int64));
  if (dense.numel() == 0) return {};
  return {dense.data<int64_t>(), dense.data<int64_t>() + dense.numel()};
}

template <class C>
constexpr C kNever = -std::numeric_limits<C>::infinity();

// log(exp(a) + exp(b) + exp(c)).
template <class C>
C add_logs(C a, C b, C c) {
  const C largest = std::max(a, std::max(b, c));
  if (largest == kNever<C>) return kNever<C>;
  return std::log(std::exp(a - largest) + std::exp(b - largest) + std::exp(c - largest)) + largest;
}
template <class C>
C add_logs(C a, C b) {
  const C largest = std::max(a, b);
  if (largest == kNever<C>) return kNever<C>;
  return std::log1p(std::exp(std::min(a, b) - largest)) + largest;
}

// One input with its target.
template <class C>
struct Alignment {
  const C* log_probs;  // of the first frame
  int64_t frame;       // elements from one frame to the next
  int64_t frames;
  std::vector<int64_t> labels;  // of each state
  std::vector<uint8_t> skips;   // whether the state may follow the one before the previous

  [[nodiscard]] size_t states() const { return labels.size(); }
  [[nodiscard]] C log_prob(int64_t t, size_t state) const {
    return log_probs[t * frame + labels[state]];
  }

  // Writes log_alpha, rows of `width` elements; returns the log-probability of the target.
  C sum_forwards(C* alpha, int64_t width) const {
    const size_t count = states();
    if (frames == 0) return count == 1 ? C{0} : kNever<C>;
    alpha[0] = log_prob(0, 0);
    if (count > 1) alpha[1] = log_prob(0, 1);
    for (int64_t t = 1; t < frames; ++t) {
      const C* before = alpha + (t - 1) * width;
      C* now = alpha + t * width;
      now[0] = before[0] + log_prob(t, 0);
      for (size_t s = 1; s < count; ++s) {
        const C sum = skips[s] != 0 ? add_logs(before[s], before[s - 1], before[s - 2])
                                    : add_logs(before[s], before[s - 1]);
        now[s] = sum + log_prob(t, s);
      }
    }
    const C* last = alpha + (frames - 1) * width;
    return count == 1 ? last[0] : add_logs(last[count - 1], last[count - 2]);
  }

  // Calls body(t, state, beta) for each frame, the last first.
  template <class Body>
  void sum_backwards(const Body& body) const {
    const size_t count = states();
    std::vector<C> after(count, kNever<C>);
    std::vector<C> now(count, kNever<C>);
    for (int64_t t = frames - 1; t >= 0; --t) {
      for (size_t s = 0; s < count; ++s) {
        if (t == frames - 1) {
          now[s] = s + 2 >= count ? log_prob(t, s) : kNever<C>;
        } else {
          const C next = s + 1 < count ? after[s + 1] : kNever<C>;
          const bool can_skip = s + 2 < count && skips[s + 2] != 0;
          now[s] = (can_skip ? add_logs(after[s], next, after[s + 2]) : add_logs(after[s], next)) +
                   log_prob(t, s);
        }
        body(t, s, now[s]);
      }
      std::swap(after, now);
    }
  }
};

// A call with plain sizes and dense memory.
template <class C>
struct CtcBatch {
  CtcBatch(const char* name, const Tensor& given, const Tensor& given_targets, Lengths frames,
           Lengths lengths, int64_t blank_label)
      : who(name),
        log_probs(as_contiguous(given)),
        targets(as_contiguous(as_dtype(given_targets, DType::Int64))),
        input_lengths(frames),
        target_lengths(lengths),
        blank(blank_label),
        batch(given.size(1)),
        labels(given.size(2)) {
    int64_t begin = 0;
    for (int64_t i = 0; i < batch; ++i) {
      begins.push_back(targets.dim() == 2 ? i * targets.size(1) : begin);
      begin += lengths[static_cast<size_t>(i)];
    }
  }

  [[nodiscard]] int64_t width() const { return 2 * longest_of(target_lengths) + 1; }
  [[nodiscard]] int64_t frames() const { return log_probs.size(0); }

  [[nodiscard]] Alignment<C> alignment_of(int64_t i) const {
    const auto place = static_cast<size_t>(i);
    Alignment<C> result{
        .log_probs = log_probs.numel() == 0 ? nullptr : log_probs.data<C>() + i * labels,
        .frame = batch * labels,
        .frames = input_lengths[place],
        .labels = {blank},
        .skips = {0}};
    for (int64_t k = 0; k < target_lengths[place]; ++k) {
      const int64_t label = targets.data<int64_t>()[begins[place] + k];
      OPWRIGHT_CHECK_INDEX(label >= 0 && label < labels, who, ": target ", label,
                           " is out of range for ", labels, " labels");
      const bool differs = k > 0 && result.labels[result.labels.size() - 2] != label;
      result.labels.insert(result.labels.end(), {label, blank});
      result.skips.insert(result.skips.end(), {static_cast<uint8_t>(differs), 0});
    }
    return result;
  }

  const char* who;
  Tensor log_probs, targets;
  Lengths input_lengths, target_lengths;
  int64_t blank, batch, labels;
  std::vector<int64_t> begins;  // of each target
};

// Calls body.operator()<C>() for the two dtypes.
template <class Body>
void for_ctc_dtype(DType dtype, const Body& body) {
  if (dtype == DType::Float64)
    body.template operator()<double>();
  else
    body.template operator()<float>();
}

CtcResults compute_ctc(const Tensor& log_probs, const Tensor& targets, Lengths input_lengths,
                       Lengths target_lengths, int64_t blank) {
  check_ctc_tensors(kCtc, log_probs, targets, blank);
  check_ctc_lengths(kCtc, log_probs, targets, input_lengths, target_lengths);
  const int64_t batch = log_probs.size(1);
  const Tensor losses = make_empty(Sizes{batch}, log_probs.dtype());
  const Tensor alpha = make_empty(
      Sizes{batch, log_probs.size(0), 2 * longest_of(target_lengths) + 1}, log_probs.dtype());
  for_ctc_dtype(log_probs.dtype(), [&]<typename C>() {
    const CtcBatch<C> call(kCtc, log_probs, targets, input_lengths, target_lengths, blank);
    C* all = alpha.mutable_data<C>();
    C* out = losses.mutable_data<C>();
    const int64_t each = call.frames() * call.width();
    std::fill_n(all, alpha.numel(), kNever<C>);
    parallel_for(batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = -call.alignment_of(i).sum_forwards(all + i * each, call.width());
    });
  });
  return {losses, alpha};
}

FakeCtcResults fake_ctc(const FakeTensor& log_probs, const SymInt& width) {
  return {make_fake_like(log_probs, SymSizes{log_probs.size(1)}, log_probs.dtype()),
          make_fake_like(log_probs, SymSizes{log_probs.size(1), log_probs.size(0), width},
                         log_probs.dtype())};
}

struct CtcGradient {
  const Tensor& grad;
  const Tensor& losses;
  const Tensor& alpha;
  bool zero_infinity;
};

void check_ctc_gradient(const Tensor& log_probs, const CtcGradient& given) {
  const auto check_tensor = [&](const char* name, const Tensor& tensor, int64_t ndim) {
    OPWRIGHT_CHECK(tensor.dtype() == log_probs.dtype() && tensor.dim() == ndim, kCtcBackward, ": ",
                   name, " must be of ", log_probs.dtype(), " with ", ndim, " dimensions, got ",
                   tensor);
    check(tensor.sym_size(0) == log_probs.sym_size(1),
          concatenate(kCtcBackward, ": ", name, " must have an element for each of the ",
                      log_probs.sym_size(1), " inputs, got ", tensor.sym_size(0)));
  };
  check_tensor("grad", given.grad, 1);
  check_tensor("neg_log_likelihood", given.losses, 1);
  check_tensor("log_alpha", given.alpha, 3);
}

// The gradient of one input; `out` is zero.
template <class C>
void differentiate_alignment(const Alignment<C>& alignment, const C* alpha, int64_t width,
                             int64_t labels, C loss, C scale, C* out) {
  std::vector<C> sums(static_cast<size_t>(labels * alignment.frames), kNever<C>);
  alignment.sum_backwards([&](int64_t t, size_t state, C beta) {
    C& sum = sums[static_cast<size_t>(t * labels + alignment.labels[state])];
    sum = add_logs(sum, alpha[t * width + static_cast<int64_t>(state)] + beta);
  });
  for (int64_t t = 0; t < alignment.frames; ++t) {
    for (int64_t k = 0; k < labels; ++k) {
      const C log_prob = alignment.log_probs[t * alignment.frame + k];
      const C sum = sums[static_cast<size_t>(t * labels + k)];
      out[t * alignment.frame + k] = (std::exp(log_prob) - std::exp(sum + loss - log_prob)) * scale;
    }
  }
}

Tensor compute_ctc_gradient(const CtcGradient& given, const Tensor& log_probs,
                            const Tensor& targets, Lengths input_lengths, Lengths target_lengths,
                            int64_t blank) {
  check_ctc_tensors(kCtcBackward, log_probs, targets, blank);
  check_ctc_lengths(kCtcBackward, log_probs, targets, input_lengths, target_lengths);
  check_ctc_gradient(log_probs, given);
  const int64_t width = 2 * longest_of(target_lengths) + 1;
  OPWRIGHT_CHECK(given.alpha.size(1) >= log_probs.size(0) && given.alpha.size(2) >= width,
                 kCtcBackward, ": log_alpha must be that of the forward call, got ", given.alpha);
  const Tensor result = make_empty(log_probs.sizes(), log_probs.dtype());
  for_ctc_dtype(log_probs.dtype(), [&]<typename C>() {
    const CtcBatch<C> call(kCtcBackward, log_probs, targets, input_lengths, target_lengths, blank);
    const Tensor alpha = as_contiguous(given.alpha);
    const Tensor losses = as_contiguous(given.losses);
    const Tensor grads = as_contiguous(given.grad);
    C* out = result.mutable_data<C>();
    std::fill_n(out, result.numel(), C{0});
    const int64_t row = alpha.size(2);
    parallel_for(call.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const C loss = losses.data<C>()[i];
        if (given.zero_infinity && loss == -kNever<C>) continue;
        differentiate_alignment(call.alignment_of(i), alpha.data<C>() + i * alpha.size(1) * row,
                                row, call.labels, loss, grads.data<C>()[i], out + i * call.labels);
      }
    });
  });
  return result;
}

FakeTensor fake_ctc_gradient(const FakeTensor& log_probs) {
  return make_fake_like(log_probs, log_probs.sizes(), log_probs.dtype());
}

}  // namespace

int64_t count_labels(const char* who, Lengths target_lengths, const SymInt& available) {
  int64_t total = 0;
  for (const int64_t length : target_lengths) {
    OPWRIGHT_CHECK(length >= 0, who, ": target_lengths must not be negative, got ", length);
    OPWRIGHT_CHECK_VALUE(length <= INT64_MAX - total, who, ": targets must hold the labels that ",
                         "target_lengths count, but a length is ", length);
    total += length;
  }
  check(available >= total, concatenate(who, ": targets must hold the ", total,
                                        " labels that target_lengths count, ", "got ", available));
  return total;
}

CtcResults ctc_loss_forward_cpu(const Tensor& log_probs, const Tensor& targets,
                                Lengths input_lengths, Lengths target_lengths, int64_t blank,
                                bool /*zero_infinity*/) {
  return compute_ctc(log_probs, targets, input_lengths, target_lengths, blank);
}
FakeCtcResults ctc_loss_forward_fake(const FakeTensor& log_probs, const FakeTensor& targets,
                                     Lengths input_lengths, Lengths target_lengths, int64_t blank,
                                     bool /*zero_infinity*/) {
  check_ctc_tensors(kCtc, as_tensor(log_probs), as_tensor(targets), blank);
  check_ctc_lengths(kCtc, as_tensor(log_probs), as_tensor(targets), input_lengths, target_lengths);
  return fake_ctc(log_probs, 2 * longest_of(target_lengths) + 1);
}
CtcResults ctc_loss_forward_tensor_cpu(const Tensor& log_probs, const Tensor& targets,
                                       const Tensor& input_lengths, const Tensor& target_lengths,
                                       int64_t blank, bool /*zero_infinity*/) {
  return compute_ctc(log_probs, targets, read_lengths(kCtc, "input_lengths", input_lengths),
                     read_lengths(kCtc, "target_lengths", target_lengths), blank);
}
FakeCtcResults ctc_loss_forward_tensor_fake(const FakeTensor& log_probs, const FakeTensor& targets,
                                            const FakeTensor& /*input_lengths*/,
                                            const FakeTensor& /*target_lengths*/, int64_t blank,
                                            bool /*zero_infinity*/) {
  check_ctc_tensors(kCtc, as_tensor(log_probs), as_tensor(targets), blank);
  // The longest target is known only when the program runs.
  return fake_ctc(log_probs, 2 * new_dynamic_size() + 1);
}

Tensor ctc_loss_backward_cpu(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                             Lengths input_lengths, Lengths target_lengths,
                             const Tensor& neg_log_likelihood, const Tensor& log_alpha,
                             int64_t blank, bool zero_infinity) {
  return compute_ctc_gradient({grad, neg_log_likelihood, log_alpha, zero_infinity}, log_probs,
                              targets, input_lengths, target_lengths, blank);
}
FakeTensor ctc_loss_backward_fake(const FakeTensor& grad, const FakeTensor& log_probs,
                                  const FakeTensor& targets, Lengths input_lengths,
                                  Lengths target_lengths, const FakeTensor& neg_log_likelihood,
                                  const FakeTensor& log_alpha, int64_t blank, bool zero_infinity) {
  check_ctc_tensors(kCtcBackward, as_tensor(log_probs), as_tensor(targets), blank);
  check_ctc_lengths(kCtcBackward, as_tensor(log_probs), as_tensor(targets), input_lengths,
                    target_lengths);
  check_ctc_gradient(as_tensor(log_probs), {as_tensor(grad), as_tensor(neg_log_likelihood),
                                            as_tensor(log_alpha), zero_infinity});
  return fake_ctc_gradient(log_probs);
}
Tensor ctc_loss_backward_tensor_cpu(const Tensor& grad, const Tensor& log_probs,
                                    const Tensor& targets, const Tensor& input_lengths,
                                    const Tensor& target_lengths, const Tensor& neg_log_likelihood,
                                    const Tensor& log_alpha, int64_t blank, bool zero_infinity) {
  return compute_ctc_gradient({grad, neg_log_likelihood, log_alpha, zero_infinity}, log_probs,
                              targets, read_lengths(kCtcBackward, "input_lengths", input_lengths),
                              read_lengths(kCtcBackward, "target_lengths", target_lengths), blank);
}
FakeTensor ctc_loss_backward_tensor_fake(const FakeTensor& grad, const FakeTensor& log_probs,
                                         const FakeTensor& targets,
                                         const FakeTensor& /*input_lengths*/,
                                         const FakeTensor& /*target_lengths*/,
                                         const FakeTensor& neg_log_likelihood,
                                         const FakeTensor& log_alpha, int64_t blank,
                                         bool zero_infinity) {
  check_ctc_tensors(kCtcBackward, as_tensor(log_probs), as_tensor(targets), blank);
  check_ctc_gradient(as_tensor(log_probs), {as_tensor(grad), as_tensor(neg_log_likelihood),
                                            as_tensor(log_alpha), zero_infinity});
  return fake_ctc_gradient(log_probs);
}

}  // namespace opwright
