// Functions of the form of Ascend's aclnn in place of a vendor's library of operators:
// aclnnAddCustom on float32 tensors in host memory, and one that fails. It holds its caller to the
// two phases, and tells how many objects are alive.
#include <cstdint>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct AclTensor {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int32_t dtype;
  float* data;
};
struct AclIntArray {
  std::vector<int64_t> values;
};
struct Executor {
  const AclTensor* x;
  const AclTensor* y;
  const AclTensor* out;
};

int live_objects = 0;
std::string message;

constexpr int32_t kInvalid = 161002;
constexpr uint64_t kWorkspaceSize = 32;

}  // namespace

// For tests.
EXPORTED int aclnn_stand_in_live_objects() { return live_objects; }

EXPORTED const char* aclGetRecentErrMsg() { return message.c_str(); }

EXPORTED AclTensor* aclCreateTensor(const int64_t* sizes, uint64_t rank, int32_t dtype,
                                    const int64_t* strides, int64_t offset, int32_t /*format*/,
                                    const int64_t* /*storage*/, uint64_t /*storage_rank*/,
                                    void* data) {
  ++live_objects;
  return new AclTensor{
      {sizes, sizes + rank}, {strides, strides + rank}, dtype, static_cast<float*>(data) + offset};
}
EXPORTED int32_t aclDestroyTensor(const AclTensor* tensor) {
  --live_objects;
  delete tensor;
  return 0;
}
EXPORTED AclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) {
  ++live_objects;
  return new AclIntArray{{values, values + count}};
}
EXPORTED int32_t aclDestroyIntArray(const AclIntArray* array) {
  --live_objects;
  delete array;
  return 0;
}

EXPORTED int32_t aclnnAddCustomGetWorkspaceSize(const AclTensor* x, const AclTensor* y,
                                                const AclTensor* out, uint64_t* size,
                                                void** executor) {
  if (x->dtype != 0 || y->dtype != 0) {
    message = "EZ9999: AddCustom computes float32 alone";
    return kInvalid;
  }
  *size = kWorkspaceSize;
  *executor = new Executor{x, y, out};
  return 0;
}
EXPORTED int32_t aclnnAddCustom(void* workspace, uint64_t size, void* executor, void* /*stream*/) {
  auto* run = static_cast<Executor*>(executor);
  if (!workspace || size != kWorkspaceSize) {
    message = "EZ9998: the workspace is missing";
    delete run;
    return kInvalid;
  }
  // One dimension, any strides.
  for (int64_t i = 0; i < run->x->sizes[0]; ++i) {
    run->out->data[i * run->out->strides[0]] =
        run->x->data[i * run->x->strides[0]] + run->y->data[i * run->y->strides[0]];
  }
  delete run;
  return 0;
}

// Every kind of argument, written down by `out[0]`: axes[0] * scale + count, negative unless flag.
EXPORTED int32_t aclnnMixedGetWorkspaceSize(const AclTensor* optional, const AclIntArray* axes,
                                            double scale, int64_t count, bool flag,
                                            const AclTensor* out, uint64_t* size, void** executor) {
  const double value = static_cast<double>(axes->values[0]) * scale + static_cast<double>(count);
  out->data[0] = static_cast<float>(flag ? value : -value) + (optional ? 1000.0F : 0.0F);
  *size = 0;
  *executor = nullptr;
  return 0;
}
EXPORTED int32_t aclnnMixed(void* workspace, uint64_t size, void* /*executor*/, void* /*stream*/) {
  return workspace == nullptr && size == 0 ? 0 : kInvalid;
}
