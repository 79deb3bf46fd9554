// A convolution as one matrix product: weights times columns of the image.
//
// Every kind (strides, padding, dilation, transposed) reads an image that was laid out for it: with
// padding, with zeros between the elements if the convolution is transposed, and with the elements
// of a line sorted by their position modulo the stride, so that one tap of the kernel reads
// consecutive elements for consecutive results.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace opwright {

using ImageExtent = std::array<int64_t, 3>;  // depth, height, width; 1 if missing

struct ConvolutionPlan {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // per group
  ImageExtent input, kernel, output, stride, padding, dilation;
  bool transposed;

  [[nodiscard]] int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  [[nodiscard]] int64_t positions() const { return output[0] * output[1] * output[2]; }
  [[nodiscard]] int64_t input_positions() const { return input[0] * input[1] * input[2]; }
  // The inner dimension of the product: the number of weights per result.
  [[nodiscard]] int64_t depth() const { return in_channels * taps(); }
  // The plan for the gradient of the input; the weights are the same.
  [[nodiscard]] ConvolutionPlan reversed() const {
    return {batch, groups, out_channels, in_channels, output,     kernel,
            input, stride, padding,      dilation,    !transposed};
  }
};

// The positions of the elements in the laid-out image of one channel.
class ImageLayout {
 public:
  // OverflowError if the images of the batch have too many elements.
  explicit ImageLayout(const ConvolutionPlan& plan);

  // Whether the image can be used without a new layout.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] int64_t channel_size() const { return lengths_[0] * lengths_[1] * line_; }
  // Offset of the first element that result (d, h, 0) reads.
  [[nodiscard]] int64_t offset_of_line(int64_t d, int64_t h) const {
    return (d * steps_[0] * lengths_[1] + h * steps_[1]) * line_;
  }
  // Offsets to add for each weight of one group, in order: channels, then taps.
  [[nodiscard]] std::vector<int64_t> offsets_of_weights() const;

  // Lays out one channel; `to` has channel_size() elements.
  template <class T>
  void lay_out(const T* from, T* to) const;

 private:
  // The offset of position `v` in a line.
  [[nodiscard]] int64_t place(int64_t v) const { return v % steps_[2] * phase_ + v / steps_[2]; }

  ConvolutionPlan plan_;
  ImageExtent lengths_;  // of the laid-out image
  ImageExtent leads_;    // the position of the image's first element; may be negative
  ImageExtent spreads_;  // from one element of the image to the next
  ImageExtent steps_;    // from one result to the next
  int64_t phase_;        // elements of a line that one tap reads
  int64_t line_;
  bool is_plain_;
};

}  // namespace opwright
