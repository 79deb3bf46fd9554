"""Compare the output of a test with the expected result: python3 verify_result.py eager."""

import sys
from pathlib import Path

import numpy as np


def main() -> int:
    data = Path("data")
    golden = np.fromfile(data / "golden.bin", np.float32)
    for mode in sys.argv[1:]:
        output = np.fromfile(data / f"output_{mode}.bin", np.float32)
        if output.shape != golden.shape or not np.allclose(output, golden, rtol=1e-6, atol=1e-6):
            print(f"{mode}: different")
            return 1
        print(f"{mode}: {output.size} elements, same as golden")
    return 0


if __name__ == "__main__":
    sys.exit(main())
