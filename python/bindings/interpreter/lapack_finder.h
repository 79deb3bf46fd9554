// Lets the core ask the package where a wheel of NumPy or SciPy keeps LAPACK.
#pragma once

namespace opwright::python {

// Call once, when the module is imported.
void install_lapack_finder();

}  // namespace opwright::python
