"""Files of tensors in nested containers, without code: `opwright.save` and `opwright.load`."""
