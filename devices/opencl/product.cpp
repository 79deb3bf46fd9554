#include "devices/opencl/product.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "devices/opencl/device.h"
#include "devices/opencl/dtype_text.h"
#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

// A group of 8 x 8 work-items computes 32 x 32 elements, each 4 x 4 of them, from tiles of 32 x 16
// in local memory.
constexpr size_t kTile = 32;
constexpr size_t kProductGroup = 8;

constexpr const char* kKernel = R"(
typedef struct { long batch; long row; long column; } Strides;
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void product(long rows, long depth, long columns, Strides of_left, Strides of_right,
             Strides of_result, A alpha, A beta, int is_added, __global const E* left,
             __global const E* right, __global E* result) {
  __local A left_tile[16][32];
  __local A right_tile[16][32];
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1);
  const int item = y * 8 + x;
  const long first_column = (long)get_group_id(0) * 32;
  const long first_row = (long)get_group_id(1) * 32;
  const long batch = (long)get_group_id(2);
  left += batch * of_left.batch;
  right += batch * of_right.batch;
  result += batch * of_result.batch;
  A sums[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sums[i][j] = 0;
  for (long k = 0; k < depth; k += 16) {
    for (int place = item; place < 512; place += 64) {
      const int inner = place / 32, outer = place % 32;
      const long at = k + inner;
      const long row = first_row + outer;
      const long column = first_column + outer;
      A of_left_tile = 0, of_right_tile = 0;
      if (at < depth && row < rows)
        of_left_tile = LOADED(left[row * of_left.row + at * of_left.column]);
      if (at < depth && column < columns)
        of_right_tile = LOADED(right[at * of_right.row + column * of_right.column]);
      left_tile[inner][outer] = of_left_tile;
      right_tile[inner][outer] = of_right_tile;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int inner = 0; inner < 16; ++inner) {
      A rights[4];
      for (int j = 0; j < 4; ++j) rights[j] = right_tile[inner][j * 8 + x];
      for (int i = 0; i < 4; ++i) {
        const A from_left = left_tile[inner][i * 8 + y];
        for (int j = 0; j < 4; ++j) sums[i][j] = MULTIPLIED(from_left, rights[j], sums[i][j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const long row = first_row + i * 8 + y;
      const long column = first_column + j * 8 + x;
      if (row >= rows || column >= columns) continue;
      const long at = row * of_result.row + column * of_result.column;
      A value = alpha * sums[i][j];
      if (is_added) value += beta * LOADED(result[at]);
      STORE(result[at])
    }
  }
}
)";

std::string product_source(DType dtype) {
  const DType compute = dtype == DType::Bool ? DType::Int32 : computing(dtype);
  const std::string loaded = convert_text(load_text(dtype, "(e)"), dtype, compute);
  return concatenate(
      dtype_prelude(), "typedef ", value_type(compute), " A;\ntypedef ", storage_type(dtype),
      " E;\n#define LOADED(e) ", loaded, "\n#define MULTIPLIED(a, b, sum) ",
      is_floating(compute) ? "fma(a, b, sum)" : "(A)((a) * (b) + (sum))",
      "\n#define STORE(element) ", store_text(dtype, "(element)", "value", compute), kKernel);
}

OpwValue value_of(double number) {
  OpwValue value{};
  value.tag = kOpwFloat;
  value.as_double = number;
  return value;
}

}  // namespace

void compute_product(int32_t index, const OpwProduct* product, OpwStream* stream) {
  Device& device = find_device(index);
  const DType dtype = from_dlpack(product->dtype);
  check_computes(device, dtype, "the matrix product");
  Kernel& kernel =
      device.kernels().find(concatenate("product ", static_cast<uint32_t>(dtype)), [&] {
        return KernelText{product_source(dtype), "product", device.build_options(),
                          concatenate("the matrix product of ", dtype)};
      });
  const DType compute = dtype == DType::Bool ? DType::Int32 : computing(dtype);
  KernelCall call(kernel);
  call.value(product->rows).value(product->depth).value(product->columns);
  for (const OpwMatrix& matrix : {product->left, product->right, product->result}) {
    const int64_t strides[3] = {matrix.batch, matrix.row, matrix.column};
    call.value(strides);
  }
  for (const double number : {product->alpha, product->beta}) {
    const NumberBytes bytes = value_bytes(value_of(number), compute);
    call.bytes(bytes.bytes.data(), bytes.size);
  }
  const auto is_added = static_cast<int32_t>(product->beta != 0);
  call.value(is_added);
  // A product of depth 0 has no elements to read; the runtime may reject their address.
  const bool is_empty = product->depth == 0;
  call.memory(is_empty ? product->result.data : product->left.data);
  call.memory(is_empty ? product->result.data : product->right.data);
  call.memory(product->result.data);
  const size_t columns =
      round_up(static_cast<uint64_t>(product->columns), kTile) / kTile * kProductGroup;
  const size_t rows = round_up(static_cast<uint64_t>(product->rows), kTile) / kTile * kProductGroup;
  call.run(queue_of(device, stream), {columns, rows, static_cast<size_t>(product->batch)},
           {kProductGroup, kProductGroup, 1});
}

}  // namespace opwright::opencl
