#!python
"""opwright of an installed wheel: becomes the package's own program, which finds its library."""

import importlib.util
import os
import sys

package = importlib.util.find_spec("opwright").submodule_search_locations[0]
os.execv(os.path.join(package, "bin", "opwright"), ["opwright", *sys.argv[1:]])
