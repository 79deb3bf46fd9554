"""The modules that are compared with PyTorch's, with inputs."""

import torch

from .torch_twin import Case


def case(name, *args, inputs, **kwargs):
    return Case(name, args, kwargs, inputs)


def floats(*sizes):
    """Return what makes one tensor of these sizes, the same each time."""

    def make():
        return (torch.randn(sizes, generator=torch.Generator().manual_seed(sum(sizes))),)

    return make


def pair(*sizes):
    """Return what makes a prediction and a target of the same sizes, between 0 and 1."""

    def make():
        generator = torch.Generator().manual_seed(1)
        return torch.rand(sizes, generator=generator), torch.rand(sizes, generator=generator)

    return make


def classes(*sizes):
    """Return what makes log probabilities over the second dimension, and classes."""

    def make():
        generator = torch.Generator().manual_seed(2)
        scores = torch.randn(sizes, generator=generator).log_softmax(1)
        targets = torch.randint(sizes[1], (sizes[0], *sizes[2:]), generator=generator)
        return scores, targets

    return make


def indices(*sizes, below):
    def make():
        return (torch.randint(below, sizes, generator=torch.Generator().manual_seed(3)),)

    return make


def several(*shapes):
    """Return what makes one tensor of each of these sizes."""

    def make():
        generator = torch.Generator().manual_seed(4)
        return tuple(torch.randn(shape, generator=generator) for shape in shapes)

    return make


def signed(*shapes, targets=None):
    """Return what makes tensors of these sizes, and targets that are 1 or -1."""

    def make():
        generator = torch.Generator().manual_seed(6)
        inputs = [torch.randn(shape, generator=generator) for shape in shapes]
        signs = torch.randn(targets or shapes[0], generator=generator).sign()
        return (*inputs, signs)

    return make


def features_and_classes(features, targets):
    """Return what makes inputs of a linear layer, and classes below 4."""

    def make():
        generator = torch.Generator().manual_seed(7)
        inputs = torch.randn(features, generator=generator)
        return inputs, torch.randint(4, targets, generator=generator)

    return make


ELEMENTS = floats(3, 4)

ACTIVATIONS = [
    *(
        case(name, inputs=ELEMENTS)
        for name in [
            "CELU",
            "ELU",
            "GELU",
            "Hardshrink",
            "Hardsigmoid",
            "Hardswish",
            "Hardtanh",
            "Identity",
            "LeakyReLU",
            "LogSigmoid",
            "Mish",
            "PReLU",
            "ReLU",
            "ReLU6",
            "SELU",
            "Sigmoid",
            "SiLU",
            "Softplus",
            "Softshrink",
            "Softsign",
            "Tanh",
            "Tanhshrink",
            "GLU",
        ]
    ),
    case("ReLU", inplace=True, inputs=ELEMENTS),
    case("LeakyReLU", 0.2, inplace=True, inputs=ELEMENTS),
    case("ELU", 0.5, inplace=True, inputs=ELEMENTS),
    case("CELU", 2.0, inplace=True, inputs=ELEMENTS),
    case("SELU", inplace=True, inputs=ELEMENTS),
    case("Mish", inplace=True, inputs=ELEMENTS),
    case("Hardswish", inplace=True, inputs=ELEMENTS),
    case("GELU", approximate="tanh", inputs=ELEMENTS),
    case("GLU", dim=0, inputs=floats(4, 3)),
    case("Hardtanh", -0.5, 0.25, inputs=ELEMENTS),
    case("PReLU", 4, init=0.5, inputs=ELEMENTS),
    case("Softplus", 2.0, 1.0, inputs=ELEMENTS),
    case("Threshold", 0.1, 7.0, inputs=ELEMENTS),
    case("Softmax", dim=1, inputs=ELEMENTS),
    case("Softmin", dim=0, inputs=ELEMENTS),
    case("LogSoftmax", dim=-1, inputs=ELEMENTS),
    case("Softmax2d", inputs=floats(2, 3, 4, 5)),
]

LINEAR = [
    case("Linear", 4, 3, inputs=floats(2, 5, 4)),
    case("Linear", 4, 3, bias=False, inputs=floats(4)),
    case("Linear", 4, 3, dtype=torch.float64, inputs=lambda: (torch.ones(2, 4).double(),)),
    case("Bilinear", 4, 3, 5, inputs=several((2, 4), (2, 3))),
    case("Embedding", 10, 3, inputs=indices(2, 5, below=10)),
    case("Embedding", 10, 3, padding_idx=-1, inputs=indices(4, below=10)),
    case("Embedding", 10, 3, max_norm=0.5, inputs=indices(4, below=10)),
    case("Embedding", 10, 3, max_norm=0.5, norm_type=1.0, inputs=indices(4, below=10)),
    case("Flatten", inputs=floats(2, 3, 4)),
    case("Flatten", 0, 1, inputs=floats(2, 3, 4)),
    case("Unflatten", 1, (2, 3), inputs=floats(4, 6)),
]

CONVOLUTIONS = [
    case("Conv1d", 3, 4, 3, inputs=floats(2, 3, 8)),
    case("Conv1d", 3, 4, 3, padding="same", dilation=2, inputs=floats(2, 3, 8)),
    case("Conv1d", 4, 4, 3, groups=2, bias=False, inputs=floats(4, 8)),
    case("Conv1d", 3, 4, 3, padding=2, padding_mode="circular", inputs=floats(2, 3, 8)),
    case("Conv1d", 3, 4, 4, padding="same", padding_mode="reflect", inputs=floats(2, 3, 8)),
    case("Conv2d", 3, 4, (3, 2), stride=(2, 1), padding=(1, 0), inputs=floats(2, 3, 8, 8)),
    case("Conv2d", 3, 4, 3, padding=1, padding_mode="replicate", inputs=floats(2, 3, 8, 8)),
    case("Conv2d", 3, 4, 3, padding=(1, 2), padding_mode="circular", inputs=floats(2, 3, 8, 8)),
    case("Conv3d", 2, 3, 2, inputs=floats(1, 2, 4, 4, 4)),
    case("ConvTranspose1d", 3, 4, 3, stride=2, output_padding=1, inputs=floats(2, 3, 5)),
    case("ConvTranspose2d", 4, 4, 3, stride=2, groups=2, padding=1, inputs=floats(2, 4, 5, 5)),
    case("ConvTranspose3d", 2, 3, 2, bias=False, inputs=floats(1, 2, 3, 3, 3)),
]

POOLS = [
    case("MaxPool1d", 2, inputs=floats(2, 3, 8)),
    case("MaxPool2d", 3, stride=2, padding=1, inputs=floats(2, 3, 8, 8)),
    case("MaxPool2d", (2, 3), ceil_mode=True, dilation=2, inputs=floats(2, 3, 9, 9)),
    case("MaxPool2d", 2, return_indices=True, inputs=floats(2, 3, 8, 8)),
    case("MaxPool3d", 2, inputs=floats(1, 2, 4, 4, 4)),
    case("AvgPool1d", 3, stride=1, padding=1, inputs=floats(2, 3, 8)),
    case("AvgPool2d", 2, inputs=floats(2, 3, 8, 8)),
    case("AvgPool2d", 3, padding=1, count_include_pad=False, inputs=floats(2, 3, 8, 8)),
    case("AvgPool3d", 2, divisor_override=3, inputs=floats(1, 2, 4, 4, 4)),
    case("AdaptiveAvgPool1d", 3, inputs=floats(2, 3, 8)),
    case("AdaptiveAvgPool2d", 1, inputs=floats(2, 3, 8, 8)),
    case("AdaptiveAvgPool2d", (None, 3), inputs=floats(2, 3, 8, 8)),
    case("AdaptiveAvgPool3d", (1, 2, 2), inputs=floats(1, 2, 4, 4, 4)),
    case("AdaptiveMaxPool1d", 3, inputs=floats(2, 3, 8)),
    case("AdaptiveMaxPool2d", (3, None), inputs=floats(2, 3, 8, 8)),
    case("AdaptiveMaxPool3d", 2, inputs=floats(1, 2, 4, 4, 4)),
]

PADS = [
    case("ConstantPad1d", (2, 1), 3.5, inputs=floats(2, 3, 4)),
    case("ConstantPad2d", 1, 0.5, inputs=floats(2, 3, 4, 4)),
    case("ConstantPad3d", 1, 0.5, inputs=floats(1, 2, 3, 3, 3)),
    case("ZeroPad1d", 2, inputs=floats(2, 3, 4)),
    case("ZeroPad2d", (1, 0, 2, 3), inputs=floats(2, 3, 4, 4)),
    case("ZeroPad3d", 1, inputs=floats(1, 2, 3, 3, 3)),
    case("ReflectionPad1d", 2, inputs=floats(2, 3, 4)),
    case("ReflectionPad2d", (1, 0, 2, 3), inputs=floats(2, 3, 4, 4)),
    case("ReflectionPad3d", 1, inputs=floats(1, 2, 3, 3, 3)),
    case("ReplicationPad1d", 2, inputs=floats(2, 3, 4)),
    case("ReplicationPad2d", (1, 0, 2, 3), inputs=floats(2, 3, 4, 4)),
    case("ReplicationPad3d", 1, inputs=floats(1, 2, 3, 3, 3)),
    case("CircularPad1d", (3, 1), inputs=floats(2, 3, 4)),
    case("CircularPad2d", (1, 0, 2, 3), inputs=floats(2, 3, 4, 4)),
    case("CircularPad3d", 1, inputs=floats(1, 2, 3, 3, 3)),
    case("Upsample", scale_factor=2, inputs=floats(1, 2, 3, 3)),
    case("Upsample", size=5, mode="linear", inputs=floats(1, 2, 3)),
    case("Upsample", scale_factor=(2, 1.5), mode="bilinear", inputs=floats(1, 2, 4, 4)),
    case("UpsamplingNearest2d", scale_factor=2, inputs=floats(1, 2, 3, 3)),
    case("UpsamplingBilinear2d", size=(5, 4), inputs=floats(1, 2, 3, 3)),
    case("Upsample", size=(5, 7), mode="bicubic", align_corners=True, inputs=floats(1, 2, 4, 4)),
]

LINEAR_LOSSES = [
    case("LinearCrossEntropyLoss", 3, 4, inputs=features_and_classes((5, 3), (5,))),
    case(
        "LinearCrossEntropyLoss",
        3,
        4,
        out_features=(2,),
        bias=True,
        reduction="sum",
        ignore_index=1,
        weight=torch.tensor([0.5, 1.0, 2.0, 3.0]),
        inputs=features_and_classes((5, 3), (5, 2)),
    ),
]

NORMS = [
    case("LayerNorm", 4, inputs=floats(2, 3, 4)),
    case("LayerNorm", (3, 4), eps=1e-3, bias=False, inputs=floats(2, 3, 4)),
    case("LayerNorm", [4], elementwise_affine=False, inputs=floats(2, 3, 4)),
    case("RMSNorm", 4, inputs=floats(2, 3, 4)),
    case("RMSNorm", (3, 4), eps=1e-3, elementwise_affine=False, inputs=floats(2, 3, 4)),
    case("GroupNorm", 2, 4, inputs=floats(2, 4, 5)),
    case("GroupNorm", 2, 4, affine=False, inputs=floats(2, 4, 5, 5)),
    case("BatchNorm1d", 4, inputs=floats(5, 4)),
    case("BatchNorm1d", 4, momentum=None, inputs=floats(5, 4, 3)),
    case("BatchNorm1d", 4, affine=False, inputs=floats(5, 4)),
    case("BatchNorm2d", 3, eps=1e-3, momentum=0.3, inputs=floats(2, 3, 4, 4)),
    case("BatchNorm2d", 3, track_running_stats=False, inputs=floats(2, 3, 4, 4)),
    case("SyncBatchNorm", 3, momentum=0.3, inputs=floats(4, 3, 5)),
    case("BatchNorm3d", 2, inputs=floats(2, 2, 3, 3, 3)),
    case("InstanceNorm1d", 3, inputs=floats(2, 3, 4)),
    case("InstanceNorm2d", 3, affine=True, track_running_stats=True, inputs=floats(2, 3, 4, 4)),
    case("InstanceNorm3d", 2, inputs=floats(2, 3, 3, 3)),
]

LOSSES = [
    *(
        case(name, reduction=reduction, inputs=pair(3, 4))
        for name in [
            "L1Loss",
            "MSELoss",
            "SmoothL1Loss",
            "HuberLoss",
            "BCELoss",
            "BCEWithLogitsLoss",
        ]
        for reduction in ("none", "mean", "sum")
    ),
    *(case("KLDivLoss", reduction=each, inputs=pair(3, 4)) for each in ("batchmean", "sum")),
    case("KLDivLoss", reduction="none", log_target=True, inputs=pair(3, 4)),
    case("SmoothL1Loss", beta=0.25, inputs=pair(3, 4)),
    case("HuberLoss", delta=0.25, inputs=pair(3, 4)),
    case("BCELoss", weight=torch.tensor([0.5, 1.0, 2.0, 3.0]), inputs=pair(3, 4)),
    case("BCEWithLogitsLoss", pos_weight=torch.tensor([0.5, 1.0, 2.0, 3.0]), inputs=pair(3, 4)),
    case("NLLLoss", inputs=classes(5, 3)),
    case("NLLLoss", ignore_index=1, reduction="sum", inputs=classes(5, 3, 2, 2)),
    case("CrossEntropyLoss", inputs=classes(5, 3)),
    case("CrossEntropyLoss", label_smoothing=0.1, ignore_index=0, inputs=classes(5, 3, 2)),
    case("CrossEntropyLoss", weight=torch.tensor([0.5, 1.0, 2.0]), inputs=classes(5, 3)),
    case("CrossEntropyLoss", reduction="none", inputs=pair(5, 3)),
    case("CosineSimilarity", inputs=pair(3, 4)),
    case("SoftMarginLoss", reduction="sum", inputs=signed((3, 4))),
    case("HingeEmbeddingLoss", 0.5, inputs=signed((3, 4))),
    case("HingeEmbeddingLoss", reduction="none", inputs=signed((3, 4))),
    case("MarginRankingLoss", 0.5, inputs=signed((5,), (5,))),
    case("CosineEmbeddingLoss", 0.25, inputs=signed((5, 3), (5, 3), targets=(5,))),
]

RECURRENT = [
    case("RNN", 3, 4, inputs=floats(5, 2, 3)),
    case("RNN", 3, 4, nonlinearity="relu", bias=False, inputs=floats(5, 3)),
    case("LSTM", 3, 4, inputs=floats(5, 2, 3)),
    case("LSTM", 3, 4, num_layers=2, batch_first=True, bidirectional=True, inputs=floats(2, 5, 3)),
    case("LSTM", 3, 4, bias=False, inputs=floats(5, 3)),
    case("LSTM", 3, 4, num_layers=2, proj_size=2, bidirectional=True, inputs=floats(5, 2, 3)),
    case("GRU", 3, 4, inputs=floats(5, 2, 3)),
    case("GRU", 3, 4, num_layers=3, bidirectional=True, inputs=floats(5, 2, 3)),
    case("GRU", 3, 4, batch_first=True, bias=False, inputs=floats(2, 5, 3)),
    case("RNN", 3, 4, 2, inputs=several((5, 2, 3), (2, 2, 4))),
    case("GRU", 3, 4, batch_first=True, inputs=several((2, 5, 3), (1, 2, 4))),
    case(
        "LSTM",
        3,
        4,
        inputs=lambda: (torch.ones(5, 2, 3), (torch.ones(1, 2, 4), torch.zeros(1, 2, 4))),
    ),
    case("RNNCell", 3, 4, inputs=floats(2, 3)),
    case("RNNCell", 3, 4, nonlinearity="relu", inputs=several((2, 3), (2, 4))),
    case("GRUCell", 3, 4, inputs=floats(2, 3)),
    case("GRUCell", 3, 4, bias=False, inputs=several((3,), (4,))),
    case("LSTMCell", 3, 4, inputs=floats(2, 3)),
]

ATTENTION = [
    case("MultiheadAttention", 4, 2, inputs=several((5, 3, 4), (6, 3, 4), (6, 3, 4))),
    case("MultiheadAttention", 4, 1, inputs=several((5, 4), (6, 4), (6, 4))),
    case(
        "MultiheadAttention",
        4,
        2,
        bias=False,
        batch_first=True,
        inputs=several((3, 5, 4), (3, 6, 4), (3, 6, 4)),
    ),
    case(
        "MultiheadAttention",
        4,
        2,
        kdim=3,
        vdim=2,
        inputs=several((5, 3, 4), (6, 3, 3), (6, 3, 2)),
    ),
    case(
        "MultiheadAttention",
        4,
        2,
        add_bias_kv=True,
        add_zero_attn=True,
        inputs=several((5, 3, 4), (6, 3, 4), (6, 3, 4)),
    ),
]

CASES = [
    *ACTIVATIONS,
    *LINEAR,
    *CONVOLUTIONS,
    *POOLS,
    *PADS,
    *NORMS,
    *LOSSES,
    *LINEAR_LOSSES,
    *RECURRENT,
    *ATTENTION,
]
DROPOUTS = [
    case(name, 0.3, inputs=inputs)
    for name, inputs in {
        "Dropout": ELEMENTS,
        "Dropout1d": floats(2, 3, 4),
        "Dropout2d": floats(2, 3, 4, 4),
        "Dropout3d": floats(2, 3, 4, 4, 4),
        "AlphaDropout": ELEMENTS,
        "FeatureAlphaDropout": floats(2, 3, 4),
    }.items()
]
