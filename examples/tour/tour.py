"""One operator binary through every mode and host there is, with a table of what worked.

python examples/tour/tour.py libsoft_clip.so [the tour in C++]
"""

import hashlib
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import opwright as ow
from stops import Row

# Modules of stops, each with its host and the package without which it has nothing to show.
HOSTS = (
    ("in_opwright", "Opwright", "opwright"),
    ("in_devices", "Devices", "opwright"),
    ("in_torch", "PyTorch", "torch"),
    ("in_jax", "JAX", "jax"),
    ("in_onnxruntime", "ONNX Runtime", "onnxruntime"),
)


def run_cpp_tour(program: str, binary: str) -> list[Row]:
    """Run the tour in C++ and take the rows from the table at its end."""
    tour = subprocess.run([program, binary], stdout=subprocess.PIPE, text=True)
    if tour.returncode not in (0, 1):
        sys.exit(f"{tour.stdout}\n{program} ended with status {tour.returncode}")
    shown, _, table = tour.stdout.rpartition("\naudio::soft_clip")
    print(shown)
    lines = [line.rsplit("  ", 1) for line in table.splitlines() if line.strip()]
    return [Row("Opwright, C++", mode.strip(), outcome.strip()) for mode, outcome in lines]


def run_host(module: str, host: str, package: str) -> list[Row]:
    if importlib.util.find_spec(package) is None:
        return [Row(host, "every mode", f"left out: pip install {package}")]
    rows = importlib.import_module(module).stops.run()
    return rows or [Row(host, "every mode", "left out: there is none here")]


def print_table(binary: Path, rows: list[Row]) -> None:
    print(f"\n{binary.name}, one binary in every host")
    print(f"sha256 {hashlib.sha256(binary.read_bytes()).hexdigest()}")
    for row in rows:
        print(f"{row.host:18}{row.mode:33}{row.outcome}")


def main() -> int:
    binary, cpp_tour = sys.argv[1], sys.argv[2:]
    rows = run_cpp_tour(cpp_tour[0], binary) if cpp_tour else []
    ow.load_library(binary)
    for host in HOSTS:
        rows += run_host(*host)
    print_table(Path(binary), rows)
    return any(row.outcome == "FAILED" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
