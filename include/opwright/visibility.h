// Which symbols a shared library shows: of the public headers, and of the core.
//
// Two operator binaries in one process must not share an inline variable, a local static or a
// template's static member; with default visibility GCC makes them unique in the process, whatever
// the flags of the author. So outside of the core every namespace block of these headers is hidden.
//
// In the core and in what links it (OPWRIGHT_CORE) the compiler flags decide. The core's flags hide
// everything, so libopwright exports only the declarations that carry OPWRIGHT_EXPORT. These are
// the functions and the classes with out-of-line members that bindings, bridges and programs use,
// and the base classes and exceptions that they derive from, cast to or catch, so that one
// type_info serves all. Templates and inline functions need no export: each library has its own
// copy.
#pragma once

#ifdef OPWRIGHT_CORE
#define OPWRIGHT_VISIBILITY
#define OPWRIGHT_EXPORT [[gnu::visibility("default")]]
#else
#define OPWRIGHT_VISIBILITY __attribute__((visibility("hidden")))
#define OPWRIGHT_EXPORT
#endif
