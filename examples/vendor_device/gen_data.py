"""Write the inputs of both tests and their expected result, as plain bytes."""

from pathlib import Path

import numpy as np

SIZES = (8, 2048)


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-100, 100, SIZES).astype(np.float32)
    y = rng.uniform(-100, 100, SIZES).astype(np.float32)
    data = Path("data")
    data.mkdir(exist_ok=True)
    for name, array in {"x": x, "y": y, "golden": x + y}.items():
        array.tofile(data / f"{name}.bin")


if __name__ == "__main__":
    main()
