"""What `opwright.compile` takes from Python: LLVM and explanations."""
