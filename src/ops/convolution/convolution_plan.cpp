#include "opwright/ops/convolution/convolution_plan.h"

#include <algorithm>

#include "opwright/complex.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

ImageLayout::ImageLayout(const ConvolutionPlan& plan) : plan_(plan), is_plain_(true) {
  for (size_t i = 0; i < 3; ++i) {
    const int64_t reach = plan.dilation[i] * (plan.kernel[i] - 1);
    if (plan.transposed) {
      lengths_[i] = plan.output[i] + reach;
      leads_[i] = reach - plan.padding[i];
      spreads_[i] = plan.stride[i];
      steps_[i] = 1;
    } else {
      lengths_[i] = (plan.output[i] - 1) * plan.stride[i] + reach + 1;
      leads_[i] = plan.padding[i];
      spreads_[i] = 1;
      steps_[i] = plan.output[i] == 1 ? 1 : plan.stride[i];
      // Elements that are never read do no harm.
      if (leads_[i] == 0 && steps_[i] == 1) lengths_[i] = plan.input[i];
    }
    is_plain_ = is_plain_ && leads_[i] == 0 && (spreads_[i] == 1 || plan.input[i] == 1) &&
                lengths_[i] == plan.input[i];
  }
  phase_ = (lengths_[2] + steps_[2] - 1) / steps_[2];
  line_ = phase_ * steps_[2];
  is_plain_ = is_plain_ && steps_[2] == 1;
  const int64_t channels = std::max<int64_t>(1, plan.batch * plan.groups * plan.in_channels);
  (void)product(std::array<int64_t, 5>{16, channels, lengths_[0], lengths_[1], line_});  // fits
}

std::vector<int64_t> ImageLayout::offsets_of_weights() const {
  const auto reach = [&](size_t axis, int64_t tap) {
    return plan_.dilation[axis] * (plan_.transposed ? plan_.kernel[axis] - 1 - tap : tap);
  };
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(plan_.depth()));
  for (int64_t channel = 0; channel < plan_.in_channels; ++channel) {
    for (int64_t d = 0; d < plan_.kernel[0]; ++d) {
      for (int64_t h = 0; h < plan_.kernel[1]; ++h) {
        for (int64_t w = 0; w < plan_.kernel[2]; ++w)
          offsets.push_back(channel * channel_size() +
                            (reach(0, d) * lengths_[1] + reach(1, h)) * line_ + place(reach(2, w)));
      }
    }
  }
  return offsets;
}

template <class T>
void ImageLayout::lay_out(const T* from, T* to) const {
  std::fill_n(to, channel_size(), T{});
  const auto is_there = [&](size_t axis, int64_t at) { return at >= 0 && at < lengths_[axis]; };
  // The range of a line that is read.
  int64_t begin = 0;
  int64_t end = plan_.input[2];
  while (begin < end && !is_there(2, leads_[2] + begin * spreads_[2])) ++begin;
  while (end > begin && !is_there(2, leads_[2] + (end - 1) * spreads_[2])) --end;
  for (int64_t d = 0; d < plan_.input[0]; ++d) {
    const int64_t depth = leads_[0] + d * spreads_[0];
    if (!is_there(0, depth)) continue;
    for (int64_t h = 0; h < plan_.input[1]; ++h) {
      const int64_t height = leads_[1] + h * spreads_[1];
      if (!is_there(1, height)) continue;
      const T* source = from + (d * plan_.input[1] + h) * plan_.input[2];
      T* line = to + (depth * lengths_[1] + height) * line_;
      if (steps_[2] == 1 && spreads_[2] == 1) {
        std::copy(source + begin, source + end, line + leads_[2] + begin);
      } else if (steps_[2] == 1) {
        for (int64_t w = begin; w < end; ++w) line[leads_[2] + w * spreads_[2]] = source[w];
      } else {  // every step-th element goes to the same phase
        for (int64_t first = begin; first < std::min(end, begin + steps_[2]); ++first) {
          T* phase = line + place(leads_[2] + first);
          for (int64_t w = first; w < end; w += steps_[2]) *phase++ = source[w];
        }
      }
    }
  }
}

template void ImageLayout::lay_out(const float*, float*) const;
template void ImageLayout::lay_out(const double*, double*) const;
template void ImageLayout::lay_out(const uint8_t*, uint8_t*) const;
template void ImageLayout::lay_out(const uint16_t*, uint16_t*) const;
template void ImageLayout::lay_out(const uint32_t*, uint32_t*) const;
template void ImageLayout::lay_out(const uint64_t*, uint64_t*) const;
template void ImageLayout::lay_out(const int8_t*, int8_t*) const;
template void ImageLayout::lay_out(const int16_t*, int16_t*) const;
template void ImageLayout::lay_out(const int32_t*, int32_t*) const;
template void ImageLayout::lay_out(const int64_t*, int64_t*) const;
template void ImageLayout::lay_out(const Complex<float>*, Complex<float>*) const;
template void ImageLayout::lay_out(const Complex<double>*, Complex<double>*) const;

}  // namespace opwright
