// multiply_batch: distributes products over threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/product/product.h"

namespace opwright {

inline constexpr int64_t kProductGrain = int64_t{1} << 19;  // multiplications worth a thread
inline constexpr int64_t kPieceRows = 48;
inline constexpr int64_t kPieceColumns = 64;

template <class T>
ProductForm form_of_whole(const MatrixProduct<T>& product) {
  if constexpr (kIsPlain<T>)
    return {};
  else
    return form_of(product);
}

template <class T>
void multiply_batch(const MatrixProduct<T>& first, int64_t batch, int64_t a_batch, int64_t b_batch,
                    int64_t c_batch) {
  const auto multiply = [form = form_of_whole(first)](const MatrixProduct<T>& part) {
    if constexpr (kIsPlain<T>)
      multiply_matrices(part);
    else
      multiply_matrices(part, form);
  };
  const auto piece_of = [&](int64_t index, int64_t row, int64_t rows, int64_t column,
                            int64_t columns) {
    MatrixProduct<T> piece = first;
    piece.a += index * a_batch + row * first.a_row;
    piece.b += index * b_batch + column * first.b_column;
    piece.c += index * c_batch + row * first.c_row + column;
    piece.rows = rows;
    piece.columns = columns;
    multiply(piece);
  };
  // As a double: sizes of broadcast operands may exceed 64 bits.
  const double work = static_cast<double>(first.rows) * static_cast<double>(first.columns) *
                      static_cast<double>(std::max<int64_t>(1, first.depth));
  const int64_t threads = is_in_parallel_body() ? 1 : num_threads();
  if (batch == 1 && (threads == 1 || work < 2.0 * kProductGrain)) return multiply(first);
  if (threads == 1 || batch >= 4 * threads || work < 2.0 * kProductGrain) {
    const double grain = static_cast<double>(kProductGrain) / std::max(1.0, work);
    return parallel_for(batch, std::max<int64_t>(1, static_cast<int64_t>(grain)),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i)
                            piece_of(i, 0, first.rows, 0, first.columns);
                        });
  }
  // A grid over each matrix, with two pieces per thread; the longer side is split first.
  int64_t row_pieces = 1;
  int64_t column_pieces = 1;
  while (batch * row_pieces * column_pieces < 2 * threads) {
    const int64_t rows = first.rows / (2 * row_pieces);
    const int64_t columns = first.columns / (2 * column_pieces);
    if (work < static_cast<double>(2 * row_pieces * column_pieces) * kProductGrain) break;
    if (columns >= rows && columns >= kPieceColumns)
      column_pieces *= 2;
    else if (rows >= kPieceRows)
      row_pieces *= 2;
    else
      break;
  }
  const auto step = [](int64_t size, int64_t pieces, int64_t multiple) {
    const int64_t each = (size + pieces - 1) / pieces;
    return pieces == 1 ? size : (each + multiple - 1) / multiple * multiple;
  };
  const int64_t row_step = step(first.rows, row_pieces, kPieceRows / 2);
  const int64_t column_step = step(first.columns, column_pieces, kPieceColumns / 2);
  parallel_for(batch * row_pieces * column_pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / column_pieces % row_pieces * row_step;
      const int64_t column = i % column_pieces * column_step;
      const int64_t rows = std::min(row_step, first.rows - row);
      const int64_t columns = std::min(column_step, first.columns - column);
      if (rows > 0 && columns > 0)
        piece_of(i / column_pieces / row_pieces, row, rows, column, columns);
    }
  });
}

}  // namespace opwright
