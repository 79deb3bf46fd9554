#!/usr/bin/env bash
# Builds the operator against the installed Opwright, makes data, runs both modes and compares.
#
#   bash run.sh            on the plug-in device where it is there, else on the CPU
#   DEVICE=cpu bash run.sh
#
# PYTHON is the Python that has the package; BUILD the folder to build in; CMAKE_PREFIX_PATH where
# an Opwright is installed that the package did not bring.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
PYTHON=${PYTHON:-python3}
BUILD=${BUILD:-$here/build}

# 1. The operator: the vendor's list, kernels and prototype become one binary.
prefix=${CMAKE_PREFIX_PATH:-$("$PYTHON" -c 'import opwright; print(opwright.__path__[0])')}
cmake -S "$here" -B "$BUILD" -DCMAKE_PREFIX_PATH="$prefix" \
  -DPython3_EXECUTABLE="$(command -v "$PYTHON")" --log-level=WARNING
cmake --build "$BUILD"
export ADD_CUSTOM=$BUILD/libadd_custom.so

# 2. Data.
cd "$BUILD"
"$PYTHON" "$here/gen_data.py"

# 3. Eager mode, graph mode.
"$PYTHON" "$here/test_ops_custom.py"
"$PYTHON" "$here/test_ops_custom_register_in_graph.py"

# 4. Compared.
"$PYTHON" "$here/verify_result.py" eager graph
