// Which symbols of the public headers a shared library shows.
//
// Two operator binaries in one process must not share an inline variable, a local static or a
// template's static member; with default visibility GCC makes them unique in the process, whatever
// the flags of the author. So outside of the core every namespace block of these headers is hidden.
// The core and what links it (OPWRIGHT_CORE) share one copy.
#pragma once

#ifdef OPWRIGHT_CORE
#define OPWRIGHT_VISIBILITY
#else
#define OPWRIGHT_VISIBILITY __attribute__((visibility("hidden")))
#endif
