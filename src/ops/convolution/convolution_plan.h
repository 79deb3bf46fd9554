// A convolution as one product of matrices: weights times columns of the image.
//
// Every kind (strides, padding, dilation, transposed) reads an image that was laid out for it: with
// its border, with zeros between its elements where the convolution is transposed, and with the
// elements of a line sorted by their place modulo the stride, so that one tap of the kernel reads
// consecutive elements for consecutive results.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace opwright {

using ImageExtent = std::array<int64_t, 3>;  // depth, height, width; 1 where an image has no such

struct ConvolutionPlan {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  ImageExtent input, kernel, output, stride, padding, dilation;
  bool transposed;

  [[nodiscard]] int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  [[nodiscard]] int64_t positions() const { return output[0] * output[1] * output[2]; }
  [[nodiscard]] int64_t input_positions() const { return input[0] * input[1] * input[2]; }
  // Of the product: the weights of one result.
  [[nodiscard]] int64_t depth() const { return in_channels * taps(); }
  // The plan of the gradient of the input, whose weights are the same.
  [[nodiscard]] ConvolutionPlan reversed() const {
    return {batch, groups, out_channels, in_channels, output,     kernel,
            input, stride, padding,      dilation,    !transposed};
  }
};

// Where the laid out image of one channel has its elements.
class ImageLayout {
 public:
  // OverflowError when the images of the batch have too many elements.
  explicit ImageLayout(const ConvolutionPlan& plan);

  // Whether the image as it is serves.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] int64_t channel_size() const { return lengths_[0] * lengths_[1] * line_; }
  // Of the first element that result (d, h, 0) reads.
  [[nodiscard]] int64_t offset_of_line(int64_t d, int64_t h) const {
    return (d * steps_[0] * lengths_[1] + h * steps_[1]) * line_;
  }
  // Added for each weight of one group, in their order: channels, then taps.
  [[nodiscard]] std::vector<int64_t> offsets_of_weights() const;

  // Lays one channel out; `to` has channel_size() elements.
  template <class T>
  void lay_out(const T* from, T* to) const;

 private:
  // Of place `v` in a line.
  [[nodiscard]] int64_t place(int64_t v) const { return v % steps_[2] * phase_ + v / steps_[2]; }

  ConvolutionPlan plan_;
  ImageExtent lengths_;  // of the laid out image
  ImageExtent leads_;    // the place of the first element of the image; may be negative
  ImageExtent spreads_;  // from one element of the image to the next
  ImageExtent steps_;    // from one result to the next
  int64_t phase_;        // elements of a line that one tap reads
  int64_t line_;
  bool is_plain_;
};

}  // namespace opwright
