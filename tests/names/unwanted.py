"""Why Opwright does not have a name of PyTorch: what is out of its scope, by module and pattern.

Every reason is one of the project's decisions. A name that fits none is missing.
"""

from fnmatch import fnmatchcase

QUANTIZATION = "quantization: PyTorch moved it to torchao; write quantized operators of your own"
SPARSE = "sparse and nested layouts: tensors are strided"
JIT = "TorchScript, which PyTorch deprecated: export replaces it"
DEVICES = "devices of other vendors: a plug-in adds a device"
STORAGE = "storages and shared memory of processes: tensors own their memory"
DISTRIBUTED = "distributed training"
DEPRECATED = "deprecated or removed in PyTorch"
INTERNAL = "an implementation detail of PyTorch"
LIBRARY_SWITCH = "asks for a library of PyTorch's build, which Opwright does not link"

# Reason, then patterns of names, matched in every place.
PATTERNS = {
    QUANTIZATION: (
        "*quantize*", "fbgemm_*", "q_*", "qint*", "quint*", "qscheme", "quantized_*", "int_repr",
        "choose_qparams_optimized", "fused_moving_avg_obs_fake_quant", "Q*Storage",
        "bits*", "bit", "int[1-7]", "uint[1-7]",
    ),
    SPARSE: (
        "sparse_*", "*_sparse", "to_sparse*", "is_sparse_csr", "*coalesce*", "*crow_indices*",
        "*ccol_indices*", "*col_indices*", "*row_indices*", "indices", "indices_copy", "values",
        "values_copy", "dense_dim", "to_dense", "to_padded_tensor", "resize_as_sparse_", "saddmm",
        "smm", "spmm", "native_norm", "sspaddmm", "dsmm", "hsmm", "hspmm", "SparseAdam",
    ),
    DEVICES: (
        "cudnn_*", "miopen_*", "mkldnn_*", "to_mkldnn", "is_mkldnn", "is_mps", "is_mtia",
        "is_maia", "is_vulkan*", "is_xla", "is_xpu", "is_ipu", "xpu", "ipu", "mtia",
        "*_autocast_ipu_*", "*_autocast_xla_*", "is_autocast_ipu_enabled",
        "is_autocast_xla_enabled",
    ),
    STORAGE: (
        "*Storage", "is_storage", "storage", "storage_type", "share_memory_", "is_shared",
        "from_file", "const_data_ptr", "module_load",
    ),
    DISTRIBUTED: (
        "DataParallel", "SyncBatchNorm", "batch_norm_backward_elemt", "batch_norm_backward_reduce",
        "batch_norm_elemt", "batch_norm_gather_stats*", "batch_norm_stats",
        "batch_norm_update_stats", "is_distributed",
    ),
    DEPRECATED: (
        "reinforce", "resize", "resize_as", "new", "volatile", "symeig",
        "Container", "NLLLoss2d", "CrossMapLRN2d", "set_default_tensor_type", "has_lapack",
        "has_mkl", "has_openmp", "has_spectral", "set_autocast_gpu_dtype",
        "get_autocast_gpu_dtype", "clip_grad_norm", "upsample", "upsample_bilinear",
        "upsample_nearest", "UpsamplingBilinear2d", "UpsamplingNearest2d",
    ),
    LIBRARY_SWITCH: ("set_flush_denormal", "segment_reduce"),
    JIT: (
        "import_ir_module*", "parse_ir", "parse_schema", "parse_type_comment",
        "merge_type_from_type_comment", "unify_type_list", "fork", "wait",
    ),
    INTERNAL: (
        "has_torch_function*", "handle_torch_function", "boolean_dispatch", "assert_int_or_pair",
        "BroadcastingList*", "NestedIOFunction", "slice_inverse", "hash_tensor",
        "init_num_threads", "DisableTorchFunction*", "sym_constrain_range*", "sym_fresh_size",
        "AggregationType", "AVG", "SUM", "FatalError",
    ),
}  # fmt: skip
# The old forms of functions that torch.linalg has.
_REMOVED = ("eig", "solve", "lstsq")
# The same for one place.
OF_PLACE = {
    ("torch", DEPRECATED): _REMOVED,
    ("torch.Tensor", DEPRECATED): _REMOVED,
    ("torch.nn.init", "deprecated names without an underscore"): (
        "constant", "dirac", "eye", "kaiming_*l", "kaiming_uniform", "normal", "orthogonal",
        "sparse", "uniform", "xavier_*l", "xavier_uniform",
    ),
}  # fmt: skip


def reason_against(place: str, name: str, value: object) -> str | None:
    """Return why the name is not wanted, or None."""
    for (of, reason), patterns in OF_PLACE.items():
        if of == place and any(fnmatchcase(name, each) for each in patterns):
            return reason
    for reason, patterns in PATTERNS.items():
        if any(fnmatchcase(name, each) for each in patterns):
            return reason
    # Classes that the extension module defines describe TorchScript's types and graphs.
    is_type_of_extension = isinstance(value, type) and "pybind11" in type(value).__name__
    if place == "torch" and (
        is_type_of_extension or getattr(value, "__module__", "") == "torch.jit"
    ):
        return JIT
    return None
