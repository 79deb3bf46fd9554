"""Which public names of PyTorch exist under opwright.compat.torch; see __main__.py."""
