"""Settings of PyTorch that are read or written by functions of `torch`."""
