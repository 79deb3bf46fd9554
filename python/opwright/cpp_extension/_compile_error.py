"""Error messages for sources that do not compile: the first errors, in the author's files."""

import re
import shlex

MOST_LINES = 40
MOST_CHARACTERS = 6000

_MISSING_HEADER = re.compile(
    r"fatal error: ['\"]?([^\s'\":]+)['\"]?(?:: No such file| file not found)"
)
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`']?([^'\n]+)")
_UNKNOWN_TYPE = re.compile(r"incomplete type '[^']*ValueOf(?:Parameter)?<(.+?)>'")
_OWN_FRAME = re.compile(
    r"^opwright/\S+ (?: +required (?:from|by)| +in 'constexpr'"
    r"|In (?:instantiation|substitution)"
    r"| *In (?:member )?function)[^\n]*\n",
    re.M,
)
_TEMPORARY_OBJECT = re.compile(r"\S*/cc\w{6}\.o:")
_INCLUDED_FROM = re.compile(
    r"(?:^In file included from [^\n]*[,:]\n(?:^ +from [^\n]*[,:]\n)*)", re.M
)
_OLD_COMPILER = re.compile(
    r"unrecognized command[- ]line option '-std=c\+\+20|invalid value 'c\+\+20'"
)


class CompileError(RuntimeError):
    """A source does not compile; the message shows the compiler's, with the author's line numbers.

    `output` is everything that the compiler printed, `command` the command that ran.

    >>> from opwright.cpp_extension import load_inline
    >>> try:
    ...     load_inline("broken", "int f( {", functions="f", no_implicit_headers=True)
    ... except CompileError as error:
    ...     print("broken.cpp:1" in str(error))
    True
    """

    def __init__(self, message: str, output: str = "", command: list[str] | None = None):
        super().__init__(message)
        self.output = output
        self.command = command or []


def explain(
    what: str, output: str, command: list[str], own_folders: list[str], shown: list[str]
) -> CompileError:
    """Return the error for `what`. `own_folders` have our headers; `shown` is the command shown."""
    output = output.translate({0x2018: "'", 0x2019: "'"})  # the quotes of GCC in UTF-8
    text = drop_include_chains(_TEMPORARY_OBJECT.sub("", output.strip()), own_folders)
    text = _OWN_FRAME.sub("", shorten_paths(text, own_folders))
    lines = [f"{what} does not compile:", cut(text) or "the compiler said nothing"]
    lines += [f"hint: {hint}" for hint in hints_for(output)]
    lines.append(f"command: {shlex.join(shown)}")
    return CompileError("\n".join(lines), output, command)


def drop_include_chains(output: str, own_folders: list[str]) -> str:
    """Remove "In file included from" lines that lead only through our headers."""

    def drop(chain: re.Match) -> str:
        places = re.findall(r"from (\S+?):\d", chain[0])
        is_own = [place.startswith(tuple(own_folders)) for place in places]
        return "" if any(is_own) else chain[0]

    return _INCLUDED_FROM.sub(drop, output)


def shorten_paths(output: str, own_folders: list[str]) -> str:
    """Show our headers by the name under which they are included."""
    for folder in sorted(own_folders, key=len):
        output = output.replace(folder.rstrip("/") + "/", "")
    return output


def cut(text: str) -> str:
    """Return the beginning of a long output, where the first errors are."""
    lines = text.splitlines()
    kept, length = [], 0
    for line in lines[:MOST_LINES]:
        length += len(line) + 1
        if length > MOST_CHARACTERS:
            break
        kept.append(line)
    if len(kept) < len(lines):
        left = len(lines) - len(kept)
        kept.append(f"... and {left} more lines; the error's attribute `output` has them all")
    return "\n".join(kept)


def hints_for(output: str) -> list[str]:
    hints = []
    if missing := _MISSING_HEADER.search(output):
        hints.append(_hint_for_header(missing[1]))
    if unknown := _UNKNOWN_TYPE.search(output):
        hints.append(
            f"an operator has no argument or result of the C++ type {unknown[1]!r}; it may have "
            "Tensor, int64_t, double, bool, std::string, Scalar, Device, their std::optional and "
            "std::vector, and a std::tuple of results"
        )
    if undefined := _UNDEFINED.search(output):
        hints.append(
            f"{undefined[1].rstrip()!r} is declared but defined nowhere; give its source, or its "
            "library in extra_ldflags"
        )
    if _OLD_COMPILER.search(output):
        hints.append("sources are C++20: g++ 12 or clang 16 are the oldest compilers; CXX chooses")
    return hints


def _hint_for_header(header: str) -> str:
    if header.startswith(("torch/", "ATen/", "c10/", "pybind11/")):
        return (
            f"of PyTorch's headers Opwright has those that operators use, and not {header}; the "
            "folder opwright/compat of include_paths() shows which"
        )
    if header == "Python.h":
        return (
            "an operator binary knows no Python; pass tensors, numbers, strings and lists of them"
        )
    if header.startswith(("cuda", "cub/", "thrust/")):
        return f"{header} belongs to CUDA: pass with_cuda=True, or move the code to cuda_sources"
    return f"give the folder of {header} in extra_include_paths"
