"""The key `autocast`: the dtype to which autocast casts floating arguments."""

from dataclasses import dataclass

from .yaml_nodes import Fields, NodeReader, yaml

POLICIES = ("lower", "float32", "widest")
DEVICES = ("cpu", "accelerator")


@dataclass(frozen=True)
class Autocast:
    cpu: str = ""
    accelerator: str = ""


def read_autocast(reader: NodeReader, fields: Fields) -> Autocast | None:
    """Read `autocast: lower`, for every device, or `autocast: {cpu: float32}`."""
    if "autocast" not in fields:
        return None
    node = fields["autocast"][1]
    if not isinstance(node, yaml.MappingNode):
        policy = read_policy(reader, node)
        return Autocast(policy, policy)
    policies = {}
    for device, (key, value) in reader.read_mapping(node, "'autocast'").items():
        if device not in DEVICES:
            reader.fail(key, f"unknown device '{device}'; there are {', '.join(DEVICES)}")
        policies[device] = read_policy(reader, value)
    return Autocast(**policies)


def read_policy(reader: NodeReader, node: yaml.Node) -> str:
    policy = reader.read_text(node, "'autocast'")
    if policy not in POLICIES:
        reader.fail(node, f"unknown policy '{policy}'; there are {', '.join(POLICIES)}")
    return policy


def write_autocast(declarations: list, yaml_name: str, name_space: str) -> str:
    """Return the table of the operators that have policies."""
    rows = "".join(
        f'    {{"{name_space}::{each.schema.full_name}", {policy(each.autocast.cpu)}, '
        f"{policy(each.autocast.accelerator)}, {each.line}}},\n"
        for each in declarations
        if each.autocast
    )
    if not rows:
        return ""
    return (
        f"[[maybe_unused]] const bool kRegisteredAutocast = "
        f'register_autocast("{yaml_name}", {{\n{rows}}});\n\n'
    )


def policy(name: str) -> str:
    return f"AutocastPolicy::{(name or 'none').capitalize()}"
