"""Joins the author's strings into one source file, with the functions that become attributes.

The strings keep their line numbers: line 3 of `<name>.cpp` in the compiler's messages is line 3 of
the string.
"""

import re
from collections.abc import Mapping, Sequence

IMPLICIT_HEADER = "torch/extension.h"
OWN_HEADER = "opwright/opwright.h"
FUNCTIONS = '#line 1 "functions"\n'  # the following code is generated
# These cover nearly as much as the implicit header in less time; exceptions are listed below.
LARGE_HEADERS = ("torch/extension.h", "torch/all.h", "torch/torch.h", "torch/script.h")

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_LACKING = re.compile(
    r"\b(?:py|pybind11|PYBIND11_\w+|\w*pybind\w*|parallel_\w+|get_num_threads|get_thread_num"
    r"|autograd|AutoGradMode|NoGradGuard)\b"
)
# Names of the standard library that every one of our headers includes.
_LITTLE = re.compile(
    r"tuple|make_tuple|tie|get|pair|make_pair|vector|array|string|string_view|to_string|optional"
    r"|nullopt|make_optional|move|forward|size_t|u?int(?:8|16|32|64)_t|min|max|swap|abs|sqrt|exp"
    r"|log|pow|sin|cos|tan|tanh|floor|ceil|round|fabs|isnan|isinf|numeric_limits|memcpy|memset"
)
_STANDARD_NAME = re.compile(r"\bstd\s*::\s*(\w+)")
_FUNCTION_NAME = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*")
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*(?:noexcept\s*)?\{")
_KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "sizeof"}
_NOT_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)


class Text:
    """One of the author's strings, with the file name that the compiler shows."""

    def __init__(self, file: str, content: str):
        self.file = file
        self.content = content


def texts_of(argument: str, name: str, suffix: str, given: str | Sequence[str]) -> list[Text]:
    """Return the strings of an argument: <name>.cpp, <name>_2.cpp, ..."""
    strings = [given] if isinstance(given, str) else list(given)
    for index, each in enumerate(strings):
        if not isinstance(each, str):
            raise TypeError(
                f"load_inline: {argument} must be a string or a list of strings, got "
                f"{type(each).__name__} at {index}"
            )
    numbers = ["", *(f"_{number}" for number in range(2, len(strings) + 1))]
    return [
        Text(f"{name}{number}{suffix}", content)
        for number, content in zip(numbers, strings, strict=False)
    ]


def opencl_kernels_of(name: str, given: Mapping[str, str] | None) -> str:
    """Return C++ text with a SourceKernel `opencl::<kernel>` for each kernel."""
    if not given:
        return ""
    if not isinstance(given, Mapping):
        raise TypeError(
            f"load_inline({name!r}): opencl_sources must be a dict of texts by the names of their "
            f"kernels, got {type(given).__name__}"
        )
    lines = []
    for kernel, text in given.items():
        if not isinstance(kernel, str) or not kernel.isidentifier() or not isinstance(text, str):
            raise TypeError(
                f"load_inline({name!r}): opencl_sources must be a dict of texts by the names of "
                f"their kernels, got {kernel!r}: {text!r}"
            )
        if not re.search(rf"\b{kernel}\s*\(", text):
            raise ValueError(
                f"load_inline({name!r}): the text of opencl_sources[{kernel!r}] has no such kernel"
            )
        mark = "opencl"
        while f'){mark}"' in text:
            mark += "_"
        lines.append(
            f'static const ::opwright::SourceKernel {kernel}(R"{mark}({text}){mark}", "{kernel}");'
        )
    kernels = "\n".join(lines)
    return f'#include "opwright/source_kernel.h"\nnamespace opencl {{\n{kernels}\n}}\n'


def functions_of(given: str | Sequence[str] | dict[str, str] | None) -> dict[str, str]:
    """Return the `functions` argument as {name: documentation}."""
    if given is None:
        return {}
    named = {given: ""} if isinstance(given, str) else given
    if not isinstance(named, dict):
        named = dict.fromkeys(named, "")
    for name in named:
        if not isinstance(name, str) or not _FUNCTION_NAME.fullmatch(name):
            raise ValueError(f"load_inline: functions must be names of C++ functions, got {name!r}")
    bases = [attribute_of(name) for name in named]
    for base in bases:
        if bases.count(base) > 1:
            raise ValueError(f"load_inline: functions has two that would be the attribute {base!r}")
    return named


def attribute_of(function: str) -> str:
    """`clip` for `audio::clip`."""
    return function.rpartition("::")[2]


def blank_comments(text: str) -> str:
    """Return the text with comments and literals blanked, keeping all line numbers."""
    return _NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def check_functions(name: str, functions: dict[str, str], cpp: list[Text], cuda: list[Text]):
    """Reject a function that no C++ string has, before compiling anything."""
    code = {text.file: blank_comments(text.content) for text in cpp}
    for function in functions:
        base = attribute_of(function)
        if any(_find_word(base, content) is not None for content in code.values()):
            continue
        if any(_find_word(base, blank_comments(text.content)) is not None for text in cuda):
            raise ValueError(
                f"load_inline({name!r}): {function!r} is only in cuda_sources; declare it in "
                f"cpp_sources too, as `torch::Tensor {base}(...);`"
            )
        import difflib

        defined = {found for content in code.values() for found in _FUNCTION.findall(content)}
        near = difflib.get_close_matches(base, sorted(defined - _KEYWORDS), n=1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"load_inline({name!r}): cpp_sources has no function {function!r}{advice}")


def _find_word(word: str, code: str) -> int | None:
    """Return the line of a function's name, or of any mention."""
    for pattern in (rf"\b{word}\s*\(", rf"\b{word}\b"):
        if found := re.search(pattern, code):
            return code.count("\n", 0, found.start()) + 1
    return None


def leading_header(texts: list[Text], no_implicit_headers: bool) -> tuple[str, bool]:
    """Return the header that the unit starts with, and whether it is added to the author's text.

    PyTorch puts torch/extension.h before every inline source. So do we, unless the author includes
    our own headers, or one of PyTorch's that has everything the text uses. A header that the text
    itself starts with may be precompiled too.
    """
    if not texts:
        return "", False
    included = [header for text in texts for header in _INCLUDE.findall(text.content)]
    is_native = any(
        header.startswith("opwright/") and not header.startswith("opwright/compat/")
        for header in included
    )
    is_served = any(header in LARGE_HEADERS for header in included) and not any(
        _LACKING.search(blank_comments(text.content)) for text in texts
    )
    if not (is_native or is_served or no_implicit_headers):
        return IMPLICIT_HEADER, True
    code = texts[0].content
    directive = _DIRECTIVE.search(blank_comments(code))
    first = _INCLUDE.match(code, directive.start()) if directive else None
    starts = first is not None and first[1] in (*LARGE_HEADERS, OWN_HEADER)
    return (first[1], False) if starts else ("", False)


def uses_little(texts: list[Text]) -> bool:
    """Return whether the strings visibly need few of the standard headers that ours include."""
    for text in texts:
        code = blank_comments(text.content)
        if re.search(r"\busing\s+namespace\s+std\b", code):
            return False
        for header in _INCLUDE.findall(text.content):
            is_known = header.startswith(("torch/", "ATen/", "c10/", "opwright/"))
            if not is_known and not header.isidentifier():
                return False  # the author's own header, whose text is unknown here
        if not all(_LITTLE.fullmatch(name) for name in _STANDARD_NAME.findall(code)):
            return False
    return True


def compose(texts: list[Text], before: str, functions: dict[str, str], namespace: str) -> str:
    """Return one source of all strings; each function is an operator of `namespace`."""
    parts = [before]
    for text in texts:
        parts.append(f'#line 1 "{text.file}"\n{text.content}\n')
    if functions:
        lines = []
        for function in functions:
            file, line = _site_of(attribute_of(function), texts)
            lines.append(
                f'#line {line} "{file}"\n  m.def("{attribute_of(function)}", &{function});'
            )
        parts.append(
            FUNCTIONS
            + '#include "opwright/library.h"\n#include "opwright/compat/pybind11/cast.h"\n'
            f"OPWRIGHT_LIBRARY_FRAGMENT({namespace}, m) {{\n" + "\n".join(lines) + "\n}\n"
        )
    return "".join(parts)


def _site_of(base: str, texts: list[Text]) -> tuple[str, int]:
    for text in texts:
        line = _find_word(base, blank_comments(text.content))
        if line is not None:
            return text.file, line
    return texts[0].file, 1
