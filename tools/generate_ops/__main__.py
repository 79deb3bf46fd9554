import argparse
import sys
from pathlib import Path

from .declarations import DeclarationError, read_declarations
from .headers import write_functions_header, write_methods_header, write_names_header
from .operator_names import write_operator_names
from .registration import write_registration
from .schema import SchemaError


def write_if_changed(path: Path, text: str) -> None:
    """Leave an unchanged file alone, so that nothing that includes it is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate_ops", description="C++ from functions.yaml")
    parser.add_argument("--yaml", type=Path, required=True)
    parser.add_argument("--name", help="what texts call the YAML file; its path if left out")
    parser.add_argument("--namespace", default="aten", help="of the operators")
    parser.add_argument("--public", type=Path, required=True, help="folder of the headers")
    parser.add_argument(
        "--source", type=Path, required=True, help="folder of what the core alone uses"
    )
    options = parser.parse_args()
    name = options.name or str(options.yaml)

    try:
        declarations = read_declarations(options.yaml, name)
        texts = {
            options.public / "tensor_methods.h": write_methods_header(declarations, name),
            options.public / "functions.h": write_functions_header(
                declarations, name, options.namespace
            ),
            options.public / "function_names.h": write_names_header(declarations, name),
            options.source / "operator_names.h": write_operator_names(declarations, name),
            options.source / "register_ops.cpp": write_registration(
                declarations, name, options.namespace
            ),
        }
    except (DeclarationError, SchemaError) as error:
        print(f"generate_ops: {error}", file=sys.stderr)
        return 1
    for path, text in texts.items():
        write_if_changed(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
