#include "opwright/ops/engine/reduction/reduction_engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/reduction/reduction_tree.h"

namespace opwright {
namespace {

constexpr int64_t kBufferBytes = 16384;
constexpr int64_t kBlockOfRun = 16384;  // bytes reduced to one state
constexpr int64_t kRowsOfBlock = 32;    // at most
constexpr int64_t kShortRun = 8;        // elements; shorter runs are better done side by side
constexpr int64_t kBatch = 64;          // outputs finished together
constexpr int64_t kFoldGrain = 32768;   // elements
constexpr int64_t kPiece = 65536;       // elements per piece of a long reduction
constexpr int64_t kEnoughOutputs = 32;  // enough that long reductions are not split

struct Buffers {
  alignas(64) std::array<std::byte, kBufferBytes> elements;
  alignas(64) std::array<std::byte, kFoldColumns * kMostStateBytes> states;
  alignas(64) std::array<std::byte, kFoldColumns * kMostStateBytes> partial;
  alignas(64) std::array<std::byte, kFoldColumns * 16> results;
  alignas(64) std::array<int64_t, kFoldColumns> indices;
};

class FoldEngine {
 public:
  FoldEngine(const FoldKernel& kernel, DType compute, const FoldNumbers& numbers,
             const Tensor& input, const DimSet& folded, const Tensor& output, const Tensor* indices)
      : kernel_(kernel),
        numbers_(numbers),
        dims_(input, folded),
        input_(static_cast<const std::byte*>(input.numel() == 0 ? nullptr : input.data())),
        output_(static_cast<std::byte*>(output.mutable_data())),
        indices_(indices ? indices->mutable_data<int64_t>() : nullptr),
        input_item_(static_cast<int64_t>(item_size(input.dtype()))),
        item_(static_cast<int64_t>(item_size(compute))),
        output_item_(static_cast<int64_t>(item_size(output.dtype()))),
        result_item_(static_cast<int64_t>(item_size(kernel.result))),
        is_converted_(input.dtype() != compute),
        read_(find_conversion(compute, input.dtype())),
        write_(find_conversion(output.dtype(), kernel.result)),
        terms_(dims_.folded.numel()),
        row_(dims_.kept.inner()),
        outer_(dims_.kept.without_inner()) {
    goes_by_rows_ = !dims_.is_folded_innermost() ||
                    (terms_ < kShortRun && row_.size > terms_ && dims_.folded.count() == 1);
    has_dense_runs_ = !is_converted_ && dims_.folded.count() <= 1 &&
                      (dims_.folded.inner().stride == 1 || terms_ == 1) &&
                      terms_ <= kBlockOfRun / item_;
    blocks_of_row_ = (row_.size + kFoldColumns - 1) / kFoldColumns;
    units_ = goes_by_rows_ ? outer_.numel() * blocks_of_row_ : dims_.kept.numel();
  }

  void run() const {
    const int64_t columns = goes_by_rows_ ? std::min(row_.size, kFoldColumns) : 1;
    const int64_t terms_of_unit = std::max<int64_t>(1, terms_ * columns);
    if (units_ < kEnoughOutputs && terms_of_unit > 2 * kPiece) return run_pieces(columns);
    parallel_for(units_, std::max<int64_t>(1, kFoldGrain / terms_of_unit),
                 [&](int64_t begin, int64_t end) {
                   Buffers buffers;
                   if (goes_by_rows_)
                     run_row_units(begin, end, buffers);
                   else
                     run_outputs(begin, end, buffers);
                 });
  }

 private:
  void run_row_units(int64_t begin, int64_t end, Buffers& buffers) const {
    for (int64_t unit = begin; unit < end; ++unit) {
      fold_rows(unit, 0, terms_, buffers.states.data(), buffers);
      finish_row(unit, buffers);
    }
  }

  void run_outputs(int64_t begin, int64_t end, Buffers& buffers) const {
    for (int64_t first = begin; first < end; first += kBatch) {
      const int64_t count = std::min(kBatch, end - first);
      if (has_dense_runs_)
        fold_runs(first, count, buffers.states.data());
      else
        for (int64_t i = 0; i < count; ++i)
          fold_output(first + i, 0, terms_, buffers.states.data() + i * kernel_.state_bytes,
                      buffers);
      finish_outputs(first, count, buffers);
    }
  }

  // Reduces `count` outputs whose elements are one dense run each. A run may take only a few
  // instructions, so the kernel gets those of a row of outputs together.
  void fold_runs(int64_t first, int64_t count, std::byte* states) const {
    const auto fold = kernel_.run[cpu_level_index()];
    for (int64_t i = 0; i < count;) {
      const int64_t output = first + i;
      const int64_t runs = std::min(count - i, row_.size - output % row_.size);
      fold(states + i * kernel_.state_bytes, input_ + dims_.kept.offset(output) * input_item_,
           terms_, 0, runs, row_.stride);
      i += runs;
    }
  }

  // Few outputs of many elements: keeps the states of the pieces until all are done.
  void run_pieces(int64_t columns) const {
    const int64_t terms_of_piece = std::max<int64_t>(kRowsOfBlock, kPiece / columns);
    const int64_t pieces = (terms_ + terms_of_piece - 1) / terms_of_piece;
    const int64_t bytes = columns * kernel_.state_bytes;
    std::vector<std::byte> states(static_cast<size_t>(units_ * pieces * bytes));
    parallel_for(units_ * pieces, 1, [&](int64_t begin, int64_t end) {
      Buffers buffers;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % pieces * terms_of_piece;
        const int64_t last = std::min(terms_, first + terms_of_piece);
        std::byte* state = states.data() + i * bytes;
        if (goes_by_rows_)
          fold_rows(i / pieces, first, last, state, buffers);
        else
          fold_output(i / pieces, first, last, state, buffers);
      }
    });
    Buffers buffers;
    for (int64_t unit = 0; unit < units_; ++unit) {
      FoldTree tree(kernel_, goes_by_rows_ ? columns_of(unit) : 1);
      for (int64_t i = 0; i < pieces; ++i) tree.add(states.data() + (unit * pieces + i) * bytes);
      tree.total(buffers.states.data());
      if (goes_by_rows_)
        finish_row(unit, buffers);
      else
        finish_outputs(unit, 1, buffers);
    }
  }

  // Reduces the elements from `begin` to `end` of one output.
  void fold_output(int64_t output, int64_t begin, int64_t end, std::byte* state,
                   Buffers& buffers) const {
    const std::byte* base = input_ + dims_.kept.offset(output) * input_item_;
    const StridedDim inner = dims_.folded.inner();
    const int64_t block = kBlockOfRun / item_;
    const auto fold = kernel_.run[cpu_level_index()];
    if (end == begin || (dims_.folded.count() <= 1 && end - begin <= block)) {
      const std::byte* from = base + begin * inner.stride * input_item_;
      return fold(state, read_dense(from, inner.stride, end - begin, buffers.elements.data()),
                  end - begin, begin, 1, 0);
    }
    FoldTree tree(kernel_, 1);
    const StridedDims outer = dims_.folded.without_inner();
    int64_t gathered = 0;
    const auto flush = [&](const std::byte* elements, int64_t count, int64_t first) {
      fold(buffers.partial.data(), elements, count, first, 1, 0);
      tree.add(buffers.partial.data());
    };
    for (int64_t at = begin; at < end;) {
      const int64_t in_run = at % inner.size;
      const std::byte* from =
          base + (outer.offset(at / inner.size) + in_run * inner.stride) * input_item_;
      const int64_t count = std::min({inner.size - in_run, end - at, block - gathered});
      if (count == block) {
        flush(read_dense(from, inner.stride, count, buffers.elements.data()), count, at);
      } else {
        read_(buffers.elements.data() + gathered * item_, item_, from, inner.stride * input_item_,
              count);
        gathered += count;
      }
      at += count;
      if (gathered == block || (at == end && gathered != 0)) {
        flush(buffers.elements.data(), gathered, at - gathered);
        gathered = 0;
      }
    }
    tree.total(state);
  }

  [[nodiscard]] const std::byte* read_dense(const std::byte* from, int64_t stride, int64_t count,
                                            std::byte* buffer) const {
    if (!is_converted_ && (stride == 1 || count == 1)) return from;
    read_(buffer, item_, from, stride * input_item_, count);
    return buffer;
  }

  [[nodiscard]] int64_t columns_of(int64_t unit) const {
    return std::min(kFoldColumns, row_.size - unit % blocks_of_row_ * kFoldColumns);
  }

  // Reduces the rows from `begin` to `end` of several neighbouring outputs.
  void fold_rows(int64_t unit, int64_t begin, int64_t end, std::byte* states,
                 Buffers& buffers) const {
    const int64_t columns = columns_of(unit);
    const std::byte* base = input_ + (outer_.offset(unit / blocks_of_row_) +
                                      unit % blocks_of_row_ * kFoldColumns * row_.stride) *
                                         input_item_;
    const bool is_direct = !is_converted_ && row_.stride == 1;
    const int64_t most_rows =
        is_direct ? kRowsOfBlock : std::min(kRowsOfBlock, kBufferBytes / (columns * item_));
    const auto fold = kernel_.rows[cpu_level_index()];
    const bool is_one_block = end - begin <= most_rows;
    FoldTree tree(kernel_, columns);
    std::array<const std::byte*, kRowsOfBlock> rows;
    for (int64_t first = begin; first < end || first == begin; first += most_rows) {
      const int64_t count = std::min(most_rows, end - first);
      for (int64_t i = 0; i < count; ++i) {
        rows[static_cast<size_t>(i)] = base + dims_.folded.offset(first + i) * input_item_;
        if (is_direct) continue;
        std::byte* buffer = buffers.elements.data() + i * columns * item_;
        read_(buffer, item_, rows[static_cast<size_t>(i)], row_.stride * input_item_, columns);
        rows[static_cast<size_t>(i)] = buffer;
      }
      std::byte* target = is_one_block ? states : buffers.partial.data();
      fold(target, rows.data(), count, columns, first);
      if (is_one_block) return;
      tree.add(target);
    }
    tree.total(states);
  }

  void finish_row(int64_t unit, Buffers& buffers) const {
    const int64_t columns = columns_of(unit);
    const int64_t target = outer_.target_offset(unit / blocks_of_row_) +
                           unit % blocks_of_row_ * kFoldColumns * row_.target_stride;
    finish(columns, buffers);
    write(target, row_.target_stride, 0, columns, buffers);
  }

  void finish_outputs(int64_t first, int64_t count, Buffers& buffers) const {
    finish(count, buffers);
    if (dims_.kept.count() <= 1)
      return write(first * row_.target_stride, row_.target_stride, 0, count, buffers);
    for (int64_t i = 0; i < count; ++i)
      write(dims_.kept.target_offset(first + i), 1, i, 1, buffers);
  }

  void finish(int64_t count, Buffers& buffers) const {
    kernel_.finish(buffers.results.data(), indices_ ? buffers.indices.data() : nullptr,
                   buffers.states.data(), count, numbers_);
  }
  void write(int64_t target, int64_t stride, int64_t from, int64_t count, Buffers& buffers) const {
    write_(output_ + target * output_item_, stride * output_item_,
           buffers.results.data() + from * result_item_, result_item_, count);
    if (!indices_) return;
    for (int64_t i = 0; i < count; ++i)
      indices_[target + i * stride] = buffers.indices[static_cast<size_t>(from + i)];
  }

  const FoldKernel& kernel_;
  const FoldNumbers& numbers_;
  ReducedDims dims_;
  const std::byte* input_;
  std::byte* output_;
  int64_t* indices_;
  int64_t input_item_, item_, output_item_, result_item_;
  bool is_converted_;
  ConversionFunction read_, write_;
  int64_t terms_;
  StridedDim row_;     // of outputs, when reduced side by side
  StridedDims outer_;  // its rows
  bool goes_by_rows_ = false;
  bool has_dense_runs_ = false;  // of the elements of each output
  int64_t blocks_of_row_ = 0;
  int64_t units_ = 0;  // outputs, or blocks of outputs side by side
};

}  // namespace

void compute_fold(const FoldTable& table, DType compute, const FoldNumbers& numbers,
                  const Tensor& input, const DimSet& folded, const Tensor& output,
                  const Tensor* indices) {
  const FoldKernel& kernel = table[kernel_index(compute)];
  OPWRIGHT_ASSERT(kernel.finish != nullptr);
  FoldEngine(kernel, kernel_dtype(compute), numbers, input, folded, output, indices).run();
}

}  // namespace opwright
