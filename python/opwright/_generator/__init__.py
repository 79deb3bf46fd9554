"""The folder that holds the generator.

`generate_ops` is run from here by builds, which have no package `opwright` to import: with this
folder as PYTHONPATH. It must not import the package, nor anything but PyYAML.
"""
