"""Parts of compile.py: the same functions, compiled by Opwright, torch and jax."""

from .functions import TITLES

__all__ = ["TITLES"]
