"""The key `properties`: what passes and checks of the core may assume of a built-in operator."""

from .yaml_nodes import Fields, NodeReader

# The enumerators of opwright::Property that the file may state.
PROPERTIES = (
    "backward",
    "cheap",
    "compiled_whole",
    "draws_by_element",
    "draws_by_size",
    "factory",
    "fixes_sizes",
    "raises_version",
    "reads_storage",
    "stride_dependent",
    "unique_indices",
)


def read_properties(reader: NodeReader, fields: Fields) -> tuple[str, ...]:
    """Return the stated properties, after `builtin`, which every built-in operator has."""
    if "properties" not in fields:
        return ("builtin",)
    names = []
    for node in reader.read_list(fields["properties"][1], "'properties'"):
        name = reader.read_text(node, "a property")
        if name not in PROPERTIES:
            reader.fail(node, f"unknown property '{name}'; there are {', '.join(PROPERTIES)}")
        names.append(name)
    return ("builtin", *names)
