// Symbol visibility of the public headers and of the core.
//
// Two operator binaries in one process must not share an inline variable, a local static or a
// template's static member; with default visibility, GCC makes them unique in the process,
// regardless of the author's flags. So every namespace block of these headers is hidden outside the
// core.
//
// In the core and in code that links it (OPWRIGHT_CORE), the compiler flags decide. The core's
// flags hide everything, so libopwright exports only the declarations marked OPWRIGHT_EXPORT. These
// are the functions and the classes with out-of-line members that bindings, bridges and programs
// use, and the base classes and exceptions that they derive from, cast to or catch, so that all
// share one type_info. Templates and inline functions need no export: each library has its own
// copy.
#pragma once

#ifdef OPWRIGHT_CORE
#define OPWRIGHT_VISIBILITY
#define OPWRIGHT_EXPORT [[gnu::visibility("default")]]
#else
#define OPWRIGHT_VISIBILITY __attribute__((visibility("hidden")))
#define OPWRIGHT_EXPORT
#endif
