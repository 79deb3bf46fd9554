#!/usr/bin/env bash
# Builds the operator against the installed Opwright, generates data, runs both modes and compares.
#
#   bash run.sh            on the plug-in device if available, else on the CPU
#   DEVICE=cpu bash run.sh
#
# PYTHON: the Python that has the package. BUILD: the build folder. CMAKE_PREFIX_PATH: the prefix of
# Opwright, if it is not the one inside the Python package.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
PYTHON=${PYTHON:-python3}
BUILD=${BUILD:-$here/build}

# 1. Build the vendor's list, kernels and prototype into one binary.
prefix=${CMAKE_PREFIX_PATH:-$("$PYTHON" -c 'import opwright; print(opwright.__path__[0])')}
cmake -S "$here" -B "$BUILD" -DCMAKE_PREFIX_PATH="$prefix" \
  -DPython3_EXECUTABLE="$(command -v "$PYTHON")" --log-level=WARNING
cmake --build "$BUILD"
export ADD_CUSTOM=$BUILD/libadd_custom.so

# 2. Generate data.
cd "$BUILD"
"$PYTHON" "$here/gen_data.py"

# 3. Run eager mode and graph mode.
"$PYTHON" "$here/test_ops_custom.py"
"$PYTHON" "$here/test_ops_custom_register_in_graph.py"

# 4. Compare.
"$PYTHON" "$here/verify_result.py" eager graph
