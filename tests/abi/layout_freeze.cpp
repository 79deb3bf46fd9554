// No test code: compiling this file is the test. A failing line means that the ABI changed; then
// the ABI version must change (the minor for appended fields, the major for everything else) and
// docs/concepts/abi.md must say why.
#include <cstddef>

#include "opwright/c_api.h"

static_assert(OPW_ABI_MAJOR == 1 && OPW_ABI_MINOR == 2);

static_assert(sizeof(OpwDtype) == 4 && offsetof(OpwDtype, code) == 0 &&
              offsetof(OpwDtype, bits) == 1);
static_assert(sizeof(OpwDevice) == 8 && offsetof(OpwDevice, index) == 4);
static_assert(sizeof(OpwDlTensor) == 48);
static_assert(offsetof(OpwDlTensor, data) == 0 && offsetof(OpwDlTensor, device) == 8);
static_assert(offsetof(OpwDlTensor, ndim) == 16 && offsetof(OpwDlTensor, dtype) == 20);
static_assert(offsetof(OpwDlTensor, shape) == 24 && offsetof(OpwDlTensor, strides) == 32);
static_assert(offsetof(OpwDlTensor, byte_offset) == 40);

static_assert(sizeof(OpwSymWord) == 8 && sizeof(OpwSymNode) == 8);
static_assert(kOpwSymAdd == 0 && kOpwSymGe == 12 && kOpwSymNot == 15);
static_assert(sizeof(OpwSymTable) == 64);
static_assert(offsetof(OpwSymTable, retain) == 8 && offsetof(OpwSymTable, text) == 56);

static_assert(sizeof(OpwValue) == 16);
static_assert(offsetof(OpwValue, tag) == 0 && offsetof(OpwValue, length) == 4 &&
              offsetof(OpwValue, as_int) == 8);
static_assert(kOpwNone == 0 && kOpwTensor == 1 && kOpwMemoryFormat == 11 && kOpwIntList == 16 &&
              kOpwObject == 22);
static_assert(sizeof(OpwObject) == 8 && sizeof(OpwObjectTable) == 56);

static_assert(sizeof(OpwRecord) == 48);
static_assert(offsetof(OpwRecord, function) == 8 && offsetof(OpwRecord, self) == 16);
static_assert(offsetof(OpwRecord, op) == 32 && offsetof(OpwRecord, host) == 40);

static_assert(kOpwDeviceBits == 0xffff && kOpwFlagFake == 1u << 16 &&
              kOpwFlagInference == 1u << 23);
static_assert(kOpwCountHostBit == 1u << 31);
static_assert(sizeof(OpwTensor) == 64);
static_assert(offsetof(OpwTensor, count) == 8 && offsetof(OpwTensor, flags) == 12 &&
              offsetof(OpwTensor, dl) == 16);
static_assert(sizeof(OpwTensorTable) == 40 && offsetof(OpwTensorTable, promote) == 16);
static_assert(offsetof(OpwTensorTable, symbolic) == 32);

static_assert(sizeof(OpwError) == 80);
static_assert(offsetof(OpwError, count) == 4 && offsetof(OpwError, release) == 8 &&
              offsetof(OpwError, kind) == 16);
static_assert(offsetof(OpwError, message) == 32 && offsetof(OpwError, num_notes) == 48 &&
              offsetof(OpwError, payload) == 64);

static_assert(sizeof(OpwDeviceTable) == 272 && offsetof(OpwDeviceTable, allocate) == 48);
static_assert(offsetof(OpwDeviceTable, property) == 152 &&
              offsetof(OpwDeviceTable, compute_loop) == 160 &&
              offsetof(OpwDeviceTable, build_kernel) == 200 &&
              offsetof(OpwDeviceTable, event_time) == 264);
static_assert(sizeof(OpwOperand) == 40 && offsetof(OpwOperand, number) == 24);
static_assert(sizeof(OpwLoop) == 96 && offsetof(OpwLoop, result) == 56);
static_assert(sizeof(OpwFold) == 168 && offsetof(OpwFold, operand) == 48);
static_assert(sizeof(OpwMatrix) == 32 && sizeof(OpwProduct) == 152 &&
              offsetof(OpwProduct, left) == 40 && offsetof(OpwProduct, alpha) == 136);
static_assert(kOpwMoveGather == 0 && kOpwMoveScatter == 1 && kOpwMoveAdd == 2);
static_assert(sizeof(OpwIndex) == 56 && sizeof(OpwMove) == 112 && offsetof(OpwMove, source) == 32);
static_assert(sizeof(OpwRandom) == 64 && offsetof(OpwRandom, seed) == 24);
static_assert(sizeof(OpwKernelArgument) == 16 && sizeof(OpwLaunch) == 72 &&
              offsetof(OpwLaunch, groups) == 16);
static_assert(sizeof(OpwDevicePlugin) == 24);

static_assert(sizeof(OpwHost) == 56 && offsetof(OpwHost, call) == 48);
static_assert(offsetof(OpwHost, abi_major) == 4 && offsetof(OpwHost, name) == 8 &&
              offsetof(OpwHost, give_error) == 24);
static_assert(offsetof(OpwHost, parallel_for) == 40);

static_assert(sizeof(OpwContext) == 16 && sizeof(OpwContextTable) == 72);
static_assert(offsetof(OpwContextTable, save) == 8 &&
              offsetof(OpwContextTable, needs_gradient) == 40 &&
              offsetof(OpwContextTable, argument) == 64);

static_assert(sizeof(OpwAutogradFunction) == 16 && offsetof(OpwAutogradFunction, function) == 8);
static_assert(sizeof(OpwAutogradFunctionTable) == 24 &&
              offsetof(OpwAutogradFunctionTable, forward) == 8 &&
              offsetof(OpwAutogradFunctionTable, backward) == 16);

static_assert(sizeof(OpwImplementation) == 64);
static_assert(offsetof(OpwImplementation, function) == 8 &&
              offsetof(OpwImplementation, name) == 32);
static_assert(offsetof(OpwImplementation, file) == 56);
static_assert(sizeof(OpwRegistrar) == 32 && offsetof(OpwRegistrar, define) == 16);
static_assert(sizeof(OpwLibrary) == 64 && offsetof(OpwLibrary, kind) == 4);
static_assert(offsetof(OpwLibrary, body) == 40 && offsetof(OpwLibrary, next) == 56);
static_assert(sizeof(OpwImport) == 32 && offsetof(OpwImport, index) == 4);
static_assert(sizeof(OpwBinary) == 40 && offsetof(OpwBinary, devices) == 32 &&
              offsetof(OpwBinary, libraries) == 8);
