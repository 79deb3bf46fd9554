"""The transforms of `opwright.func`, and calls as trees of values."""
