"""The text of a tree of modules."""


def tree_text(name: str, own: list[str], children: list[str]) -> str:
    """Return `name(own)` on one line, or with lines of children one level further in."""
    if not children and len(own) <= 1:
        return f"{name}({''.join(own)})"
    lines = [*own, *(child.replace("\n", "\n  ") for child in children)]
    return f"{name}(\n" + "".join(f"  {line}\n" for line in lines) + ")"
