/* The ABI: everything that crosses the boundary between an operator binary, a device plug-in and a
 * host.
 *
 * A plain C header. Structs that start with struct_size only grow at the end; a reader checks
 * struct_size before it touches a later field. Everything else changes only with the major version,
 * so a binary runs in every host of its major version that has what it uses.
 * tests/abi/layout_freeze.cpp fixes every offset, tests/abi/first_binary_1_0.so is the first
 * binary.
 *
 * Everything here exists since version 1.0 unless it says otherwise.
 *
 * Terms used below: a *borrowed* pointer is valid until the call returns, and the callee does not
 * release it; an *owned* one is released by its holder. "Any thread" means that the function does
 * its own locking. */
#ifndef OPWRIGHT_C_API_H_
#define OPWRIGHT_C_API_H_

#include <stddef.h>
#include <stdint.h>

#define OPW_ABI_MAJOR 1
#define OPW_ABI_MINOR 2

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OpwError OpwError;
typedef struct OpwHost OpwHost;
typedef struct OpwObject OpwObject;
typedef struct OpwOperator OpwOperator; /* opaque: only its host looks inside */
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

/* DLPack's DLDevice. Types from 256 on are ours; those of plug-ins start at 512. */
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

/* DLPack's DLTensor. In tensors that a host passes to a kernel, `data` already includes every
 * offset and `byte_offset` is 0; an importer of foreign memory adds `byte_offset`. Strides count
 * elements and are never null in an OpwTensor. */
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

/* A plain int as it is or, when below kOpwSmallestInt, a pointer to an OpwSymNode with bit 63
 * set. So an array of words that are all plain is an int64_t array. */
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

/* The functions of an owner of symbols. They return 0, or 1 after passing the error to the
 * owner's host. retain and release: any thread. The others: only the thread that runs the
 * owner's trace. */
typedef struct {
  uint32_t struct_size;
  void (*retain)(OpwSymNode* node);
  void (*release)(OpwSymNode* node);
  /* At least one operand is a symbol of this owner. The result is owned; a condition is 0, 1 or
   * a symbol. */
  int (*apply)(OpwSymOp op, OpwSymWord a, OpwSymWord b, OpwSymWord* result);
  /* Decides now; the owner may record the decision. */
  int (*guard)(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file, uint32_t line,
               int* result);
  /* Requires the condition: if it cannot be decided now, it becomes a run-time assertion of the
   * owner's program. */
  int (*check)(OpwSymWord condition, const char* message, const char* file, uint32_t line);
  /* The int value of the symbol during this trace; the owner records that it is fixed from here
   * on. */
  int (*specialise)(OpwSymWord word, const char* file, uint32_t line, int64_t* result);
  /* The text of a word, e.g. "2*s0". Writes at most `capacity` bytes including the final zero;
   * returns the full length. */
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
 * Arguments are borrowed. Results are owned by the caller: a Tensor or Object holds one count; a
 * symbolic word holds one count on its node; the memory behind a list or a string is one malloc
 * block that the owner frees after releasing its elements. A `Scalar` argument has the tag of the
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
 * of the schema is present, with defaults filled in. The caller zeroes `results`; a result that is
 * still None after a return of 0 where the schema has a value is an error of the function. Returns
 * 0, or 1 after passing an OpwError to record->host; the caller then releases the results that are
 * not None. Never throws.
 *
 * A kernel, fake kernel or composite body has the operator's arguments and results. The rules, by
 * slot name, with `args...` and `results...` for those of the operator:
 *   KeepOld       (Object context, args...) -> (a value or None for each argument...)
 *     Runs before a call that writes; SetupContext gets each value that is not None instead of the
 *     argument.
 *   SetupContext  (Object context, args..., results...) -> ()
 *   Autograd      (Object context, gradients of results..., gradients of written arguments that
 *                  are not results...) -> (gradients of tensor arguments, in schema order...)
 *     A missing gradient is None. A Tensor[] has a Tensor[] gradient, or a List of tensors and
 *     None.
 *   Jvp           (args..., tangents of tensor arguments...) -> (tangents of results...)
 *     A missing tangent is None.
 *   Vmap          (SymInt batch_size, str randomness, List in_dims, args...)
 *                  -> (results..., List out_dims)
 *     in_dims has int or None for each argument (a List of them for a list), out_dims for each
 *     result.
 *   Scatter       (Tensor base, Tensor value, args after the first..., int index)
 *                  -> Tensor: base with that view replaced
 *     The index is passed for an operator that returns a list of views.
 *   Functional    (args...) -> (unwritten results..., new values of written arguments...)
 *   Autocast      (Dtype dtype, Device device, args...) -> (args to call with..., or all None)
 *   Decompose     as a composite body
 *   Convert       (str engine, int version) -> str, Object or None
 *     What the operator becomes in a foreign graph: the text of a node (docs/guides/onnx.md), or a
 *     rule of the host's own; None: not available for that engine and version.
 *   AutogradKernel  as the operator, in place of recording a call; since 1.2
 * An error of the kind "Declined" of Decompose and AutogradKernel says that the rule does not apply
 * to the call, which goes on as if there were none. */
typedef int (*OpwFunction)(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results);

/* A registered function. Created by a host at registration, immutable, never freed; `drop` runs
 * on `self` once, after the record was removed and its last call has returned. */
struct OpwRecord {
  uint32_t struct_size;
  OpwFunction function;
  void* self;               /* the registrant's, or null */
  void (*drop)(void* self); /* null: nothing to drop */
  const OpwOperator* op;    /* the host's operator whose row holds the record */
  const OpwHost* host;
};

/* ---- Tensors
 * --------------------------------------------------------------------------------------------------
 */

/* The low 16 bits of OpwTensor::flags: one bit for the device, assigned by the host. ORed over
 * the arguments of a call, they show whether the call mixes devices. */
#define kOpwDeviceBits 0xffffu
#define kOpwFlagFake (1u << 16)    /* a shape without memory: only rules may run */
#define kOpwFlagWrapped (1u << 17) /* made by a transform, at an interpreter level */
#define kOpwFlagRequiresGrad \
  (1u << 18) /* at its own level: set by the user, or computed from one that does */
#define kOpwFlagSymbolic \
  (1u << 19) /* a size, stride or offset is a symbol: read them through `symbolic` */
#define kOpwFlagView (1u << 20) /* is on the caller's stack: `promote` before keeping it */
#define kOpwFlagReadOnly \
  (1u << 21)                     /* memory that must not be written (a read-only DLPack import) */
#define kOpwFlagStale (1u << 22) /* `refresh` before reading anything but the flags */
#define kOpwFlagInference (1u << 23) /* made under inference mode: never recorded */

/* Symbolic sizes of a tensor; borrowed, valid while the tensor is. Each pointer has ndim words. */
typedef struct {
  const OpwSymWord* sizes;
  const OpwSymWord* strides;
  OpwSymWord offset;
} OpwSymbolicShape;

/* The functions of a tensor's owner. */
typedef struct {
  uint32_t struct_size;
  /* Called for the last count: destroys the tensor. Any thread. */
  void (*release)(OpwTensor* tensor);
  /* An owning handle (count raised or new) of the tensor that the View `tensor` shows; null
   * after passing the error to the host. */
  OpwTensor* (*promote)(OpwTensor* tensor);
  /* Brings a Stale tensor up to date. Returns 0, or 1 after passing the error to the host. */
  int (*refresh)(OpwTensor* tensor);
  /* The words of a Symbolic tensor. Returns 0, or 1 after passing the error to the host. */
  int (*symbolic)(const OpwTensor* tensor, OpwSymbolicShape* shape);
} OpwTensorTable;

/* The bit of OpwTensor::count that is reserved for the host; the rest is the number of handles. */
#define kOpwCountHostBit (1u << 31)

/* A tensor. Only hosts create one, and its size is not part of the ABI: the owner's data follow.
 * Retain a handle by raising `count` atomically, release it by lowering it; a releaser that
 * finds (count & ~kOpwCountHostBit) == 1 calls owner->release instead. The owner may replace the
 * contents while handles stay valid. */
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
  const char* kind; /* what the note describes: "operator", "argument", "line", ... */
  const char* text;
} OpwNote;

/* A counted error. Its creator sets `release`, so that any other party can drop it. The strings
 * are UTF-8 and live as long as the error. The payload carries a host's own exception object to
 * the outermost caller. */
struct OpwError {
  uint32_t struct_size;
  uint32_t count;                   /* atomic */
  void (*release)(OpwError* error); /* called for the last count: destroys it. Any thread */
  const char* kind;                 /* the Python exception's name, e.g. "ValueError" */
  const char* text;                 /* one sentence or more, without the notes */
  const char* message;              /* the text and the notes, a line for each note */
  const OpwNote* notes;             /* innermost first */
  uint32_t num_notes;
  const void*
      payload_type; /* an address that identifies who understands the payload; null: no payload */
  void* payload;
  void (*drop_payload)(void* payload); /* any thread */
};

/* ---- What a formula saves
 * ------------------------------------------------------------------------------------- */

typedef struct OpwContext OpwContext;

/* The context of one recorded call, passed from its SetupContext rule to its Autograd rule.
 * Functions return 0, or 1 after passing the error to the host. */
typedef struct {
  uint32_t struct_size;
  /* Saves the tensors for backward; reading one back checks that it was not written meanwhile.
   * Replaces what was saved before. */
  int (*save)(OpwContext* context, OpwTensor* const* tensors, uint32_t count);
  /* Saved tensor `index`; owned. */
  int (*saved)(OpwContext* context, uint32_t index, OpwTensor** tensor);
  /* An argument that is not a tensor, or a value stored by set_attribute, by name; borrowed from
   * the context. */
  int (*attribute)(OpwContext* context, const char* name, const OpwValue** value);
  int (*set_attribute)(OpwContext* context, const char* name, const OpwValue* value);
  /* Whether tensor argument `index`, counted over tensor arguments, needs a gradient. */
  int (*needs_gradient)(OpwContext* context, uint32_t index, int* result);
  /* Whether missing gradients of results arrive as zeros (the default) or as None. */
  int (*set_materialize)(OpwContext* context, int on);
  /* Results that carry no gradient; called from SetupContext. */
  int (*mark_non_differentiable)(OpwContext* context, OpwTensor* const* tensors, uint32_t count);
  /* Argument `index` of the call, counted over all arguments, which is not a tensor; borrowed
   * from the context. */
  int (*argument)(OpwContext* context, uint32_t index, const OpwValue** value);
} OpwContextTable;

/* An object of type "AutogradContext". */
struct OpwContext {
  const OpwObjectTable* table;
  const OpwContextTable* context; /* the engine's data follow */
};

/* ---- Autograd functions. Since 1.2.
 *
 * What a binary asks of its host besides operators is imported by name like an operator
 * (opwright/registration/host_functions.h): opwright::apply_function, opwright::call_operator,
 * opwright::set_grad_enabled, opwright::set_below_autograd. */

/* Both functions return 0, or 1 after passing the error to the host that the object was made in.
 * Arguments are borrowed, results are owned. */
typedef struct {
  uint32_t struct_size;
  /* (bool[] needs, Tensor?[] inputs)
   *   -> (Tensor?[] outputs, Tensor?[] saved, Tensor?[] written inputs, Tensor?[] outputs without
   *       gradient, bool materialize, bool keeps_tensors)
   * `needs` says for each input whether it needs a gradient; `keeps_tensors`, whether the function
   * itself keeps tensors for its backward. Called once, unrecorded, while apply_function runs. */
  int (*forward)(OpwObject* function, const OpwValue* args, uint32_t num_args, OpwValue* results,
                 uint32_t num_results);
  /* (bool[] needs, Tensor?[] saved, Tensor?[] gradients of outputs) -> (Tensor?[] gradients)
   * One gradient for each input. Without `materialize`, a missing gradient of an output is None.
   * Any thread, also several at once. */
  int (*backward)(OpwObject* function, const OpwValue* args, uint32_t num_args, OpwValue* results,
                  uint32_t num_results);
} OpwAutogradFunctionTable;

/* An object of type "AutogradFunction", which a binary makes for one call of apply_function. */
typedef struct {
  const OpwObjectTable* table;
  const OpwAutogradFunctionTable* function; /* the binary's data follow */
} OpwAutogradFunction;

/* ---- Devices
 * --------------------------------------------------------------------------------------------------
 */

typedef struct OpwStream OpwStream; /* defined by the device; null: its default stream */
typedef struct OpwEvent OpwEvent;   /* defined by the device */

/* ---- What a device computes. Since 1.1.
 *
 * A device with these functions runs the host's pointwise operators, copies, reductions, matrix
 * products, indexing and random fills; without one of them it has no kernel for those operators. A
 * kernel registered for an operator takes precedence. Work is queued on the stream.
 *
 * Dimensions come outermost first and have at least one element; strides count elements and
 * may be 0 or negative. Memory is on the device; numbers are plain values. Everything is
 * borrowed. */

/* A number or elements of memory. */
typedef struct {
  void* data;             /* of the element at (0, 0, ...); null: `number` is every element */
  const int64_t* strides; /* one for each dimension */
  OpwDtype dtype;         /* in memory */
  OpwDtype through;       /* elements are rounded to this before they are computed with */
  OpwValue number;        /* kOpwBool, kOpwInt, kOpwFloat or kOpwComplex */
} OpwOperand;

/* result[i] = formula(operands[i]) for every element. docs/concepts/device_plugin.md describes
 * formulas. */
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

/* result[kept] = the reduction of operand[kept, reduced] over the reduced dimensions. */
typedef struct {
  uint32_t struct_size;
  uint32_t num_kept;    /* the first dimensions, those of the results */
  uint32_t num_folded;  /* the others; elements are numbered in their order, the last one fastest */
  const int64_t* sizes; /* of all; a reduced size may be 0 if the reduction has an identity */
  const char* fold;     /* "sum", "prod", "mean", "max", "min", "any", "all", "var", "norm" */
  OpwDtype compute;     /* of the accumulators */
  double number;        /* "var": the correction; "norm": the order */
  OpwOperand operand;
  OpwOperand result;  /* null data: not requested */
  OpwOperand indices; /* for "max" and "min": the number of the first such element, int64 */
} OpwFold;

typedef struct {
  void* data;
  int64_t batch; /* strides */
  int64_t row;
  int64_t column;
} OpwMatrix;

/* result = alpha * left @ right + beta * result, for each batch entry; result is not read when
 * beta is 0. */
typedef struct {
  uint32_t struct_size;
  OpwDtype dtype; /* of all three; half-precision sums are accumulated in float32 */
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
  kOpwMoveAdd = 2,     /* result[i + indices] += source[i], also for repeated indices */
} OpwMoveKind;

/* One index of every element: adds step * (its value, or its value + size if that is negative)
 * to the offset of the element on the indexed side. A value out of range is an error of this
 * call or, if the device notices later, of a later one. */
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

/* Fills dense memory. Element i is made of the words that Philox 4x32-10 produces for its
 * position, so every device draws the same numbers; docs/concepts/device_plugin.md says how. */
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

/* A kernel built by the device's compiler. Lives as long as the process. */
typedef struct OpwDeviceKernel OpwDeviceKernel;

typedef struct {
  const void* value; /* the bytes of a plain value or, if size is 0, device memory */
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

/* The functions of a device. They return 0, or 1 after passing the error to `host`. Any thread.
 * A device without streams leaves the stream and event functions null: its work is done when the
 * call returns. */
typedef struct {
  uint32_t struct_size;
  const char* name; /* "cpu", "cuda", "npu"; lower case */
  int32_t type;     /* an OpwDeviceType, or 0: the host assigns one */
  int32_t (*count)(void);
  int32_t (*current)(void);
  int (*set_current)(const OpwHost* host, int32_t index);
  /* At least 64-byte aligned; `bytes` > 0. The memory may be used on `stream` immediately. */
  int (*allocate)(const OpwHost* host, int32_t index, size_t bytes, OpwStream* stream,
                  void** memory);
  /* Takes effect after the work queued on `stream` so far. Never fails. */
  void (*free)(int32_t index, void* memory, size_t bytes, OpwStream* stream);
  /* Copies dense bytes; one side is this device, the other this device or cpu. Ordered on `stream`;
   * a copy to or from cpu memory is done when the call returns. */
  int (*copy)(const OpwHost* host, void* to, OpwDevice to_device, const void* from,
              OpwDevice from_device, size_t bytes, OpwStream* stream);
  int (*synchronize)(const OpwHost* host, int32_t index);
  OpwStream* (*current_stream)(int32_t index);
  OpwStream* (*set_current_stream)(int32_t index, OpwStream* stream); /* returns the previous one */
  int (*new_stream)(const OpwHost* host, int32_t index, int32_t priority, OpwStream** stream);
  void (*free_stream)(int32_t index, OpwStream* stream);
  int (*synchronize_stream)(const OpwHost* host, int32_t index, OpwStream* stream);
  int (*record_event)(const OpwHost* host, int32_t index, OpwStream* stream,
                      OpwEvent** event); /* owned */
  int (*wait_event)(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent* event);
  int (*synchronize_event)(const OpwHost* host, OpwEvent* event);
  void (*free_event)(OpwEvent* event);
  /* A named property as text ("name", "total_memory", ...; "problem", queried for index 0: why
   * devices cannot be used). Returns the full length, 0 if there is no such property. */
  size_t (*property)(int32_t index, const char* key, char* buffer, size_t capacity);

  /* Since 1.1, each may be null. */
  int (*compute_loop)(const OpwHost* host, int32_t index, const OpwLoop* loop, OpwStream* stream);
  int (*compute_fold)(const OpwHost* host, int32_t index, const OpwFold* fold, OpwStream* stream);
  int (*compute_product)(const OpwHost* host, int32_t index, const OpwProduct* product,
                         OpwStream* stream);
  int (*move_elements)(const OpwHost* host, int32_t index, const OpwMove* move, OpwStream* stream);
  int (*draw_random)(const OpwHost* host, int32_t index, const OpwRandom* random,
                     OpwStream* stream);
  /* The kernel `name` of a source text in the device's language; the same text is compiled once.
   * On failure, the error contains the compiler's log. */
  int (*build_kernel)(const OpwHost* host, int32_t index, const char* source, const char* name,
                      const char* options, OpwDeviceKernel** kernel);
  int (*launch_kernel)(const OpwHost* host, int32_t index, OpwDeviceKernel* kernel,
                       const OpwLaunch* launch, OpwStream* stream);
  /* CPU memory that the device copies from and to without waiting. */
  int (*allocate_pinned)(const OpwHost* host, size_t bytes, void** memory);
  void (*free_pinned)(void* memory, size_t bytes);
  /* Releases cached memory. */
  void (*empty_cache)(int32_t index);
  /* "allocated", "reserved", "peak_allocated", "peak_reserved", "allocations", ... in bytes or
   * as a count; -1 if it is not tracked. */
  int64_t (*statistic)(int32_t index, const char* key);
  void (*reset_peaks)(int32_t index);
  /* Whether the event has completed; the time between two completed events, in milliseconds. */
  int (*query_event)(const OpwHost* host, OpwEvent* event, int32_t* has_come);
  int (*event_time)(const OpwHost* host, OpwEvent* from, OpwEvent* to, double* milliseconds);
} OpwDeviceTable;

/* ---- The host
 * -------------------------------------------------------------------------------------------------
 */

/* One chunk of a parallel loop. Returns 0, or 1 after passing an error to the host. */
typedef int (*OpwLoopBody)(void* context, int64_t begin, int64_t end);

/* What a host offers to the functions that it runs. Found through the record, never through a
 * global variable. */
struct OpwHost {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  const char* name; /* "opwright", "torch", ... */
  void* instance;   /* private to the host */
  /* Takes over one count of `error` as the outcome of the call that is about to return 1. Any
   * thread. */
  void (*give_error)(const OpwHost* host, OpwError* error);
  /* The last error passed on this thread, owned, or null: for a function whose own call of the
   * host returned 1. */
  OpwError* (*take_error)(const OpwHost* host);
  /* Runs `body` over [0, size) in chunks of at least `grain`, on this thread and on workers that
   * share its state. The first error of a worker is the error of the call. */
  int (*parallel_for)(const OpwHost* host, int64_t size, int64_t grain, OpwLoopBody body,
                      void* context);
  /* Calls the operator that import `index` of the binary was resolved to; same contract as
   * OpwFunction. */
  int (*call)(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
              OpwValue* results, uint32_t num_results);
};

/* ---- Operator binaries
 * ---------------------------------------------------------------------------------------- */

/* A function for a slot in an operator's row. The strings live as long as the binary. */
typedef struct {
  uint32_t struct_size;
  uint32_t line;
  OpwFunction function;
  void* self;               /* owned by the host, even if it rejects the function */
  void (*drop)(void* self); /* null: nothing to drop */
  const char* name;         /* "soft_clip", "soft_clip.out", or with its namespace */
  const char* slot;         /* "CPU", "Fake", "Autograd", ...: a device or one of the names above */
  const char*
      signature; /* "(Tensor arg0, float arg1) -> Tensor", or null: not compared with the schema */
  const char* file;
} OpwImplementation;

typedef struct OpwRegistrar OpwRegistrar;

/* What a host offers to the body of a library block. Functions return 0, or 1 after passing the
 * error to `host`; the body then returns 1. The body runs on one thread, each time that a host
 * instance loads the binary. */
struct OpwRegistrar {
  uint32_t struct_size;
  const OpwHost* host;
  /* `schema` may omit the namespace of the block; `tags` is a bit set, see opwright/tag.h. */
  int (*define)(OpwRegistrar* registrar, const char* schema, uint64_t tags, const char* file,
                uint32_t line);
  int (*implement)(OpwRegistrar* registrar, const OpwImplementation* implementation);
};

typedef enum {
  kOpwLibraryDefinitions = 0,     /* the only block that owns its namespace */
  kOpwLibraryFragment = 1,        /* adds to a namespace */
  kOpwLibraryImplementations = 2, /* functions for one slot */
} OpwLibraryKind;

/* A library block of the source. A static initialiser links it into a list; nothing else happens
 * at load. */
typedef struct OpwLibrary {
  uint32_t struct_size;
  uint32_t kind; /* an OpwLibraryKind */
  const char* name_space;
  const char* slot; /* for kOpwLibraryImplementations, else null */
  const char* file;
  uint32_t line;
  int (*body)(const struct OpwLibrary* library, OpwRegistrar* registrar);
  void* context; /* private to the body */
  struct OpwLibrary* next;
} OpwLibrary;

/* An operator of the host that the binary's code can call. */
typedef struct OpwImport {
  uint32_t struct_size;
  uint32_t index;                 /* its index for OpwHost::call */
  const char* name;               /* "aten::mul.Tensor" */
  const char* (*signature)(void); /* like OpwImplementation::signature */
  struct OpwImport* next;
} OpwImport;

/* A device that the binary adds. Since 1.1. */
typedef struct OpwDevicePlugin {
  uint32_t struct_size;
  const OpwDeviceTable* table;
  struct OpwDevicePlugin* next;
} OpwDevicePlugin;

/* The result of the one exported symbol of a binary. */
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
