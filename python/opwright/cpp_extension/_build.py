"""Builds sources into one shared library in the cache: what identifies a build, how it runs."""

import errno
import functools
import os
import sys
import time
from contextlib import suppress

from . import _cache, _compiler, _cuda, _paths, _sources
from ._compile_error import CompileError, explain
from ._precompiled import PrecompiledHeader, is_wanted

KIND = "extension"
FLAGS = ["-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fdiagnostics-color=never"]
# A session may load many of these, and some hold CUDA's runtime (opwright/error.h).
DEFINITIONS = ["-DOPWRIGHT_DYNAMIC_TLS"]
# PyTorch's headers include most of the standard library, and so do ours under its names: a third of
# the time of a small source. This turns that off.
LEAN = "-DOPWRIGHT_COMPAT_LEAN"
LINK_FLAGS = ["-shared", "-Wl,-z,defs"]  # undefined symbols fail here, not at load
UNIT = "_whole"  # the file that holds the author's strings


class Build:
    """One library to build: the author's input, and everything else that its content depends on."""

    def __init__(
        self,
        name: str,
        *,
        function: str,
        cpp: list[_sources.Text],
        cuda: list[_sources.Text],
        opencl: str,
        files: list[str],
        functions: dict[str, str],
        cflags: list[str],
        cuda_cflags: list[str],
        ldflags: list[str],
        include_folders: list[str],
        with_cuda: bool,
        no_implicit_headers: bool,
        use_pch: bool | None,
        verbose: bool,
    ):
        self.name = name
        self.what = f"{function}({name!r})"
        self.cpp, self.cuda, self.opencl, self.files = cpp, cuda, opencl, files
        self.functions = functions
        self.cflags, self.cuda_cflags, self.ldflags = cflags, cuda_cflags, ldflags
        self.include_folders = include_folders
        self.with_cuda = with_cuda
        self.no_implicit_headers = no_implicit_headers
        self.use_pch = use_pch
        self.verbose = verbose
        self.compiler = _compiler.find_compiler()
        self.nvcc = _cuda.find_nvcc() if with_cuda else []
        self.own_folders = _paths.include_paths()

    @functools.cached_property
    def key(self) -> str:
        """Return the digest of everything the library depends on, except the author's headers."""
        parts = [
            self.name,
            _toolchain_identity(tuple(self.compiler), tuple(self.nvcc)),
            _headers_identity(tuple(self.own_folders)),
            repr((FLAGS, DEFINITIONS, LINK_FLAGS, self.cflags, self.cuda_cflags, self.ldflags)),
            repr((self.include_folders, self.with_cuda, self.no_implicit_headers)),
            repr(list(self.functions)),
            self.opencl,
            *(part for text in [*self.cpp, *self.cuda] for part in (text.file, text.content)),
        ]
        for path in self.files:
            with open(path, "rb") as file:
                parts += [path, file.read()]
        parts += [_state_of(flag) for flag in self.ldflags if os.path.exists(flag)]
        if any("native" in flag for flag in [*self.cflags, *self.cuda_cflags]):
            parts.append(_processor())
        return _cache.digest_of(*parts)

    def run(self, store: _cache.Store) -> _cache.Entry:
        """Return the entry with the library, building it if necessary."""
        return _cache.obtain(
            store,
            KIND,
            self.key,
            lambda folder: self._compile(store, folder),
            is_current=is_current,
            on_wait=lambda: self._say(f"waiting for another process that builds {self.name!r}"),
        )

    def _compile(self, store: _cache.Store, folder: str) -> tuple[list[str], _cache.Facts]:
        _sources.check_functions(self.name, self.functions, self.cpp, self.cuda)
        stale = _cache.read_entry(store.folder(KIND, self.key))
        headers = _headers_in(stale) if stale else {}
        content = _cache.digest_of(self.key, *(_cache.digest_of_file(h) or "" for h in headers))
        namespace = f"_inline_{self.name}_{content[:8]}"
        library = f"{self.name}_{content[:8]}.so"
        if stale and stale.facts.get("library") not in (None, library):
            # This process may have it loaded, and may have to load it again.
            older = stale.facts["library"]
            with suppress(OSError):
                os.link(stale.path(older), os.path.join(folder, older))
        started = time.monotonic()
        with _Progress(f"building {self.name!r}"):
            self._build_library(store, folder, namespace, library)
        if self.verbose:
            self._say(f"built {self.name!r} in {time.monotonic() - started:.2f} s")
        facts = {"name": self.name, "namespace": namespace, "library": library}
        facts |= self._dependencies(folder)
        return [library], facts

    def _build_library(self, store, folder: str, namespace: str, library: str) -> None:
        units = self._write_units(folder, namespace)
        target = os.path.join(folder, library)
        definition = [f"-DTORCH_EXTENSION_NAME={namespace}"]
        includes = [f"-I{path}" for path in [*self.include_folders, *self.own_folders]]
        if self.with_cuda:
            includes.append(f"-I{os.path.join(_cuda.toolkit_folder(), 'include')}")
        compile_host = [*self.compiler, *FLAGS, *DEFINITIONS, *self.cflags, *includes]
        link = [*LINK_FLAGS, *_compiler.linker_flags([*self.cflags, *self.ldflags]), *self.ldflags]
        if self.with_cuda:
            link += [f"-L{os.path.join(_cuda.toolkit_folder(), 'lib64')}", *_cuda.LIBRARIES]
        header = self._precompiled_header(store, compile_host)
        use_header = header.flags() if header else []
        start = [*compile_host, *definition, *use_header]
        if len(units) == 1 and not units[0].endswith(".cu"):
            self._build_one(start, folder, units[0], [*link, "-o", target])
        else:
            device = [*self._nvcc_command(), *includes, *definition]
            self._build_several(start, device, folder, units, [*link, "-o", target])
        if header and self.use_pch is None:
            header.note_build()

    def _build_one(self, start: list[str], folder: str, unit: str, link: list[str]) -> None:
        """Compile and link one C++ unit with one command."""
        command = [*start, unit, "-MMD", "-MF", os.path.join(folder, "0.d"), *link]
        is_lean = "-include" not in start and _sources.uses_little(self.cpp)
        try:
            self._execute([[*command, LEAN] if is_lean else command], folder)
        except CompileError as error:
            failure = error
        else:
            return
        # Outside the handler, so that the author sees one error.
        if "functions:" in failure.output:  # generated code after the author's text
            self._execute_alone(start, folder, unit)
        has_lost_a_name = is_lean and "std" in failure.output  # one that our headers would include
        if not has_lost_a_name:
            raise failure
        self._execute([command], folder)

    def _build_several(
        self, host: list[str], device: list[str], folder: str, units: list[str], link: list[str]
    ) -> None:
        """Compile each unit, several in parallel, and link them."""
        commands, objects = [], []
        for index, unit in enumerate(units):
            objects.append(os.path.join(folder, f"{index}.o"))
            start = device if unit.endswith(".cu") else host
            deps = ["-MMD", "-MF", os.path.join(folder, f"{index}.d")]
            commands.append([*start, "-c", unit, *deps, "-o", objects[-1]])
        self._execute(commands, folder)
        self._execute([[*self.compiler, *objects, *link]], folder)
        for path in objects:
            os.unlink(path)

    def _write_units(self, folder: str, namespace: str) -> list[str]:
        """Return the sources to compile: the author's files, or one file per language."""
        units = list(self.files)
        for texts, suffix in ((self.cpp, ".cpp"), (self.cuda, ".cu")):
            if not texts:
                continue
            for text in texts:  # the compiler shows lines of errors from these
                _write(os.path.join(folder, text.file), text.content)
            header, is_added = _sources.leading_header(texts, self.no_implicit_headers)
            before = f"#include <{header}>\n" if is_added else ""
            if suffix == ".cu" and not self.no_implicit_headers:
                before = _cuda.IMPLICIT_HEADERS
            functions = self.functions if suffix == ".cpp" else {}
            if suffix == ".cpp":
                before += self.opencl
            whole = _sources.compose(texts, before, functions, namespace)
            _write(os.path.join(folder, UNIT + suffix), whole)
            units.append(UNIT + suffix)
        return units

    def _precompiled_header(self, store, command: list[str]) -> PrecompiledHeader | None:
        header, _ = _sources.leading_header(self.cpp, self.no_implicit_headers)
        if not header or self.use_pch is False or not is_wanted(self.compiler):
            return None
        identity = [
            _toolchain_identity(tuple(self.compiler), ()),
            _headers_identity(tuple(self.own_folders)),
        ]
        precompiled = PrecompiledHeader(store, header, command, "\n".join(identity))
        if self.use_pch:
            precompiled.make()
        return precompiled

    def _nvcc_command(self) -> list[str]:
        architectures = _cuda.architecture_flags(self.cuda_cflags)
        host = ["-ccbin", self.compiler[0]] if len(self.compiler) == 1 else []
        own = [*_cuda.FLAGS, *_cuda.QUIET, *DEFINITIONS]
        return [*self.nvcc, *host, *own, *architectures, *self.cuda_cflags]

    def _execute(self, commands: list[list[str]], folder: str) -> None:
        """Run the commands, in parallel if there are several; raise CompileError for the first."""
        # The strings are in the build's folder; files are named relative to the author's folder.
        cwd = os.getcwd() if self.files else folder
        if len(commands) == 1:
            return self._execute_one(commands[0], cwd, folder)
        from concurrent.futures import ThreadPoolExecutor

        jobs = int(os.environ.get("MAX_JOBS") or os.cpu_count() or 1)
        with ThreadPoolExecutor(max(1, min(jobs, len(commands)))) as pool:
            for done in [pool.submit(self._execute_one, each, cwd, folder) for each in commands]:
                done.result()
        return None

    def _execute_alone(self, start: list[str], folder: str, unit: str) -> None:
        """Compile the author's text without the functions, to locate an unclosed bracket."""
        path = os.path.join(folder, unit)
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            whole = file.read()
        _write(path, whole.partition(_sources.FUNCTIONS)[0])
        self._execute([[*start, "-fsyntax-only", unit]], folder)
        _write(path, whole)

    def _execute_one(self, command: list[str], cwd: str, folder: str) -> None:
        import shlex
        import subprocess

        if self.verbose:
            self._say(shlex.join(command))
        try:
            done = subprocess.run(
                command,
                cwd=cwd,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
        except FileNotFoundError as problem:
            raise _compiler.CompilerNotFoundError(
                f"{self.what}: cannot run {command[0]}: {problem.strerror}"
            ) from None
        if self.verbose and done.stdout.strip():
            self._say(done.stdout.strip())
        if done.returncode == 0:
            return None
        if "No space left on device" in done.stdout:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)
        if linker := self._chosen_linker(command, done.stdout):
            # It may not find the compiler's libraries; the compiler's own linker does.
            return self._execute_one([each for each in command if each != linker], cwd, folder)
        raise self._error(command, done.stdout, done.returncode, folder)

    def _chosen_linker(self, command: list[str], output: str) -> str | None:
        """Return the flag of a linker that the author did not choose and that reports an error."""
        for flag in command:
            name = flag.removeprefix("-fuse-ld=")
            if name != flag and flag not in (*self.cflags, *self.ldflags) and name in output:
                return flag
        return None

    def _error(self, command: list[str], output: str, status: int, folder: str) -> CompileError:
        output = output.replace(folder + os.sep, "")
        if status < 0:
            output += f"\nthe compiler was killed by signal {-status}; is there enough memory?"
        for texts, suffix in ((self.cpp, ".cpp"), (self.cuda, ".cu")):
            if texts:
                output = output.replace(UNIT + suffix, texts[0].file)
        shown = [word.replace(folder + os.sep, "") for word in command]
        if "-include" in shown:
            at = shown.index("-include")
            del shown[at : at + 2]
        if self.cpp:
            shown = [self.cpp[0].file if word == UNIT + ".cpp" else word for word in shown]
        return explain(self.what, output, command, self.own_folders, shown)

    def _dependencies(self, folder: str) -> _cache.Facts:
        """Return the digests of the author's headers that the compiler read: {"/path": digest}."""
        found: _cache.Facts = {}
        given = {os.path.abspath(path) for path in self.files}
        ours = (*(os.path.realpath(path) for path in self.own_folders), os.path.realpath(folder))
        base = os.getcwd() if self.files else folder
        for name in os.listdir(folder):
            if not name.endswith(".d"):
                continue
            for word in _read_dependencies(os.path.join(folder, name)):
                path = os.path.normpath(os.path.join(base, word))
                if path not in given and not os.path.realpath(path).startswith(ours):
                    digest = _cache.digest_of_file(path)
                    if digest is not None and not path.endswith((".gch", "opwright_headers.h")):
                        found[path] = digest
        return found

    def _say(self, text: str) -> None:
        print(f"opwright: {text}", file=sys.stderr, flush=True)


class _Progress:
    """Print a line to stderr if a build takes longer than a second."""

    def __init__(self, what: str):
        import threading

        self.what = what
        self.started = time.monotonic()
        self.lock = threading.Lock()
        self.is_shown = False
        self.is_over = False
        self.timer = threading.Timer(1.0, self._show)
        self.timer.daemon = True

    def __enter__(self) -> "_Progress":
        self.timer.start()
        return self

    def __exit__(self, kind, *_) -> None:
        self.timer.cancel()
        with self.lock:
            self.is_over = True
            if self.is_shown:
                seconds = time.monotonic() - self.started
                outcome = "failed after" if kind else "took"
                print(f" {outcome} {seconds:.1f} s", file=sys.stderr, flush=True)

    def _show(self) -> None:
        with self.lock:
            if not self.is_over:
                self.is_shown = True
                print(f"opwright: {self.what} ...", end="", file=sys.stderr, flush=True)


def is_current(entry: _cache.Entry) -> bool:
    """Return whether the author's own headers are unchanged since the entry was built."""
    return all(_cache.digest_of_file(path) == told for path, told in _headers_in(entry).items())


def _headers_in(entry: _cache.Entry) -> _cache.Facts:
    """Return the author's own headers: the facts whose name is a path."""
    return {path: digest for path, digest in entry.facts.items() if path.startswith(os.sep)}


def _read_dependencies(path: str) -> list[str]:
    """Return the files of a make rule."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    words = text.partition(": ")[2].replace("\\ ", "\0").split()
    return [word.replace("\0", " ").replace("\\#", "#").replace("$$", "$") for word in words]


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def _toolchain_identity(compiler: tuple[str, ...], nvcc: tuple[str, ...]) -> str:
    return _compiler.identify([*compiler, *nvcc])


@functools.cache
def _headers_identity(folders: tuple[str, ...]) -> str:
    """Return a value that changes with our headers: their names, sizes and times."""
    parts = list(folders)
    for folder in folders:
        for path, folder_names, names in os.walk(os.path.join(folder, "opwright")):
            folder_names.sort()
            parts += [_state_of(os.path.join(path, name)) for name in sorted(names)]
    return _cache.digest_of(*parts)


def _state_of(path: str) -> str:
    state = os.stat(path)
    return f"{path} {state.st_size} {state.st_mtime_ns}"


@functools.cache
def _processor() -> str:
    """Return what -march=native depends on."""
    try:
        with open("/proc/cpuinfo") as file:
            return "".join(sorted({line for line in file if line.startswith(("flags", "model"))}))
    except OSError:
        import platform

        return platform.machine()
