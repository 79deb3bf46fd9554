#!python
"""The command `opwright-config` of an installed wheel: runs the script in the package's folder."""

import importlib.util
import os
import sys

package = importlib.util.find_spec("opwright").submodule_search_locations[0]
os.execvp("bash", ["bash", os.path.join(package, "bin", "opwright-config"), *sys.argv[1:]])
