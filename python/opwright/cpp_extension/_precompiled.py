"""Precompiles our headers in the cache, so that rebuilding changed sources is faster.

Precompiling takes longer than one build and 40 to 100 MB. So the first build only leaves the header
in the cache, and the second starts precompiling it in the background, at low priority, after it
finishes. GCC uses `<header>.gch` if it is next to the header and was made with the same flags.
"""

import os
import time
from contextlib import suppress

from . import _cache

KIND = "headers"
PATIENCE = 600  # seconds after which a precompilation counts as dead


class PrecompiledHeader:
    """The header of one leading include and one set of flags."""

    def __init__(self, store: _cache.Store, header: str, command: list[str], identity: str):
        self.command = command  # compiler and flags, without sources
        key = _cache.digest_of(identity, header, *command)
        self.folder = store.folder(KIND, key)
        self.header = header
        self.file = os.path.join(self.folder, "opwright_headers.h")

    @property
    def is_ready(self) -> bool:
        return os.path.exists(self.file + ".gch")

    def flags(self) -> list[str]:
        """Return the flags that make the compiler use it."""
        if not self.is_ready:
            return []
        with suppress(OSError):
            os.utime(os.path.join(self.folder, _cache.MANIFEST))
        return ["-include", self.file]

    def note_build(self) -> None:
        """Record that a build could have used it; the second such build starts making it."""
        with suppress(OSError):
            if not os.path.exists(os.path.join(self.folder, _cache.MANIFEST)):
                self._write_header()
            elif not self.is_ready and self._claim():
                self._run("( {} ) &")

    def make(self) -> None:
        """Make it now and wait for it."""
        with suppress(OSError):
            self._write_header()
            if not self.is_ready and self._claim():
                self._run("{}")

    def _write_header(self) -> None:
        _cache.make_private_folder(self.folder)
        with open(self.file, "w") as file:
            file.write(f"#include <{self.header}>\n")
        _cache.write_manifest(self.folder, [], {"name": self.header})

    def _claim(self) -> bool:
        """Return whether no other process is making it, and none failed."""
        claim = os.path.join(self.folder, "claim")
        with suppress(OSError):
            if time.time() - os.stat(claim).st_mtime > PATIENCE:
                os.unlink(claim)
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return not os.path.exists(os.path.join(self.folder, "failed"))

    def _run(self, how: str) -> None:
        """Run it in its own session, which continues when this process ends."""
        import subprocess

        made = 'nice -n 19 "$@" -o "$out.part" && mv "$out.part" "$out"'
        script = how.format(f'out=$0; {{ {made}; }} || : > failed; rm -f "$out.part" claim')
        command = [*self.command, "-x", "c++-header", self.file]
        subprocess.run(
            ["/bin/sh", "-c", script, self.file + ".gch", *command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )


def is_wanted(command: list[str]) -> bool:
    """Return whether it is supported: GCC only; OPWRIGHT_PRECOMPILED_HEADERS=0 turns it off."""
    if os.environ.get("OPWRIGHT_PRECOMPILED_HEADERS", "1") == "0":
        return False
    program = os.path.basename(os.path.realpath(command[0]))
    return len(command) == 1 and ("g++" in program or "gcc" in program) and "clang" not in program
