"""The repr of a module tree."""


def tree_text(name: str, own: list[str], children: list[str]) -> str:
    """Return `name(own)` on one line, or with the lines of children indented."""
    if not children and len(own) <= 1:
        return f"{name}({''.join(own)})"
    lines = [*own, *(child.replace("\n", "\n  ") for child in children)]
    return f"{name}(\n" + "".join(f"  {line}\n" for line in lines) + ")"
