// stft and istft: spectra of overlapping windows of a signal, and back.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/view/view_gradients.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

using OptionalInt = std::optional<int64_t>;
using OptionalBool = std::optional<bool>;

// Normalizations of _fft_r2c and its siblings.
constexpr int64_t kUnscaled = 0;
constexpr int64_t kByRootOfCount = 1;
constexpr int64_t kByCount = 2;

struct Frames {
  int64_t n_fft;
  int64_t hop;
  int64_t window_length;
};

Frames read_frames(const char* who, int64_t n_fft, const OptionalInt& hop_length,
                   const OptionalInt& win_length) {
  const Frames frames{n_fft, hop_length.value_or(n_fft / 4), win_length.value_or(n_fft)};
  OPWRIGHT_CHECK(frames.hop > 0, who, ": hop_length must be positive, got ", frames.hop);
  OPWRIGHT_CHECK(frames.window_length > 0 && frames.window_length <= n_fft, who,
                 ": win_length must be between 1 and n_fft, ", n_fft, ", got ",
                 frames.window_length);
  return frames;
}

// The window, padded with zeros on both sides to n_fft; all ones if there is none.
std::optional<Tensor> padded_window(const char* who, const Tensor& self, const Frames& frames,
                                    const std::optional<Tensor>& window) {
  const int64_t length = frames.window_length;
  if (window)
    OPWRIGHT_CHECK(window->dim() == 1 && guard_or_true(window->sym_size(0) == length), who,
                   ": window must have one dimension of win_length, ", length, ", got ", *window);
  if (length == frames.n_fft) return window;
  const Tensor given =
      window ? *window
             : full({SymInt(length)}, Scalar(1), real_dtype(self.dtype()), {}, self.device());
  const int64_t left = (frames.n_fft - length) / 2;
  return constant_pad_nd(given, {SymInt(left), SymInt(frames.n_fft - length - left)});
}

Tensor padded_at_ends(const Tensor& signal, int64_t count, std::string_view mode) {
  const std::vector<SymInt> padding{SymInt(count), SymInt(count)};
  const Tensor planes = signal.unsqueeze(0);
  if (mode == "constant") return constant_pad_nd(signal, padding);
  if (mode == "reflect") return reflection_pad1d(planes, padding).squeeze(0);
  return replication_pad1d(planes, padding).squeeze(0);
}

}  // namespace

Tensor stft_composite(const Tensor& self, int64_t n_fft, const OptionalInt& hop_length,
                      const OptionalInt& win_length, const std::optional<Tensor>& window,
                      bool normalized, const OptionalBool& onesided,
                      const OptionalBool& return_complex, const OptionalBool& align_to_window) {
  return stft(self, n_fft, hop_length, win_length, window, false, "reflect", normalized, onesided,
              return_complex, align_to_window);
}

Tensor stft_center_composite(const Tensor& self, int64_t n_fft, const OptionalInt& hop_length,
                             const OptionalInt& win_length, const std::optional<Tensor>& window,
                             bool center, std::string_view pad_mode, bool normalized,
                             const OptionalBool& onesided, const OptionalBool& return_complex,
                             const OptionalBool& align_to_window) {
  constexpr const char* kWho = "stft";
  OPWRIGHT_CHECK(is_floating(self.dtype()) || is_complex(self.dtype()), kWho,
                 ": self must be floating or complex, got ", self.dtype());
  OPWRIGHT_CHECK(self.dim() == 1 || self.dim() == 2, kWho,
                 ": self must have 1 or 2 dimensions, got ", self.dim());
  OPWRIGHT_CHECK(pad_mode == "constant" || pad_mode == "reflect" || pad_mode == "replicate", kWho,
                 ": pad_mode must be 'constant', 'reflect' or 'replicate', got '", pad_mode, "'");
  OPWRIGHT_CHECK(!center || !align_to_window, kWho, ": align_to_window is only for center=False");
  const bool has_complex = is_complex(self.dtype()) || (window && is_complex(window->dtype()));
  OPWRIGHT_CHECK(return_complex || has_complex, kWho,
                 ": return_complex must be given for real inputs; use return_complex=True");
  OPWRIGHT_CHECK(!onesided || !*onesided || !has_complex, kWho,
                 ": a spectrum of complex numbers has two sides; use onesided=False");
  const Frames frames = read_frames(kWho, n_fft, hop_length, win_length);
  Tensor signal = self.dim() == 1 ? self.unsqueeze(0) : self;
  if (center) signal = padded_at_ends(signal, n_fft / 2, pad_mode);
  const int64_t window_start =
      align_to_window.value_or(false) ? (n_fft - frames.window_length) / 2 : 0;
  if (window_start > 0)
    signal = constant_pad_nd(signal, {SymInt(window_start), SymInt(window_start)});
  const SymInt length = signal.sym_size(1);
  OPWRIGHT_CHECK(n_fft > 0 && guard_or_true(length >= n_fft), kWho,
                 ": n_fft must be between 1 and ", length, ", the length of the signal, got ",
                 n_fft);
  Tensor pieces = signal.unfold(-1, n_fft, frames.hop);
  const auto factors = padded_window(kWho, self, frames, window);
  if (factors) pieces = pieces.mul(*factors);
  const int64_t scale = normalized ? kByRootOfCount : kUnscaled;
  Tensor spectra = is_complex(pieces.dtype())
                       ? _fft_c2c(pieces, {SymInt(2)}, scale, true)
                       : _fft_r2c(pieces, {2}, scale, onesided.value_or(!has_complex));
  spectra = spectra.transpose(1, 2);
  if (self.dim() == 1) spectra = spectra.squeeze(0);
  return return_complex.value_or(true) ? spectra : view_as_real(spectra);
}

Tensor istft_composite(const Tensor& self, int64_t n_fft, const OptionalInt& hop_length,
                       const OptionalInt& win_length, const std::optional<Tensor>& window,
                       bool center, bool normalized, const OptionalBool& onesided,
                       const OptionalInt& length, bool return_complex) {
  constexpr const char* kWho = "istft";
  OPWRIGHT_CHECK(is_complex(self.dtype()), kWho,
                 ": self must be complex, as stft returns with return_complex=True, got ",
                 self.dtype());
  OPWRIGHT_CHECK(self.dim() == 2 || self.dim() == 3, kWho,
                 ": self must have 2 or 3 dimensions, got ", self.dim());
  const bool is_onesided = onesided.value_or(guard_or_false(self.sym_size(-2) != n_fft));
  const int64_t rows = is_onesided ? n_fft / 2 + 1 : n_fft;
  OPWRIGHT_CHECK(guard_or_true(self.sym_size(-2) == rows), kWho, ": self must have ", rows,
                 " frequencies for n_fft=", n_fft, ", got ", self.sym_size(-2));
  OPWRIGHT_CHECK(!return_complex || !is_onesided, kWho,
                 ": a complex signal has a spectrum of two sides; use onesided=False");
  const Frames frames = read_frames(kWho, n_fft, hop_length, win_length);
  const Tensor spectra = (self.dim() == 2 ? self.unsqueeze(0) : self).transpose(1, 2);
  const int64_t scale = normalized ? kByRootOfCount : kByCount;
  // Of a real signal the second half of the spectrum repeats the first: PyTorch ignores it.
  const Tensor half =
      is_onesided || return_complex ? spectra : spectra.narrow(2, SymInt(0), SymInt(n_fft / 2 + 1));
  Tensor pieces = return_complex ? _fft_c2c(spectra, {SymInt(2)}, scale, false)
                                 : _fft_c2r(half, {2}, scale, SymInt(n_fft));
  const auto given = padded_window(kWho, self, frames, window);
  const Tensor factors =
      given ? *given
            : full({SymInt(n_fft)}, Scalar(1), real_dtype(self.dtype()), {}, self.device());
  pieces = pieces.mul(factors);
  // The sum of overlapping pieces, divided by that of their squared windows.
  const SymInt count = spectra.sym_size(1);
  const SymInt total = SymInt(n_fft) + SymInt(frames.hop) * (count - SymInt(1));
  const SymSizes sizes{spectra.sym_size(0), total};
  const Tensor squares = factors.mul(factors).expand({SymInt(1), count, SymInt(n_fft)});
  Tensor signal = unfold_gradient(pieces, sizes, 1, n_fft, frames.hop);
  Tensor envelope = unfold_gradient(squares, SymSizes{SymInt(1), total}, 1, n_fft, frames.hop);
  const SymInt start = center ? SymInt(n_fft / 2) : SymInt(0);
  const SymInt end = length ? start + SymInt(*length) : total - start;
  const SymInt available = sym_min(end, total);
  OPWRIGHT_CHECK(guard_or_true(available > start), kWho, ": the signal has no samples after ",
                 start, " of ", total, "; use more windows or center=False");
  signal = signal.narrow(1, start, available - start);
  envelope = envelope.narrow(1, start, available - start);
  const Tensor smallest = envelope.abs().min();
  OPWRIGHT_CHECK(
      smallest.is_fake() || smallest.gt(1e-11).item().to<bool>(), kWho,
      ": the windows do not overlap everywhere: the sum of their squares is 0 somewhere");
  signal = signal.div(envelope);
  if (length && guard_or_false(end > total))
    signal = constant_pad_nd(signal, {SymInt(0), end - total});
  return self.dim() == 2 ? signal.squeeze(0) : signal;
}

}  // namespace opwright
