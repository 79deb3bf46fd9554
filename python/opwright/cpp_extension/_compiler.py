"""The C++ compiler that builds operators, and how compilers are distinguished."""

import os
import shlex

CANDIDATES = ("c++", "g++", "clang++")
# Environment variables that change what a compiler reads.
ENVIRONMENT = (
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
)
LINKERS = ("mold", "lld", "gold")  # each links a small binary faster than the default one

_INSTALL = {
    "debian": "apt-get install g++",
    "ubuntu": "apt-get install g++",
    "fedora": "dnf install gcc-c++",
    "rhel": "dnf install gcc-c++",
    "suse": "zypper install gcc-c++",
    "arch": "pacman -S gcc",
    "alpine": "apk add g++",
}


class CompilerNotFoundError(RuntimeError):
    """No compiler for the source was found; the message has the command that installs one.

    >>> issubclass(CompilerNotFoundError, RuntimeError)
    True
    """


def find_program(name: str) -> str | None:
    """Find the file of a command: shutil.which, without the cost of importing it."""
    folders = [""] if os.sep in name else os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None


def find_compiler() -> list[str]:
    """Return the C++ compiler's command: CXX, or the system's; else raise CompilerNotFoundError."""
    if chosen := shlex.split(os.environ.get("CXX", "")):
        if program := find_program(chosen[0]):
            return [program, *chosen[1:]]
        raise CompilerNotFoundError(
            f"CXX is {os.environ['CXX']!r}, but there is no program {chosen[0]!r}.\n"
            f"  Unset CXX to use the system's compiler, or install one: {install_command()}"
        )
    for name in CANDIDATES:
        if program := find_program(name):
            return [program]
    raise CompilerNotFoundError(
        f"C++ sources need a compiler, and there is none (looked for {', '.join(CANDIDATES)} in "
        f"PATH).\n  Install one: {install_command()}\n  or set CXX to the command of one."
    )


def install_command(os_release: str = "/etc/os-release") -> str:
    """Return the command that installs g++ on this system."""
    told = {}
    try:
        with open(os_release) as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                told[name] = value.strip("\"'")
    except OSError:
        pass
    for word in f"{told.get('ID', '')} {told.get('ID_LIKE', '')}".split():
        if word in _INSTALL:
            return _INSTALL[word]
    return "conda install -c conda-forge gxx"


def identify(command: list[str]) -> str:
    """Return a value that changes with the compiler, without starting a process.

    Every word that is a file (`ccache g++`) contributes its real path, size and time.
    """
    parts = []
    for word in command:
        path = word if os.sep in word else find_program(word)
        try:
            real = os.path.realpath(path) if path else ""
            state = os.stat(real)
            parts.append(f"{real} {state.st_size} {state.st_mtime_ns}")
        except OSError:
            parts.append(word)
    parts += [f"{name}={os.environ[name]}" for name in ENVIRONMENT if name in os.environ]
    return "\n".join(parts)


def linker_flags(flags: list[str]) -> list[str]:
    """Return -fuse-ld for the fastest available linker, unless the author's flags choose one."""
    if any(flag.startswith(("-fuse-ld", "-flto", "-B")) for flag in flags):
        return []
    for name in LINKERS:
        if find_program(f"ld.{name}"):
            return [f"-fuse-ld={name}"]
    return []
