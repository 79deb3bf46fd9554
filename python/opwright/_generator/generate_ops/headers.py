"""The public headers: methods of tensors, and functions."""

from .cpp_text import Signature, call_operator, make_signatures, wrap_list
from .cpp_types import Form, return_type
from .declarations import Declaration

METHODS_HEADER = """\
// The tensor methods of operators. Made from {yaml}; do not edit.
//
// Declared before class Tensor, which inherits them; opwright/functions.h defines them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/generator.h"
#include "opwright/int_list.h"
#include "opwright/memory_format.h"
#include "opwright/scalar.h"

namespace opwright OPWRIGHT_VISIBILITY {{
template <class Self>
struct TensorMethods {{
{methods}}};
}}  // namespace opwright
"""

FUNCTIONS_HEADER = """\
// Operators as C++ functions, methods and arithmetic. Made from {yaml}; do not edit.
//
// They take Tensor or FakeTensor and return the same. A function without a tensor argument returns
// a Tensor by default; empty<FakeTensor>(sizes) returns a FakeTensor.
#pragma once

#include <concepts>
#include <type_traits>

#include "opwright/registration/operator_handle.h"
#include "opwright/tensor.h"

namespace opwright OPWRIGHT_VISIBILITY {{
template <class T>
concept AnyTensor = std::derived_from<T, TensorHandle>;
// Self in arguments from which Self must not be deduced.
template <class Self>
using Same = std::type_identity_t<Self>;

// The tensor of the methods. Arithmetic takes methods, so that only tensors are candidates.
template <class Self>
const Self& self_of(const TensorMethods<Self>& methods) {{
  return static_cast<const Self&>(methods);
}}

{functions}{methods}{operators}}}  // namespace opwright
"""

NAMES_HEADER = """\
// The functions of a tensor in opwright/functions.h, by name. Made from {yaml}; do not edit.
#pragma once

// OPWRIGHT_VISIT(name) for each of them.
#define OPWRIGHT_FOR_EACH_FUNCTION(OPWRIGHT_VISIT){names}
"""

# C++ operator, the operators it needs, its parameters and its meaning.
ARITHMETIC = (
    (
        "+",
        ("add.Tensor",),
        "const TensorMethods<Self>& a, const Same<Self>& b",
        "add(self_of(a), b)",
    ),
    ("+", ("add.Scalar",), "const TensorMethods<Self>& a, const Scalar& b", "add(self_of(a), b)"),
    ("+", ("add.Scalar",), "const Scalar& a, const TensorMethods<Self>& b", "add(self_of(b), a)"),
    (
        "-",
        ("sub.Tensor",),
        "const TensorMethods<Self>& a, const Same<Self>& b",
        "sub(self_of(a), b)",
    ),
    ("-", ("sub.Scalar",), "const TensorMethods<Self>& a, const Scalar& b", "sub(self_of(a), b)"),
    ("-", ("rsub.Scalar",), "const Scalar& a, const TensorMethods<Self>& b", "rsub(self_of(b), a)"),
    (
        "*",
        ("mul.Tensor",),
        "const TensorMethods<Self>& a, const Same<Self>& b",
        "mul(self_of(a), b)",
    ),
    ("*", ("mul.Scalar",), "const TensorMethods<Self>& a, const Scalar& b", "mul(self_of(a), b)"),
    ("*", ("mul.Scalar",), "const Scalar& a, const TensorMethods<Self>& b", "mul(self_of(b), a)"),
    (
        "/",
        ("div.Tensor",),
        "const TensorMethods<Self>& a, const Same<Self>& b",
        "div(self_of(a), b)",
    ),
    ("/", ("div.Scalar",), "const TensorMethods<Self>& a, const Scalar& b", "div(self_of(a), b)"),
    (
        "/",
        ("reciprocal", "mul.Scalar"),
        "const Scalar& a, const TensorMethods<Self>& b",
        "mul(reciprocal(self_of(b)), a)",
    ),
    ("-", ("neg",), "const TensorMethods<Self>& a", "neg(self_of(a))"),
)


def write_methods_header(declarations: list[Declaration], yaml: str) -> str:
    methods = ""
    signatures = make_signatures(declarations, "method")
    of_dtypes = {each.declaration.schema.name for each in signatures if each.types == ["DType"]}
    for signature in signatures:
        schema = signature.declaration.schema
        head = f"  {return_type(schema, Form.FUNCTION, 'Self')} {schema.name}("
        methods += wrap_list(head, signature.parameters(True), f"){qualifier(signature)};", 6)
        methods += "\n"
        if schema.name in of_dtypes and signature.types == ["SymIntList"]:
            methods += write_braced_sizes(schema.name)
    return METHODS_HEADER.format(yaml=yaml, methods=methods)


def write_braced_sizes(name: str) -> str:
    """Return an overload for braced sizes: without it, `x.view({})` would mean an empty DType."""
    parameter = "std::initializer_list<SymInt> size"
    return f"  Self {name}({parameter}) const {{ return {name}(SymIntList(size)); }}\n"


def write_functions_header(declarations: list[Declaration], yaml: str, name_space: str) -> str:
    functions = "".join(
        write_function(signature, name_space)
        for signature in make_signatures(declarations, "function")
    )
    methods = "".join(
        write_method(signature, name_space) for signature in make_signatures(declarations, "method")
    )
    return FUNCTIONS_HEADER.format(
        yaml=yaml,
        functions=functions,
        methods=methods,
        operators=write_operators(declarations),
    )


def write_names_header(declarations: list[Declaration], yaml: str) -> str:
    """Return the names of functions of a tensor, for another namespace to import."""
    names = {
        declaration.schema.name
        for declaration in declarations
        if "function" in declaration.variants
        and declaration.schema.arguments
        and declaration.schema.arguments[0].name == "self"
        and not declaration.schema.name.startswith("_")
        and not declaration.schema.name.endswith("_like")
    }
    return NAMES_HEADER.format(
        yaml=yaml, names="".join(f" \\\n  OPWRIGHT_VISIT({name})" for name in sorted(names))
    )


def write_function(signature: Signature, name_space: str) -> str:
    schema = signature.declaration.schema
    head = f"{return_type(schema, Form.FUNCTION, 'Self')} {schema.name}("
    return (
        f"// {schema.text}\n"
        "template <AnyTensor Self = Tensor>\n"
        + wrap_list(head, signature.parameters(True), ") {", 4)
        + "\n"
        + call_operator(schema, name_space, signature.names)
        + "}\n\n"
    )


def write_method(signature: Signature, name_space: str) -> str:
    schema = signature.declaration.schema
    head = f"{return_type(schema, Form.FUNCTION, 'Self')} TensorMethods<Self>::{schema.name}("
    self = f"static_cast<{'' if is_mutating(signature) else 'const '}Self&>(*this)"
    return (
        "template <class Self>\n"
        + wrap_list(head, signature.parameters(False), f"){qualifier(signature)} {{", 4)
        + "\n"
        + call_operator(schema, name_space, [self, *signature.names])
        + "}\n\n"
    )


def write_operators(declarations: list[Declaration]) -> str:
    known = {
        declaration.schema.full_name
        for declaration in declarations
        if "function" in declaration.variants
    }
    return "".join(
        f"template <class Self>\nSelf operator{symbol}({parameters}) {{\n  return {meaning};\n}}\n"
        for symbol, needs, parameters, meaning in ARITHMETIC
        if known.issuperset(needs)
    )


def is_mutating(signature: Signature) -> bool:
    return signature.declaration.schema.arguments[0].type.is_written


def qualifier(signature: Signature) -> str:
    return "" if is_mutating(signature) else " const"
