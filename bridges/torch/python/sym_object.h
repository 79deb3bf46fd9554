// Symbolic integers and conditions over torch.SymInt and torch.SymBool objects.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// The word of an int, bool, SymInt or SymBool, owned; a plain number is stored in the word itself.
// TypeError for any other object, OverflowError for an int that does not fit.
[[nodiscard]] OpwSymWord word_of_object(PyObject* object);

// The int, SymInt or SymBool of a word; a new reference. TypeError for a symbol of another owner.
[[nodiscard]] PyObject* object_of_word(OpwSymWord word);

// Whether the object is a symbol of torch.
[[nodiscard]] bool is_symbol(PyObject* object);

}  // namespace opwright::torch_bridge
