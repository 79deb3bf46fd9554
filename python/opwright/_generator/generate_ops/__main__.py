import argparse
import sys
from pathlib import Path

try:
    from .declarations import DeclarationError, read_declarations
except ImportError as problem:
    sys.exit(f"generate_ops: {problem}")
from .author_list import write_author_files
from .composites import write_composites
from .gradient_rules import write_gradients
from .headers import write_functions_header, write_methods_header, write_names_header
from .operator_names import write_operator_names
from .registration import write_registrations


def write_if_changed(path: Path, text: str) -> None:
    """Write the file only if it changed, so that nothing that includes it is recompiled."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_built_in(options: argparse.Namespace, name: str) -> dict[Path, str]:
    declarations = read_declarations(options.yaml, name)
    registrations = write_registrations(declarations, name, options.namespace)
    gradients = write_gradients(declarations, name, options.namespace, options.header)
    composites = write_composites(declarations, name, options.namespace, options.composite_header)
    return {
        options.public / "tensor_methods.h": write_methods_header(declarations, name),
        options.public / "functions.h": write_functions_header(
            declarations, name, options.namespace
        ),
        options.public / "function_names.h": write_names_header(declarations, name),
        options.source / "operator_names.h": write_operator_names(declarations, name),
        **{
            options.source / path: text
            for path, text in {**registrations, **gradients, **composites}.items()
        },
    }


def make_of_author(options: argparse.Namespace, name: str) -> dict[Path, str]:
    devices = tuple(options.device)
    declarations = read_declarations(options.yaml, name, built_in=False, devices=devices)
    files = write_author_files(declarations, name, options.yaml.stem, options.namespace)
    return {options.author / path: text for path, text in files.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="generate_ops", description="C++ from functions.yaml")
    parser.add_argument("--yaml", type=Path, required=True)
    parser.add_argument("--name", help="the YAML file's name in generated texts; default: its path")
    parser.add_argument("--namespace", default="aten", help="of the operators")
    parser.add_argument("--public", type=Path, help="folder of the headers")
    parser.add_argument("--source", type=Path, help="folder of the core's own files")
    parser.add_argument(
        "--header", action="append", default=[], help="header that declares functions of gradients"
    )
    parser.add_argument(
        "--composite-header",
        action="append",
        default=[],
        help="header that declares functions of composites",
    )
    parser.add_argument("--author", type=Path, help="output folder for an author's list")
    parser.add_argument("--device", action="append", default=[], help="that a plug-in adds")
    options = parser.parse_args()
    if not options.author and not (options.public and options.source):
        parser.error("--author, or --public and --source, must say where the files go")
    name = options.name or str(options.yaml)

    try:
        texts = make_of_author(options, name) if options.author else make_built_in(options, name)
    except (DeclarationError, OSError) as error:
        print(f"generate_ops: {error}", file=sys.stderr)
        return 1
    for path, text in texts.items():
        write_if_changed(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
