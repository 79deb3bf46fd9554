/* The ABI: all that crosses the border between an operator binary, a device plug-in and a host.
 *
 * A plain C header. Structs that start with struct_size only grow, behind the size that they had; a
 * reader looks at struct_size before it touches a later field. All else changes with the major
 * version alone, so that a binary runs in every host of its major version that has what it uses.
 * tests/abi/layout_freeze.cpp holds every offset, tests/abi/first_binary_1_0.so the first binary.
 *
 * Everything here is there since version 1.0 unless it says otherwise.
 *
 * Words used below: a *borrowed* pointer is valid until the call returns and is not released by the
 * callee; an *owned* one is released by whoever holds it. "Any thread" means that the function
 * locks what it must. */
#ifndef OPWRIGHT_C_API_H_
#define OPWRIGHT_C_API_H_

#include <stddef.h>
#include <stdint.h>

#define OPW_ABI_MAJOR 1
#define OPW_ABI_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OpwError OpwError;
typedef struct OpwHost OpwHost;
typedef struct OpwObject OpwObject;
typedef struct OpwOperator OpwOperator; /* a host's own; never looked into from outside */
typedef struct OpwRecord OpwRecord;
typedef struct OpwSymNode OpwSymNode;
typedef struct OpwTensor OpwTensor;

/* ---- Dtypes and devices: DLPack's, bit for bit
 * ---------------------------------------------------------------- */

/* DLPack's DLDataType. As one number (OpwValue, opwright::DType) it is code | bits << 8 | lanes
 * << 16. */
typedef struct {
  uint8_t code; /* an OpwDtypeCode */
  uint8_t bits; /* of one element; a complex64 has 64 */
  uint16_t lanes;
} OpwDtype;

typedef enum {
  kOpwDtypeInt = 0,
  kOpwDtypeUInt = 1,
  kOpwDtypeFloat = 2,
  kOpwDtypeBfloat = 4,
  kOpwDtypeComplex = 5,
  kOpwDtypeBool = 6,
  kOpwDtypeFloat8E4M3FN = 10,
  kOpwDtypeFloat8E5M2 = 12,
} OpwDtypeCode;

/* DLPack's DLDevice. Types from 256 on are ours; plug-ins get theirs from 512 on. */
typedef struct {
  int32_t type;  /* an OpwDeviceType */
  int32_t index; /* -1 in a device argument: the current one */
} OpwDevice;

typedef enum {
  kOpwDeviceCpu = 1,
  kOpwDeviceCuda = 2,
  kOpwDeviceOpenCl = 4,
  kOpwDeviceVulkan = 7,
  kOpwDeviceMps = 8,
  kOpwDeviceRocm = 10,
  kOpwDevicePrivate = 12, /* DLPack's kDLExtDev, PyTorch's PrivateUse1 */
  kOpwDeviceXpu = 14,
  kOpwDeviceMeta = 256, /* shapes without memory */
  kOpwDeviceXla = 257,
  kOpwDeviceIpu = 258,
  kOpwDeviceHpu = 259,
  kOpwFirstPluginDevice = 512,
} OpwDeviceType;

/* DLPack's DLTensor. `data` already includes every offset and `byte_offset` is 0 in tensors that a
 * host passes to a kernel; an importer of foreign memory adds it. Strides count elements and are
 * never null in an OpwTensor. */
typedef struct {
  void* data;
  OpwDevice device;
  int32_t ndim;
  OpwDtype dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} OpwDlTensor;

/* ---- Symbolic integers
 * ---------------------------------------------------------------------------------------- */

/* A plain int in its own bits or, when below kOpwSmallestInt, a pointer to an OpwSymNode with bit
 * 63 set. So an array of words that are all plain is an int64_t array. */
typedef int64_t OpwSymWord;
#define kOpwSmallestInt (-(INT64_C(1) << 62))

typedef enum {
  kOpwSymAdd,
  kOpwSymSub,
  kOpwSymMul,
  kOpwSymFloorDiv,
  kOpwSymMod, /* sign of the divisor, as in Python */
  kOpwSymMax,
  kOpwSymMin,
  kOpwSymEq,
  kOpwSymNe,
  kOpwSymLt,
  kOpwSymLe,
  kOpwSymGt,
  kOpwSymGe,
  kOpwSymAnd, /* of two conditions */
  kOpwSymOr,
  kOpwSymNot, /* of the first operand; the second is 0 */
} OpwSymOp;

typedef enum { kOpwUnknownIsError = 0, kOpwUnknownIsFalse = 1, kOpwUnknownIsTrue = 2 } OpwIfUnknown;

/* What the owner of symbols answers. Functions return 0, or 1 with the error given to the owner's
 * host. Any thread may retain and release; the rest belongs to the thread that runs the owner's
 * trace. */
typedef struct {
  uint32_t struct_size;
  void (*retain)(OpwSymNode* node);
  void (*release)(OpwSymNode* node);
  /* At least one operand is a symbol of this owner. The result is owned; a condition is 0, 1 or a
   * symbol. */
  int (*apply)(OpwSymOp op, OpwSymWord a, OpwSymWord b, OpwSymWord* result);
  /* Decides now and lets the owner record the decision. */
  int (*guard)(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file, uint32_t line,
               int* result);
  /* Demands: a condition that cannot be decided now becomes a run-time assertion of the owner's
   * program. */
  int (*check)(OpwSymWord condition, const char* message, const char* file, uint32_t line);
  /* The int that the symbol has for the length of this trace; the owner records that it is fixed
   * from here on. */
  int (*specialise)(OpwSymWord word, const char* file, uint32_t line, int64_t* result);
  /* The text of a word, e.g. "2*s0"; writes at most `capacity` bytes with the final zero, returns
   * the whole length. */
  size_t (*text)(OpwSymWord word, char* buffer, size_t capacity);
} OpwSymTable;

struct OpwSymNode {
  const OpwSymTable* table; /* the owner's data follow */
};

/* ---- Values
 * ---------------------------------------------------------------------------------------------------
 */

/* New tags may be added in a minor version; an unknown tag is an error, never ignored. */
typedef enum {
  kOpwNone = 0,
  kOpwTensor = 1, /* as_tensor: never null in an argument */
  kOpwInt = 2,
  kOpwFloat = 3,
  kOpwBool = 4,          /* as_int is 0 or 1 */
  kOpwSymInt = 5,        /* as_int is an OpwSymWord, plain or symbolic */
  kOpwComplex = 6,       /* as_doubles: real, imaginary; length 2 */
  kOpwString = 7,        /* as_string: UTF-8, `length` bytes, no zero at the end */
  kOpwDtype = 8,         /* as_int is code | bits << 8 | lanes << 16 */
  kOpwDeviceValue = 9,   /* as_device */
  kOpwLayout = 10,       /* as_int: 0 strided */
  kOpwMemoryFormat = 11, /* as_int: 0 contiguous, 1 preserve, 2 channels_last, 3 channels_last_3d */
  kOpwIntList = 16,      /* as_ints */
  kOpwSymIntList = 17,   /* as_ints: words, plain or symbolic */
  kOpwFloatList = 18,    /* as_doubles */
  kOpwBoolList = 19,     /* as_bytes: 0 or 1 each */
  kOpwTensorList = 20,   /* as_tensors */
  kOpwList = 21,   /* as_values: every other list (Tensor?[], str[], Scalar[], nested) and tuples */
  kOpwObject = 22, /* as_object */
} OpwTag;

/* A value passed to or from an operator: 16 bytes, tag first.
 *
 * Arguments are borrowed. Results are owned by the caller: a Tensor or Object is one count; a
 * symbolic word is one count on its node; the memory behind a list or a string is one block of
 * malloc that the owner frees, after releasing its elements. A `Scalar` argument has the tag of the
 * number that it holds. */
typedef struct {
  uint32_t tag;    /* an OpwTag */
  uint32_t length; /* of a list or a string, else zero */
  union {
    int64_t as_int;
    double as_double;
    OpwDevice as_device;
    OpwTensor* as_tensor;
    OpwObject* as_object;
    const char* as_string;
    const int64_t* as_ints;
    const double* as_doubles;
    const uint8_t* as_bytes;
    OpwTensor* const* as_tensors;
    const void* as_values; /* an array of OpwValue */
  };
} OpwValue;

/* Generators, streams, opaque and Python objects. */
typedef struct {
  uint32_t struct_size;
  const char* type_name;              /* as schemas write it, e.g. "Generator" */
  void (*retain)(OpwObject* object);  /* any thread */
  void (*release)(OpwObject* object); /* any thread */
  int (*equal)(const OpwObject* a, const OpwObject* b);
  uint64_t (*hash)(const OpwObject* object);
  size_t (*text)(const OpwObject* object, char* buffer, size_t capacity); /* as OpwSymTable::text */
} OpwObjectTable;

struct OpwObject {
  const OpwObjectTable* table; /* the owner's data follow */
};

/* ---- Calls
 * ----------------------------------------------------------------------------------------------------
 */

/* Runs one operator or rule. `record` holds what was registered with the function. Every argument
 * of the schema is there, defaults filled in. The caller zeroes `results`; one that is still None
 * after a return of 0 where the schema has a value is an error of the function. Returns 0, or 1
 * after it gave an OpwError to record->host; the caller then releases the results that are not
 * None. Never throws.
 *
 * A kernel, fake kernel or composite body has the operator's arguments and results. The rules, by
 * slot name, with `args...` and `results...` for those of the operator:
 *   KeepOld       (Object context, args...) -> (a value or None for each argument...)
 *     Runs before a call that writes; SetupContext gets what is not None in place of the argument.
 *   SetupContext  (Object context, args..., results...) -> ()
 *   Autograd      (Object context, gradients of results..., gradients of written arguments that
 *                  are no results...) -> (gradients of tensor arguments, in schema order...)
 *     A gradient that is not there is None. A Tensor[] has a Tensor[] gradient, or a List of
 *     tensors and None.
 *   Jvp           (args..., tangents of tensor arguments...) -> (tangents of results...)
 *     A tangent that is not there is None.
 *   Vmap          (SymInt batch_size, str randomness, List in_dims, args...)
 *                  -> (results..., List out_dims)
 *     in_dims has int or None for each argument (a List of them for a list), out_dims for each
 *     result.
 *   Scatter       (Tensor base, Tensor value, args after the first..., int place)
 *                  -> Tensor: base with that view replaced
 *     The place is there for an operator that gives a list of views.
 *   Functional    (args...) -> (unwritten results..., new values of written arguments...)
 *   Autocast      (Dtype dtype, Device device, args...) -> (args to call with..., or all None)
 *   Decompose     as a composite body
 *   Convert       (str engine, int version) -> str, Object or None
 *     What the operator is in a foreign graph: the text of a node (docs/guides/onnx.md), or a rule
 *     of the host's own; None: not for that engine and version. */
typedef int (*OpwFunction)(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results);

/* A registered function. Made by a host at registration, immutable, never freed; `self` is dropped
 * once after the record was removed and its last call returned. */
struct OpwRecord {
  uint32_t struct_size;
  OpwFunction function;
  void* self;               /* the registrant's, or null */
  void (*drop)(void* self); /* null: nothing to drop */
  const OpwOperator* op;    /* the host's operator that the record stands in the row of */
  const OpwHost* host;
};

/* ---- Tensors
 * --------------------------------------------------------------------------------------------------
 */

/* The low 16 bits of OpwTensor::flags: one bit for the device, given out by the host. ORed over the
 * arguments of a call they tell whether more than one device is there. */
#define kOpwDeviceBits 0xffffu
#define kOpwFlagFake (1u << 16)    /* a shape without memory: only rules may run */
#define kOpwFlagWrapped (1u << 17) /* made by a transform: its home is not null */
#define kOpwFlagRequiresGrad \
  (1u << 18) /* at its own level: asked for, or computed from one that does */
#define kOpwFlagSymbolic \
  (1u << 19) /* a size, stride or offset is a symbol: read them through `symbolic` */
#define kOpwFlagView (1u << 20) /* stands on the caller's stack: `promote` before keeping it */
#define kOpwFlagReadOnly \
  (1u << 21)                     /* memory that must not be written (a read-only DLPack import) */
#define kOpwFlagStale (1u << 22) /* `refresh` before reading anything but the flags */
#define kOpwFlagInference (1u << 23) /* made under inference mode: never recorded */

/* Symbolic sizes of a tensor; borrowed, valid while the tensor is. Each points to ndim words. */
typedef struct {
  const OpwSymWord* sizes;
  const OpwSymWord* strides;
  OpwSymWord offset;
} OpwSymbolicShape;

/* What the owner of a tensor answers. */
typedef struct {
  uint32_t struct_size;
  /* The count is at its last: destroys the tensor. Any thread. */
  void (*release)(OpwTensor* tensor);
  /* An owning handle (count raised or new) of what the View `tensor` shows; null with the error
   * given to the host. */
  OpwTensor* (*promote)(OpwTensor* tensor);
  /* Brings a Stale tensor up to date. Returns 0, or 1 with the error given to the host. */
  int (*refresh)(OpwTensor* tensor);
  /* The words of a Symbolic tensor. Returns 0, or 1 with the error given to the host. */
  int (*symbolic)(const OpwTensor* tensor, OpwSymbolicShape* shape);
} OpwTensorTable;

/* The bit of OpwTensor::count that a host uses for itself; the rest is the number of handles. */
#define kOpwCountHostBit (1u << 31)

/* A tensor. Only hosts make one, and its size is not part of the ABI: the owner's data follow. A
 * handle is retained by raising `count` atomically, released by lowering it; whoever finds (count &
 * ~kOpwCountHostBit) == 1 calls owner->release instead. Contents may be replaced by the owner while
 * handles stay valid. */
struct OpwTensor {
  const OpwTensorTable* owner;
  uint32_t count; /* atomic */
  uint32_t flags;
  OpwDlTensor dl;
};

/* ---- Errors
 * ---------------------------------------------------------------------------------------------------
 */

typedef struct {
  const char* kind; /* what the note tells: "operator", "argument", "line", ... */
  const char* text;
} OpwNote;

/* A counted error. The party that makes one sets `release`, so that any other can drop it. The
 * strings are UTF-8 and live as long as the error. The payload keeps a host's own exception object
 * for the outermost caller. */
struct OpwError {
  uint32_t struct_size;
  uint32_t count;                   /* atomic */
  void (*release)(OpwError* error); /* the count is at its last: destroys it. Any thread */
  const char* kind;                 /* the Python exception's name, e.g. "ValueError" */
  const char* text;                 /* one sentence or more, without the notes */
  const char* message;              /* the text and the notes, a line for each note */
  const OpwNote* notes;             /* innermost first */
  uint32_t num_notes;
  const void*
      payload_type; /* who understands the payload: an address of that party; null: no payload */
  void* payload;
  void (*drop_payload)(void* payload); /* any thread */
};

/* ---- What a formula saves
 * ------------------------------------------------------------------------------------- */

typedef struct OpwContext OpwContext;

/* The context of one recorded call: between its SetupContext rule and its Autograd rule. Functions
 * return 0, or 1 with the error given to the host. */
typedef struct {
  uint32_t struct_size;
  /* Keeps the tensors, which are checked for later writes when they are read back. Replaces what
   * was saved before. */
  int (*save)(OpwContext* context, OpwTensor* const* tensors, uint32_t count);
  /* Saved tensor `index`; owned. */
  int (*saved)(OpwContext* context, uint32_t index, OpwTensor** tensor);
  /* An argument that is not a tensor, or what set_attribute kept, by name; borrowed from the
   * context. */
  int (*attribute)(OpwContext* context, const char* name, const OpwValue** value);
  int (*set_attribute)(OpwContext* context, const char* name, const OpwValue* value);
  /* Whether tensor argument `index`, counted over tensor arguments, needs a gradient. */
  int (*needs_gradient)(OpwContext* context, uint32_t index, int* result);
  /* Whether gradients of results that are not there arrive as zeros (the default) or as None. */
  int (*set_materialize)(OpwContext* context, int on);
  /* Results that carry no gradient; from SetupContext. */
  int (*mark_non_differentiable)(OpwContext* context, OpwTensor* const* tensors, uint32_t count);
  /* Argument `index` of the call, counted over all arguments, that is no tensor; borrowed from the
   * context. */
  int (*argument)(OpwContext* context, uint32_t index, const OpwValue** value);
} OpwContextTable;

/* An object of type "AutogradContext". */
struct OpwContext {
  const OpwObjectTable* table;
  const OpwContextTable* context; /* the engine's data follow */
};

/* ---- Devices
 * --------------------------------------------------------------------------------------------------
 */

typedef struct OpwStream OpwStream; /* a device's own; null: its default stream */
typedef struct OpwEvent OpwEvent;   /* a device's own */

/* ---- What a device computes. Since 1.1.
 *
 * A device with these functions runs the host's pointwise operators, copies, reductions, matrix
 * products, indexing and random fills; one that lacks some of them has no kernel for those. A
 * kernel that is registered for an operator comes first. Work is queued on the stream.
 *
 * Dimensions come outermost first and have at least one element, strides count elements and may be
 * 0 or negative. Memory is the device's; numbers are plain values. Everything is borrowed. */

/* A number or elements of memory. */
typedef struct {
  void* data;             /* of the element at (0, 0, ...); null: `number` is every element */
  const int64_t* strides; /* one for each dimension */
  OpwDtype dtype;         /* in memory */
  OpwDtype through;       /* elements are rounded to this before they are computed with */
  OpwValue number;        /* kOpwBool, kOpwInt, kOpwFloat or kOpwComplex */
} OpwOperand;

/* result[i] = formula(operands[i]) for every element. docs/concepts/device_plugin.md tells what
 * stands in a formula. */
typedef struct {
  uint32_t struct_size;
  uint32_t rank;
  const int64_t* sizes;
  const char* formula; /* over the operands x, y, z and the numbers a, b, c: "x + a * y" */
  OpwDtype compute;    /* of the terms; an operand that goes through bool is a truth value */
  uint32_t num_operands;
  uint32_t num_numbers;
  const OpwOperand* operands;
  const OpwValue* numbers;
  OpwOperand result; /* may be the memory of an operand of the same strides and dtype */
} OpwLoop;

/* result[kept] = the fold of operand[kept, folded] over the folded dimensions. */
typedef struct {
  uint32_t struct_size;
  uint32_t num_kept;    /* the first dimensions, those of the results */
  uint32_t num_folded;  /* the others; elements are numbered in their order, the last one fastest */
  const int64_t* sizes; /* of all; a folded size may be 0, for folds with a value of nothing */
  const char* fold;     /* "sum", "prod", "mean", "max", "min", "any", "all", "var", "norm" */
  OpwDtype compute;     /* in which states are kept */
  double number;        /* "var": the correction; "norm": the order */
  OpwOperand operand;
  OpwOperand result;  /* without memory: not wanted */
  OpwOperand indices; /* of "max" and "min": the number of the first such element, int64 */
} OpwFold;

typedef struct {
  void* data;
  int64_t batch; /* strides */
  int64_t row;
  int64_t column;
} OpwMatrix;

/* result = alpha * left @ right + beta * result, for each of a batch; result is not read where
 * beta is 0. */
typedef struct {
  uint32_t struct_size;
  OpwDtype dtype; /* of all three; sums of halves are kept in float32 */
  int64_t batch;
  int64_t rows;
  int64_t depth; /* may be 0 */
  int64_t columns;
  OpwMatrix left;
  OpwMatrix right;
  OpwMatrix result;
  double alpha;
  double beta;
} OpwProduct;

typedef enum {
  kOpwMoveGather = 0,  /* result[i] = source[i + indices] */
  kOpwMoveScatter = 1, /* result[i + indices] = source[i] */
  kOpwMoveAdd = 2,     /* result[i + indices] += source[i], also where several meet */
} OpwMoveKind;

/* One index of every element: adds step * (its value, or its value + size where that is negative)
 * to the place of the element on the indexed side. A value outside is an error of the call or,
 * where the device notices later, of a later one. */
typedef struct {
  OpwOperand value; /* int32 or int64 */
  int64_t size;
  int64_t step;
} OpwIndex;

typedef struct {
  uint32_t struct_size;
  uint32_t rank;
  const int64_t* sizes;
  uint32_t kind; /* an OpwMoveKind */
  uint32_t num_indices;
  const OpwIndex* indices;
  OpwOperand source; /* of the same dtype as the result, or a number */
  OpwOperand result;
} OpwMove;

/* Fills dense memory. Element i is made of the words that Philox 4x32-10 gives for its place, so
 * that every device draws the same numbers; docs/concepts/device_plugin.md tells how. */
typedef struct {
  uint32_t struct_size;
  uint32_t num_numbers;
  const char* distribution; /* "uniform", "normal", "bernoulli", "integers", "exponential" */
  const OpwValue* numbers;  /* its parameters */
  uint64_t seed;
  uint64_t first; /* counter */
  int64_t count;
  OpwDtype dtype;
  void* result;
} OpwRandom;

/* A kernel that the device's compiler made. Lives as long as the process. */
typedef struct OpwDeviceKernel OpwDeviceKernel;

typedef struct {
  const void* value; /* the bytes of a plain value or, where size is 0, memory of the device */
  size_t size;
} OpwKernelArgument;

typedef struct {
  uint32_t struct_size;
  uint32_t num_arguments;
  const OpwKernelArgument* arguments;
  uint64_t groups[3];
  uint64_t group_size[3]; /* 0, 0, 0: the device chooses, and `groups` counts single elements */
  uint64_t shared_bytes;
} OpwLaunch;

/* All that a device does. Functions return 0, or 1 with the error given to `host`. Any thread. A
 * device without streams leaves the stream and event functions null: its work is done when the call
 * returns. */
typedef struct {
  uint32_t struct_size;
  const char* name; /* "cpu", "cuda", "npu"; lower case */
  int32_t type;     /* an OpwDeviceType, or 0: the host gives one out */
  int32_t (*count)(void);
  int32_t (*current)(void);
  int (*set_current)(const OpwHost* host, int32_t index);
  /* At least 64-byte aligned; `bytes` > 0. The memory may be used on `stream` at once. */
  int (*allocate)(const OpwHost* host, int32_t index, size_t bytes, OpwStream* stream,
                  void** memory);
  /* After the work queued on `stream` so far. Never fails. */
  void (*free)(int32_t index, void* memory, size_t bytes, OpwStream* stream);
  /* Copies dense bytes; one side is this device, the other this device or cpu. Ordered on `stream`;
   * a copy to or from cpu memory is done when the call returns. */
  int (*copy)(const OpwHost* host, void* to, OpwDevice to_device, const void* from,
              OpwDevice from_device, size_t bytes, OpwStream* stream);
  int (*synchronize)(const OpwHost* host, int32_t index);
  OpwStream* (*current_stream)(int32_t index);
  OpwStream* (*set_current_stream)(int32_t index, OpwStream* stream); /* gives the previous one */
  int (*new_stream)(const OpwHost* host, int32_t index, int32_t priority, OpwStream** stream);
  void (*free_stream)(int32_t index, OpwStream* stream);
  int (*synchronize_stream)(const OpwHost* host, int32_t index, OpwStream* stream);
  int (*record_event)(const OpwHost* host, int32_t index, OpwStream* stream,
                      OpwEvent** event); /* owned */
  int (*wait_event)(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent* event);
  int (*synchronize_event)(const OpwHost* host, OpwEvent* event);
  void (*free_event)(OpwEvent* event);
  /* A named property as text ("name", "total_memory", ...; "problem", asked of index 0: why devices
   * cannot be used); the whole length, 0 when there is no such property. */
  size_t (*property)(int32_t index, const char* key, char* buffer, size_t capacity);

  /* Since 1.1, each may be null. */
  int (*compute_loop)(const OpwHost* host, int32_t index, const OpwLoop* loop, OpwStream* stream);
  int (*compute_fold)(const OpwHost* host, int32_t index, const OpwFold* fold, OpwStream* stream);
  int (*compute_product)(const OpwHost* host, int32_t index, const OpwProduct* product,
                         OpwStream* stream);
  int (*move_elements)(const OpwHost* host, int32_t index, const OpwMove* move, OpwStream* stream);
  int (*draw_random)(const OpwHost* host, int32_t index, const OpwRandom* random,
                     OpwStream* stream);
  /* The kernel `name` of a text in the device's language; the same text is compiled once. The
   * compiler's log is in the error. */
  int (*build_kernel)(const OpwHost* host, int32_t index, const char* source, const char* name,
                      const char* options, OpwDeviceKernel** kernel);
  int (*launch_kernel)(const OpwHost* host, int32_t index, OpwDeviceKernel* kernel,
                       const OpwLaunch* launch, OpwStream* stream);
  /* Memory of the cpu that the device copies from and to without waiting. */
  int (*allocate_pinned)(const OpwHost* host, size_t bytes, void** memory);
  void (*free_pinned)(void* memory, size_t bytes);
  /* Gives back what is kept for later allocations. */
  void (*empty_cache)(int32_t index);
  /* "allocated", "reserved", "peak_allocated", "peak_reserved", "allocations", ... in bytes or
   * times; -1 for what is not counted. */
  int64_t (*statistic)(int32_t index, const char* key);
  void (*reset_peaks)(int32_t index);
  /* Whether the event has come; the time between two that have, in milliseconds. */
  int (*query_event)(const OpwHost* host, OpwEvent* event, int32_t* has_come);
  int (*event_time)(const OpwHost* host, OpwEvent* from, OpwEvent* to, double* milliseconds);
} OpwDeviceTable;

/* ---- The host
 * -------------------------------------------------------------------------------------------------
 */

/* One chunk of a parallel loop. Returns 0, or 1 after it gave an error to the host. */
typedef int (*OpwLoopBody)(void* context, int64_t begin, int64_t end);

/* What a host offers to the functions that it runs. Found through the record, never through a
 * global. */
struct OpwHost {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char* name; /* "opwright", "torch", ... */
  void* instance;   /* the host's own */
  /* Takes over one count of `error` as the outcome of the call that is about to return 1. Any
   * thread. */
  void (*give_error)(const OpwHost* host, OpwError* error);
  /* The error given last on this thread, owned, or null: for a function whose own call of the host
   * returned 1. */
  OpwError* (*take_error)(const OpwHost* host);
  /* Runs `body` over [0, size) in chunks of at least `grain`, on this thread and others that carry
   * its state. The first error of a worker is the error of the call. */
  int (*parallel_for)(const OpwHost* host, int64_t size, int64_t grain, OpwLoopBody body,
                      void* context);
  /* Calls the operator that import `index` of the binary was resolved to; as OpwFunction. */
  int (*call)(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
              OpwValue* results, uint32_t num_results);
};

/* ---- Operator binaries
 * ---------------------------------------------------------------------------------------- */

/* A function for a place in an operator's row. The strings live as long as the binary. */
typedef struct {
  uint32_t struct_size;
  uint32_t line;
  OpwFunction function;
  void* self;               /* taken over by the host, also when it refuses */
  void (*drop)(void* self); /* null: nothing to drop */
  const char* name;         /* "soft_clip", "soft_clip.out", or with its namespace */
  const char* slot;         /* "CPU", "Fake", "Autograd", ...: a device or one of the names above */
  const char*
      signature; /* "(Tensor arg0, float arg1) -> Tensor", or null: not compared with the schema */
  const char* file;
} OpwImplementation;

typedef struct OpwRegistrar OpwRegistrar;

/* What a host offers to the body of a library block. Functions return 0, or 1 with the error given
 * to `host`; the body then returns 1. The body runs on one thread, each time that a host instance
 * takes the binary. */
struct OpwRegistrar {
  uint32_t struct_size;
  const OpwHost* host;
  /* `schema` may leave out the namespace of the block; `tags` is a set of bits, see opwright/tag.h.
   */
  int (*define)(OpwRegistrar* registrar, const char* schema, uint64_t tags, const char* file,
                uint32_t line);
  int (*implement)(OpwRegistrar* registrar, const OpwImplementation* implementation);
};

typedef enum {
  kOpwLibraryDefinitions = 0,     /* the one block that owns its namespace */
  kOpwLibraryFragment = 1,        /* adds to a namespace */
  kOpwLibraryImplementations = 2, /* functions for one slot */
} OpwLibraryKind;

/* A library block of the source. Linked into a list by a static initialiser; nothing else happens
 * at load. */
typedef struct OpwLibrary {
  uint32_t struct_size;
  uint32_t kind; /* an OpwLibraryKind */
  const char* name_space;
  const char* slot; /* of kOpwLibraryImplementations, else null */
  const char* file;
  uint32_t line;
  int (*body)(const struct OpwLibrary* library, OpwRegistrar* registrar);
  void* context; /* the body's own */
  struct OpwLibrary* next;
} OpwLibrary;

/* An operator of the host that the binary's code can call. */
typedef struct OpwImport {
  uint32_t struct_size;
  uint32_t index;                 /* its place in OpwHost::call */
  const char* name;               /* "aten::mul.Tensor" */
  const char* (*signature)(void); /* as OpwImplementation::signature */
  struct OpwImport* next;
} OpwImport;

/* A device that the binary adds. Since 1.1. */
typedef struct OpwDevicePlugin {
  uint32_t struct_size;
  const OpwDeviceTable* table;
  struct OpwDevicePlugin* next;
} OpwDevicePlugin;

/* What the one exported symbol of a binary returns. */
typedef struct {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const OpwLibrary* libraries;
  const OpwImport* imports;
  uint32_t num_imports;
  const OpwDevicePlugin* devices; /* since 1.1 */
} OpwBinary;

/* The exported symbol: `const OpwBinary* opw_binary(void)`. Any thread. */
#define OPW_BINARY_SYMBOL "opw_binary"
typedef const OpwBinary* (*OpwBinaryFunction)(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPWRIGHT_C_API_H_ */
