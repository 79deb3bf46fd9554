#include "opwright/convert/ge/builtin_prototypes.h"

#include <span>

namespace opwright::graph_engine {
namespace {

// Names, types and defaults follow the engine's own list of ops (CANN 8), without optional inputs
// that only quantised variants use. A set may be wider than what a device's kernels support.
#define OPWRIGHT_ONE(name, types) name "(x: " types ") -> (y: " types ")"
#define OPWRIGHT_TWO(name, types) name "(x1: " types ", x2: " types ") -> (y: " types ")"
#define OPWRIGHT_COMPARED(name, types) name "(x1: " types ", x2: " types ") -> (y: {BOOL})"
#define OPWRIGHT_GRADIENT_OF_RESULT(name) \
  name "(y: UnaryDataType, dy: UnaryDataType; complex_conj: Bool = False) -> (z: UnaryDataType)"
#define OPWRIGHT_REDUCED(name, types) \
  name "(x: " types ", axes: IndexNumberType; keep_dims: Bool = False) -> (y: " types ")"
#define OPWRIGHT_FLOATS "{FLOAT, FLOAT16, BF16, DOUBLE}"

constexpr const char* kPrototypes[] = {
    // Arithmetic
    OPWRIGHT_TWO("Add", "BasicType|BOOL"),
    OPWRIGHT_TWO("Sub", "BasicType"),
    OPWRIGHT_TWO("Mul", "BasicType|BOOL"),
    OPWRIGHT_TWO("RealDiv", "BasicType"),
    OPWRIGHT_TWO("FloorDiv", "BasicType"),
    OPWRIGHT_TWO("FloorMod", "RealNumberType"),
    OPWRIGHT_TWO("Pow", "BasicType"),
    OPWRIGHT_TWO("Maximum", "RealNumberType"),
    OPWRIGHT_TWO("Minimum", "RealNumberType"),
    OPWRIGHT_ONE("Neg",
                 "{BF16, FLOAT16, FLOAT, DOUBLE, INT8, INT32, INT64, COMPLEX64, COMPLEX128}"),
    OPWRIGHT_ONE("Abs", "{FLOAT16, BF16, FLOAT, DOUBLE, INT8, INT16, INT32, INT64}"),
    OPWRIGHT_ONE("Sign", "RealNumberType"),
    OPWRIGHT_ONE("Reciprocal", "UnaryDataType"),
    OPWRIGHT_ONE("Square", "UnaryDataType|INT32|INT64"),
    OPWRIGHT_ONE("Floor", OPWRIGHT_FLOATS),
    OPWRIGHT_ONE("Ceil", OPWRIGHT_FLOATS),
    OPWRIGHT_ONE("Round", OPWRIGHT_FLOATS),
    // Functions of one number
    "Exp(x: UnaryDataType; base: Float = -1.0, scale: Float = 1.0, shift: Float = 0.0)"
    " -> (y: UnaryDataType)",
    "Log(x: UnaryDataType; base: Float = -1.0, scale: Float = 1.0, shift: Float = 0.0)"
    " -> (y: UnaryDataType)",
    OPWRIGHT_ONE("Expm1", "UnaryDataType"),
    OPWRIGHT_ONE("Log1p", "UnaryDataType"),
    OPWRIGHT_ONE("Sqrt", "UnaryDataType"),
    OPWRIGHT_ONE("Rsqrt", "UnaryDataType"),
    OPWRIGHT_ONE("Sin", "UnaryDataType"),
    OPWRIGHT_ONE("Cos", "UnaryDataType"),
    OPWRIGHT_ONE("Tanh", "UnaryDataType"),
    OPWRIGHT_ONE("Sigmoid", "UnaryDataType"),
    OPWRIGHT_ONE("Erf", OPWRIGHT_FLOATS),
    OPWRIGHT_ONE("Relu", "RealNumberType"),
    "GeluV2(x: " OPWRIGHT_FLOATS "; approximate: String = \"none\") -> (y: " OPWRIGHT_FLOATS ")",
    "Swish(x: " OPWRIGHT_FLOATS "; scale: Float = 1.0) -> (y: " OPWRIGHT_FLOATS ")",
    "LeakyRelu(x: " OPWRIGHT_FLOATS "; negative_slope: Float = 0.0) -> (y: " OPWRIGHT_FLOATS ")",
    "ReluGrad(gradients: RealNumberType, features: RealNumberType) -> (backprops: RealNumberType)",
    "LeakyReluGrad(gradients: " OPWRIGHT_FLOATS ", features: " OPWRIGHT_FLOATS
    "; negative_slope: Float = 0.0) -> (backprops: " OPWRIGHT_FLOATS ")",
    OPWRIGHT_GRADIENT_OF_RESULT("SigmoidGrad"),
    OPWRIGHT_GRADIENT_OF_RESULT("TanhGrad"),
    "GeluGradV2<T: FLOAT>(dy: T, x: T; approximate: String = \"none\") -> (z: T)",
    "SiluGrad(dy: FLOAT, x: FLOAT) -> (dx: FLOAT)",
    "LogSigmoidGrad(grads: FLOAT, features: FLOAT) -> (backprops: FLOAT)",
    "HardtanhGrad(result: FLOAT, grad: FLOAT; min_val: Float = -1.0, max_val: Float = 1.0)"
    " -> (y: FLOAT)",
    "ClipByValue(x: NumberType, clip_value_min: NumberType, clip_value_max: NumberType)"
    " -> (y: NumberType)",
    // Comparisons and logic
    OPWRIGHT_COMPARED("Equal", "BasicType|BOOL"),
    OPWRIGHT_COMPARED("NotEqual", "BasicType|BOOL"),
    OPWRIGHT_COMPARED("Less", "RealNumberType|BOOL"),
    OPWRIGHT_COMPARED("LessEqual", "RealNumberType|BOOL"),
    OPWRIGHT_COMPARED("Greater", "RealNumberType|BOOL"),
    OPWRIGHT_COMPARED("GreaterEqual", "RealNumberType|BOOL"),
    "IsNan(x: FloatingDataType|BF16) -> (y: {BOOL})",
    OPWRIGHT_TWO("LogicalAnd", "{BOOL}"),
    OPWRIGHT_TWO("LogicalOr", "{BOOL}"),
    OPWRIGHT_ONE("LogicalNot", "{BOOL}"),
    "SelectV2(condition: {BOOL}, then: BasicType|BOOL, else: BasicType|BOOL)"
    " -> (result: BasicType|BOOL)",
    "Cast(x: OrdinaryType|{FLOAT8_E5M2, FLOAT8_E4M3FN}; dst_type: Int)"
    " -> (y: OrdinaryType|{FLOAT8_E5M2, FLOAT8_E4M3FN})",
    // Products
    "MatMulV2(x1: FLOAT|INT32|INT8, x2: FLOAT|INT32|INT8, bias?: FLOAT|INT32;"
    " transpose_x1: Bool = False, transpose_x2: Bool = False, offset_x: Int = 0)"
    " -> (y: FLOAT|INT32)",
    "BatchMatMulV2(x1: FLOAT|INT32|INT8, x2: FLOAT|INT32|INT8, bias?: FLOAT|INT32;"
    " adj_x1: Bool = False, adj_x2: Bool = False, offset_x: Int = 0) -> (y: FLOAT|INT32)",
    "Conv2D(x: FLOAT, filter: FLOAT, bias?: FLOAT; strides: ListInt, pads: ListInt,"
    " dilations: ListInt = [1, 1, 1, 1], groups: Int = 1, data_format: String = \"NHWC\","
    " offset_x: Int = 0) -> (y: FLOAT)",
    "Conv2DBackpropInput(input_size: {INT32}, filter: FLOAT, out_backprop: FLOAT;"
    " strides: ListInt, pads: ListInt, dilations: ListInt = [1, 1, 1, 1], groups: Int = 1,"
    " data_format: String = \"NHWC\") -> (y: FLOAT)",
    "Conv2DBackpropFilter(x: FLOAT, filter_size: {INT32}, out_backprop: FLOAT;"
    " strides: ListInt, pads: ListInt, dilations: ListInt = [1, 1, 1, 1], groups: Int = 1,"
    " data_format: String = \"NHWC\") -> (y: FLOAT)",
    "MaxPoolWithArgmaxV3(x: FLOAT; ksize: ListInt, strides: ListInt, pads: ListInt,"
    " dtype: Int = 3, dilation: ListInt = [1, 1], ceil_mode: Bool = False,"
    " data_format: String = \"NCHW\") -> (y: FLOAT, argmax: IndexNumberType)",
    "MaxPoolGradWithArgmaxV3(x: FLOAT, grad: FLOAT, argmax: IndexNumberType; ksize: ListInt,"
    " strides: ListInt, pads: ListInt, dtype: Int = 3, dilation: ListInt = [1, 1],"
    " ceil_mode: Bool = False, data_format: String = \"NCHW\") -> (y: FLOAT)",
    "AvgPoolV2Grad(orig_input_shape: {INT32}, input_grad: " OPWRIGHT_FLOATS
    "; ksize: ListInt, strides: ListInt, padding_mode: String = \"CALCULATED\","
    " pads: ListInt = [0, 0, 0, 0], data_format: String = \"NCHW\","
    " global_pooling: Bool = False, ceil_mode: Bool = False, exclusive: Bool = True,"
    " divisor_override: Int = 0) -> (out_grad: " OPWRIGHT_FLOATS ")",
    "MaxPoolV3(x: RealNumberType; ksize: ListInt, strides: ListInt,"
    " padding_mode: String = \"CALCULATED\", pads: ListInt = [0, 0, 0, 0],"
    " data_format: String = \"NCHW\", global_pooling: Bool = False, ceil_mode: Bool = False)"
    " -> (y: RealNumberType)",
    "AvgPoolV2(x: " OPWRIGHT_FLOATS
    "; ksize: ListInt, strides: ListInt,"
    " padding_mode: String = \"CALCULATED\", pads: ListInt = [0, 0, 0, 0],"
    " data_format: String = \"NCHW\", global_pooling: Bool = False, ceil_mode: Bool = False,"
    " exclusive: Bool = True, divisor_override: Int = 0) -> (y: " OPWRIGHT_FLOATS ")",
    // Norms
    "SoftmaxV2(x: " OPWRIGHT_FLOATS
    "; axes: ListInt = [-1], half_to_float: Bool = False)"
    " -> (y: " OPWRIGHT_FLOATS ")",
    "LogSoftmaxV2(logits: " OPWRIGHT_FLOATS
    "; axes: ListInt = [-1])"
    " -> (logsoftmax: " OPWRIGHT_FLOATS ")",
    "LayerNormV4(x: FLOAT, normalized_shape: IndexNumberType, gamma?: FLOAT, beta?: FLOAT;"
    " epsilon: Float = 1e-05) -> (y: FLOAT, mean: FLOAT, rstd: FLOAT)",
    "SoftmaxGrad(softmax: " OPWRIGHT_FLOATS ", grad_softmax: " OPWRIGHT_FLOATS
    "; axes: ListInt = [-1]) -> (grad_x: " OPWRIGHT_FLOATS ")",
    "LogSoftmaxGrad(grad: " OPWRIGHT_FLOATS ", x: " OPWRIGHT_FLOATS
    "; axis: ListInt = [-1]) -> (y: " OPWRIGHT_FLOATS ")",
    "LayerNormGradV3(dy: FLOAT, x: FLOAT, rstd: FLOAT, mean: FLOAT, gamma: FLOAT;"
    " output_mask: ListBool = [True, True, True]) -> (pd_x: FLOAT, pd_gamma: FLOAT, pd_beta: "
    "FLOAT)",
    "BNInfer(x: FLOAT, scale: {FLOAT}, offset: {FLOAT}, mean: {FLOAT}, variance: {FLOAT};"
    " epsilon: Float) -> (y: FLOAT)",
    // Losses
    "NLLLoss(x: FLOAT, target: IndexNumberType|UINT8, weight?: FLOAT;"
    " reduction: String = \"mean\", ignore_index: Int = -100) -> (y: FLOAT, total_weight: FLOAT)",
    "NLLLossGrad(x: FLOAT, y_grad: FLOAT, target: IndexNumberType|UINT8, weight: FLOAT,"
    " total_weight: FLOAT; reduction: String = \"mean\", ignore_index: Int = -100)"
    " -> (x_grad: FLOAT)",
    "MseLossGrad(predict: " OPWRIGHT_FLOATS ", label: " OPWRIGHT_FLOATS ", dout: " OPWRIGHT_FLOATS
    "; reduction: String = \"mean\") -> (y: " OPWRIGHT_FLOATS ")",
    // Reductions
    OPWRIGHT_REDUCED("ReduceSum", "NumberType"),
    OPWRIGHT_REDUCED("ReduceProd", "NumberType"),
    OPWRIGHT_REDUCED("ReduceMax", "NumberType"),
    OPWRIGHT_REDUCED("ReduceMin", "NumberType"),
    OPWRIGHT_REDUCED("ReduceAny", "{BOOL}"),
    OPWRIGHT_REDUCED("ReduceAll", "{BOOL}"),
    "ReduceMean(x: NumberType, axes: IndexNumberType; keep_dims: Bool = False,"
    " noop_with_empty_axes: Bool = True) -> (y: NumberType)",
    "ArgMaxV2(x: NumberType, dimension: IndexNumberType; dtype: Type = 9)"
    " -> (y: IndexNumberType)",
    "ArgMin(x: NumberType, dimension: IndexNumberType; dtype: Type = 9) -> (y: IndexNumberType)",
    "Cumsum(x: NumberType, axis: IndexNumberType; exclusive: Bool = False, reverse: Bool = False)"
    " -> (y: NumberType)",
    // Shapes and places
    "Reshape(x: ALL, shape: IndexNumberType; axis: Int = 0, num_axes: Int = -1) -> (y: ALL)",
    "Transpose(x: OrdinaryType, perm: IndexNumberType) -> (y: OrdinaryType)",
    "BroadcastTo(x: OrdinaryType, shape: IndexNumberType) -> (y: OrdinaryType)",
    "Unsqueeze(x: ALL; axes: ListInt = []) -> (y: ALL)",
    "Squeeze(x: ALL; axis: ListInt = []) -> (y: ALL)",
    "ConcatV2(x*: OrdinaryType, concat_dim: IndexNumberType; N: Int = 1) -> (y: OrdinaryType)",
    "Pack(x*: OrdinaryType; N: Int, axis: Int = 0) -> (y: OrdinaryType)",
    "StridedSlice(x: OrdinaryType, begin: IndexNumberType, end: IndexNumberType,"
    " strides: IndexNumberType; begin_mask: Int = 0, end_mask: Int = 0, ellipsis_mask: Int = 0,"
    " new_axis_mask: Int = 0, shrink_axis_mask: Int = 0) -> (y: OrdinaryType)",
    "SplitV(x: OrdinaryType, size_splits: IndexNumberType, split_dim: IndexNumberType;"
    " num_split: Int) -> (y*: OrdinaryType)",
    "GatherV2(x: OrdinaryType, indices: IndexNumberType, axis: IndexNumberType;"
    " batch_dims: Int = 0, is_preprocessed: Bool = False, negative_index_support: Bool = False)"
    " -> (y: OrdinaryType)",
    "GatherElements(x: OrdinaryType, index: IndexNumberType; dim: Int = 0) -> (y: OrdinaryType)",
    "ReverseV2(x: OrdinaryType|STRING, axis: IndexNumberType) -> (y: OrdinaryType|STRING)",
    "Unpack(x: OrdinaryType; num: Int, axis: Int = 0) -> (y*: OrdinaryType)",
    "ScatterElements(data: NumberType, indices: IndexNumberType, updates: NumberType;"
    " axis: Int = 0, reduction: String = \"none\") -> (y: NumberType)",
    "EmbeddingDenseGrad(grad: FLOAT, indices: IndexNumberType; num_weights: Int,"
    " padding_idx: Int = -1, scale_grad_by_freq: Bool = False) -> (y: FLOAT)",
    "Tril(x: BasicType|BOOL; diagonal: Int = 0) -> (y: BasicType|BOOL)",
    "Triu(x: BasicType|BOOL; diagonal: Int = 0) -> (y: BasicType|BOOL)",
    "Shape(x: ALL; dtype: Int = 3) -> (y: IndexNumberType)",
    "Fill(dims: IndexNumberType, value: OrdinaryType) -> (y: OrdinaryType)",
    "Range(start: RealNumberType, limit: RealNumberType, delta: RealNumberType)"
    " -> (y: RealNumberType)",
    OPWRIGHT_ONE("Identity", "ALL"),
};

}  // namespace

std::span<const char* const> builtin_prototypes() { return kPrototypes; }

}  // namespace opwright::graph_engine
