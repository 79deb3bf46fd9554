#!python
"""The command `opwright` of an installed wheel: runs the program in the package's folder."""

import importlib.util
import os
import sys

package = importlib.util.find_spec("opwright").submodule_search_locations[0]
os.execv(os.path.join(package, "bin", "opwright"), ["opwright", *sys.argv[1:]])
