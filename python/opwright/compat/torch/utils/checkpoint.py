"""torch.utils.checkpoint: trading time for memory."""

from opwright.autograd.checkpointing import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_early_stop,
)
from opwright.compat._absent import absent

__all__ = [
    "CheckpointError",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]

__getattr__ = absent(__name__)
