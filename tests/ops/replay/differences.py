"""What is not compared, and why. Names are aten's, with or without overload, or shell patterns."""

from fnmatch import fnmatch

import torch

# The content is random or uninitialized: only dtype, shape and strides are compared.
RANDOM = {
    "empty": "uninitialised",
    "empty_like": "uninitialised",
    "empty_strided": "uninitialised",
    "empty_permuted": "uninitialised",
    "new_empty": "uninitialised",
    "new_empty_strided": "uninitialised",
    "resize_": "new elements are uninitialised",
    "rand": "random",
    "rand_like": "random",
    "randn": "random",
    "randn_like": "random",
    "randint": "random",
    "randint_like": "random",
    "randperm": "random",
    "bernoulli": "random",
    "bernoulli_": "random",
    "multinomial": "random",
    "normal": "random",
    "normal_": "random",
    "normal_functional": "random",
    "uniform": "random",
    "uniform_": "random",
    "exponential": "random",
    "exponential_": "random",
    "geometric_": "random",
    "log_normal_": "random",
    "cauchy_": "random",
    "random_": "random",
    "random": "random",
    "poisson": "random",
    "binomial": "random",
    "native_dropout": "random",
    "rrelu": "random while training",
    "rrelu_": "random while training",
    "rrelu_with_noise": "random while training",
    "rrelu_with_noise_functional": "random while training",
    "dropout": "random while training",
    "dropout_": "random while training",
    "feature_dropout": "random while training",
    "feature_dropout_": "random while training",
    "alpha_dropout": "random while training",
    "alpha_dropout_": "random while training",
    "feature_alpha_dropout": "random while training",
    "feature_alpha_dropout_": "random while training",
    "_fused_dropout": "random",
    "argsort.default": "equal values come in no order; the values of argsort.stable are compared",
    "_ctc_loss": "log_alpha is uninitialised beyond the lengths; ctc_loss compares the losses",
}


def is_random(overload: str, args: tuple, kwargs: dict) -> bool:
    """Return whether the values of the result are meaningless."""
    if overload == "aten.scaled_dot_product_attention.default":
        return (args[4] if len(args) > 4 else kwargs.get("dropout_p", 0)) != 0
    return find(RANDOM, overload) is not None


# What torch calls for Python's numbers and lists: no part of an entry's computation.
CONSTANTS = {"lift_fresh": "torch.tensor made it"}

# The result's size or value depends on the data, so the fake kernel cannot know it.
DATA_DEPENDENT = {
    "nonzero": "the count is in the data",
    "nonzero_static": "the count is in the data",
    "nonzero_numpy": "the count is in the data",
    "masked_select": "the count is in the data",
    "argwhere": "the count is in the data",
    "combinations": "selected by a mask, as in torch",
    "item": "a value of the data",
    "_local_scalar_dense": "a value of the data",
    "equal": "a value of the data",
    "allclose": "a value of the data",
    "is_nonzero": "a value of the data",
    "unique*": "the count is in the data",
    "_unique*": "the count is in the data",
    "bincount": "the count is in the data",
    "one_hot": "the largest class is in the data",
    "repeat_interleave.self_Tensor": "the count is in the data",
    "repeat_interleave.Tensor": "the count is in the data",
    "_ctc_loss.Tensor": "the longest target is in the data",
    "ctc_loss.Tensor": "the longest target is in the data",
}

# These depend on the data if an index is a mask.
MASKS = ("index.*", "_unsafe_index.*")


def depends_on_data(overload: str, tensors: list[torch.Tensor]) -> bool:
    """Return whether the fake kernel cannot know the result's form."""
    if find(DATA_DEPENDENT, overload):
        return True
    is_indexed = any(fnmatch(overload.removeprefix("aten."), pattern) for pattern in MASKS)
    return is_indexed and any(each.dtype in (torch.bool, torch.uint8) for each in tensors[1:])


# Operators for which torch does not check sizes or dtypes and then accesses memory out of bounds:
# variants of their calls run only in ours.
UNSAFE = {
    "*pool*_backward": "sizes of grad_output and indices",
    "native_batch_norm_backward": "sizes and dtypes of the statistics",
    "native_group_norm_backward": "sizes of the statistics",
    "native_layer_norm_backward": "sizes of the statistics",
}

# (values, indices) with equal values in any order: an index is right if it leads to its value.
TIES = {
    "sort.default": "not stable unless asked to be",
    "sort.values": "not stable unless asked to be",
    "topk": "equal values come in no order",
    "kthvalue": "any of equal values",
    "median.dim": "any of equal values",
    "nanmedian.dim": "any of equal values",
    "mode": "any of equal values",
}

# Strides that torch leaves unspecified or that no reader can rely on.
STRIDES = {
    **dict.fromkeys(
        ("relu.out", "isinf.out", "isnan.out", "*.Scalar_out", "*.Scalar_mode_out", "rsub.*_out"),
        "torch makes a new tensor and copies it: an empty out becomes contiguous",
    ),
}

STRIDES |= dict.fromkeys(
    ("mse_loss_backward*", "smooth_l1_loss_backward*"),
    "where the order of memory differs, torch follows self, ours grad_output",
)

STRIDES |= dict.fromkeys(
    ("*fft_*", "stft*", "istft*"),
    "torch's follow the order in which its Fourier library transforms dimensions; ours are dense",
)

STRIDES |= {"nonzero.out": "torch gives an empty out strides that nobody asked for; ours is dense"}

# torch returns an argument or a lazy view; ours is a new tensor.
COPIES = {
    "broadcast_tensors": "where there is nothing to broadcast, ours is a view",
    "conj_physical.default": "of real numbers torch returns them",
    **dict.fromkeys(
        ("conj.default", "adjoint.default", "mH.default", "matrix_H.default"),
        "torch conjugates lazily, ours copies",
    ),
}

# Columns of the results are determined up to a sign, or a factor of magnitude 1: by index, those
# of which the rows are.
FACTORS = {
    "*linalg_svd": {0: False, 2: True},
    "svd*": {0: False, 2: False},
    "*linalg_eigh*": {1: False},
    "linalg_eig": {1: False},
}

# Out forms whose out torch does not resize.
FITTING = {
    "binary_cross_entropy.out": "torch leaves an empty out empty",
    "normal.*_out": "torch draws into out as it is",
}

# The mean of infinite numbers is nan in torch, which adds differences from it, and infinite in
# ours, which adds the numbers.
INFINITE = {
    "std_mean*": "the mean",
    "var_mean*": "the mean",
    "*group_norm": "the mean, and what follows from it",
    "*layer_norm": "the mean, and what follows from it",
}

# Wider tolerances (relative, absolute) where neither result nor the float64 one is exact.
TOLERANCES = {
    # Numbers that cancel: torch adds in another order, and 5e-4 is about 1e-8 of the sum in the
    # samples of 8000 numbers that show it.
    "sum.default": {torch.float32: (1.3e-6, 5e-4)},
    # log_alpha holds float32 sums of hundreds, whose rounding the exponential magnifies.
    "_ctc_loss_backward": {torch.float32: (1e-4, 3e-5)},
    # Sums of halves that cancel; torch rounds an intermediate result once more.
    "kl_div": {torch.float16: (1e-3, 5e-3)},
    # torch adds in bfloat16 or in float32, by the strides; ours rounds every sum to bfloat16.
    "index_add": {torch.bfloat16: (1.6e-2, 8e-3)},
    # Squaring magnifies the rounding of both.
    "*matrix_exp": {torch.float32: (1e-5, 1e-5), torch.complex64: (1e-5, 1e-5)},
    # Near a zero crossing torch rounds step * i to the half, ours is exact between rounded ends.
    "linspace": {torch.float16: (1e-3, 5e-4), torch.bfloat16: (1.6e-2, 5e-3)},
}


def tolerances(overload: str, usual: dict) -> dict:
    return usual | (find(TOLERANCES, overload) or {})


# Inputs that torch rejects and we accept: the overload, torch's message, the reason.
ACCEPTED = (
    ("*out", "Found dtype * but expected *", "ours converts into out, as torch does elsewhere"),
    ("*out", "Expected out tensor to have dtype *", "the same"),
    *(
        (name, "Found dtype * but expected *", "ours promotes")
        for name in ("*_backward*", "_prelu_kernel*", "huber_loss*", "*_norm*")
    ),
    ("as_strided*", "*Negative strides are not supported*", "ours has them"),
    ("arg*", "*does not support bool input*", "ours finds the first True"),
    (
        "*",
        "value cannot be converted to type * without overflow",
        "ours converts numbers as it converts tensors",
    ),
    ("_pdist_forward*", "*requires contiguous input*", "ours makes it so"),
    ("take_along_dim*", "view size is not compatible*", "ours reshapes"),
    ("soft_margin_loss*", "output with shape * doesn't match*", "ours broadcasts"),
    ("binary_cross_entropy*", "output with shape * doesn't match*", "ours broadcasts"),
    (
        "norm.*dtype",
        "Expected out tensor to have dtype *, but got c10::complex*",
        "torch makes an out of the complex dtype, then asks for a real one",
    ),
    (
        "native_group_norm.*",
        "Expected X.is_contiguous*",
        "torch's kernel asks for contiguous inputs; ours makes them so",
    ),
    (
        "as_strided_scatter*",
        "*self.is_contiguous() INTERNAL ASSERT FAILED*",
        "ours takes every layout",
    ),
    (
        "instance_norm*",
        "select(): index 0 out of range*",
        "torch fails on a batch of none by its own reshaping",
    ),
)


# Inputs that torch accepts and we reject: the overload, our message, the reason.
REFUSED = (
    ("*out", "*cannot hold a result of sizes*", "torch resizes with a warning that it will not"),
    ("*.grad_input", "*cannot hold a result of sizes*", "the same"),
    (
        "as_strided_scatter*",
        "*reach outside of a storage*",
        "torch copies the memory around self too",
    ),
    (
        "subtract.out",
        "no overload of aten::subtract takes*",
        "sub takes a number and an out; its second name has no such form in torch either",
    ),
    (
        "mT*",
        "*self must have at least two dimensions*",
        "deprecated in torch without dimensions",
    ),
    ("addbmm_*", "*cannot hold a result of sizes*", "torch resizes self, though in place"),
    (
        "*_loss*",
        "*reduction must be 0 (none), 1 (mean) or 2 (sum), got*",
        "composites of torch take other numbers for none",
    ),
    ("kl_div*", "*reduction must be 0 (none), 1 (mean) or 2 (sum), got*", "the same"),
    *(
        (name, "*: dtype * is not supported; it takes*", "torch looks at no dtype of no elements")
        for name in ("*dropout*", "rand*", "normal*", "bernoulli*", "poisson*")
    ),
    (
        "hardtanh*",
        "*must not be negative for tensors of uint8*",
        "torch refuses other bounds alone",
    ),
    ("*", "*size * is negative in*", "torch looks at no size where another is 0"),
    ("*", "*must not be negative, got*", "the same"),
    ("*softmax_backward_data*", "*must have the sizes of output*", "torch's kernel does not look"),
    ("_embedding_bag*", "*offsets must not decrease*", "torch reads bags of negative sizes"),
    (
        "embedding_dense_backward*",
        "*is out of range for*",
        "torch ignores indices outside of the rows",
    ),
    (
        "*batch_norm*",
        "*must have one dimension of the size of dimension 1*",
        "torch does not look in every form",
    ),
    (
        "*softmax_backward_data*",
        "*a softmax that converts is not supported on the CPU*",
        "torch's forward refuses it as well",
    ),
    (
        "convolution*",
        "*output_padding is for transposed convolutions*",
        "torch refuses it backward and leaves it out forward",
    ),
    (
        "binary_cross_entropy_with_logits*",
        "*reduction must be 0 (none), 1 (mean) or 2 (sum), got*",
        "composites of torch take other numbers for none",
    ),
    ("native_dropout*", "*p must be a probability*", "torch looks at p while training only"),
    ("_fused_rms_norm*", "*does not end with normalized_shape*", "torch's kernel does not look"),
    (
        "batch_norm*",
        "*without training the running statistics are needed*",
        "torch asks for them only where there are elements",
    ),
    ("*", "*shares part of its memory with*", "the result depends on the order of the elements"),
    ("*", "*are the same memory, as after expand*", "the same"),
    ("where*", "*condition must be a bool tensor, got uint8*", "deprecated in torch"),
)


def is_refused(overload: str, message: str) -> bool:
    return has_message(REFUSED, overload, message)


def is_accepted(overload: str, message: str) -> bool:
    return has_message(ACCEPTED, overload, message)


def has_message(table: tuple, overload: str, message: str) -> bool:
    """Return whether the table lists this message for this overload."""
    name = overload.removeprefix("aten.")
    return any(fnmatch(name, pattern) and fnmatch(message, text) for pattern, text, _ in table)


def find(table: dict, overload: str):
    """Return the table's entry for `overload` ("aten.sum.default"), or None."""
    name = overload.removeprefix("aten.")
    base = name.partition(".")[0]
    for pattern, reason in table.items():
        if fnmatch(name, pattern) or fnmatch(base, pattern):
            return reason
    return None
