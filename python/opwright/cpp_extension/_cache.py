"""The cache of compiled code: keyed by content, safe across processes, bounded in size.

An entry is the folder `<root>/<kind>/<key>`. One rename puts it in place, and its manifest holds a
digest of every file, so damaged entries are rebuilt instead of loaded. This module imports only
what a cache hit needs; building imports the rest. The kind `code` belongs to the core
(src/compile/object/code_store.h), whose entries are single files.
"""

import errno
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL, which takes as long as an entire look-up
except ImportError:
    from hashlib import blake2b

DEFAULT_LIMIT = 1 << 30
MANIFEST = "manifest"
FORMAT = "opwright cache 1"
DAY = 24 * 3600

# Errors of a cache that cannot be written: read-only, not ours, full, or without a folder.
UNWRITABLE = {
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.ENOTDIR,
    errno.ENOENT,
    errno.EEXIST,
}

Facts = dict[str, str]


def digest_of(*parts: bytes | str) -> str:
    """Return the digest of the parts, each with its length, so that different lists never collide.

    >>> digest_of("ab", "c") == digest_of("a", "bc")
    False
    """
    state = blake2b(digest_size=20)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def digest_of_file(path: str) -> str | None:
    """Return the digest of a file's content; None when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return blake2b(file.read(), digest_size=20).hexdigest()
    except OSError:
        return None


def cache_folder() -> str:
    """Return OPWRIGHT_CACHE_DIR, else opwright in XDG_CACHE_HOME, else in ~/.cache."""
    if chosen := os.environ.get("OPWRIGHT_CACHE_DIR"):
        return os.path.abspath(os.path.expanduser(chosen))
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(os.path.abspath(base), "opwright")


def parse_size(text: str) -> int:
    """Return the bytes of "500M", "2G" or "1048576".

    >>> parse_size("2K")
    2048
    """
    units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMGT" else ""
    try:
        size = float(number.removesuffix(unit)) * units[unit]
        return int(size) if size >= 0 else int("negative")
    except (ValueError, OverflowError):
        raise ValueError(f"a size must be like 500M, 2G or 1048576, got {text!r}") from None


def size_limit() -> int:
    """Return OPWRIGHT_CACHE_SIZE, else one gibibyte."""
    text = os.environ.get("OPWRIGHT_CACHE_SIZE")
    try:
        return parse_size(text) if text else DEFAULT_LIMIT
    except ValueError as problem:
        raise ValueError(f"OPWRIGHT_CACHE_SIZE: {problem}") from None


class Entry:
    """A folder of the cache, with the facts recorded when it was built."""

    def __init__(self, folder: str, files: Facts, facts: Facts):
        self.folder = folder
        self.files = files  # digest by name
        self.facts = facts

    @property
    def key(self) -> str:
        return os.path.basename(self.folder)

    @property
    def kind(self) -> str:
        return os.path.basename(os.path.dirname(self.folder))

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def is_whole(self) -> bool:
        return all(digest_of_file(self.path(name)) == told for name, told in self.files.items())

    def size(self) -> int:
        if os.path.isfile(self.folder):
            return os.stat(self.folder).st_size
        total = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_size
        return total

    def last_use(self) -> float:
        for path in (self.path(MANIFEST), self.folder):
            with suppress(OSError):
                return os.stat(path).st_mtime
        return 0.0


class Store:
    """The entries under one folder. `limit` bounds their size; None means no limit."""

    def __init__(self, root: str, limit: int | None = None):
        self.root = root
        self.limit = limit

    def folder(self, kind: str, key: str) -> str:
        return os.path.join(self.root, kind, key)

    def find(self, kind: str, key: str) -> Entry | None:
        """Return the entry if it exists and is intact, and mark it as used now."""
        folder = self.folder(kind, key)
        entry = read_entry(folder)
        if entry is None or not entry.is_whole():
            return None
        with suppress(OSError):  # a read-only cache does not need it
            os.utime(os.path.join(folder, MANIFEST))
        return entry

    def make(
        self,
        kind: str,
        key: str,
        build: Callable[[str], tuple[list[str], Facts]],
        find: Callable[["Store"], Entry | None],
        on_wait: Callable[[], None],
    ) -> Entry:
        """Build the entry under a lock, or return the one that another process has just built.

        `build(folder)` fills an empty folder and returns the files to protect by digests and facts.
        """
        with self.lock(f"{kind}-{key}", on_wait):
            if entry := find(self):
                return entry
            with self.stage() as folder:
                names, facts = build(folder)
                write_manifest(folder, names, facts)
                entry = self.put(folder, kind, key)
        if self.limit is not None:
            self.prune(self.limit, keep=entry.folder)
        return entry

    @contextmanager
    def stage(self) -> Iterator[str]:
        """Yield a new folder on the cache's disk; removed at the end unless it was put in place."""
        import tempfile

        parent = os.path.join(self.root, "staging")
        make_private_folder(parent)
        folder = tempfile.mkdtemp(dir=parent)
        try:
            yield folder
        finally:
            remove_tree(folder)

    def put(self, staged: str, kind: str, key: str) -> Entry:
        """Rename a staged folder to its final path, replacing what is there."""
        place = self.folder(kind, key)
        make_private_folder(os.path.dirname(place))
        for _ in range(10):
            try:
                os.rename(staged, place)
                break
            except OSError as problem:
                if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                self.remove(place)
        entry = read_entry(place)
        if entry is None:
            raise FileNotFoundError(errno.ENOENT, "the entry was removed while it was made", place)
        return entry

    def remove(self, place: str) -> None:
        """Remove a folder: rename it first, so that no process sees it half deleted."""
        with self.stage() as folder, suppress(FileNotFoundError):
            os.rename(place, os.path.join(folder, "removed"))

    @contextmanager
    def lock(self, name: str, on_wait: Callable[[], None]) -> Iterator[None]:
        """Exclude other processes and threads. The system releases the lock of a dead process."""
        path = os.path.join(self.root, "locks", name)
        make_private_folder(os.path.dirname(path))
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                wait_for_lock(descriptor, on_wait)
                if is_open_at(descriptor, path):
                    break
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # its holder removed the file: wait for the new one
        try:
            yield
        finally:
            with suppress(OSError):
                os.unlink(path)
            os.close(descriptor)

    def entries(self) -> list[Entry]:
        """Return all entries, least recently used first."""
        found = []
        for kind in list_folder(self.root):
            if kind not in ("locks", "staging"):
                for key in list_folder(os.path.join(self.root, kind)):
                    folder = self.folder(kind, key)
                    found.append(read_entry(folder) or Entry(folder, {}, {}))
        return sorted(found, key=Entry.last_use)

    def prune(self, limit: int, keep: str = "") -> list[Entry]:
        """Remove the least recently used entries until the rest fits; never `keep`."""
        self.remove_leftovers()
        entries = self.entries()
        sizes = {entry.folder: entry.size() for entry in entries}
        total = sum(sizes.values())
        removed = []
        for entry in entries:
            if total <= limit:
                break
            if entry.folder != keep:
                self.remove(entry.folder)
                total -= sizes[entry.folder]
                removed.append(entry)
        return removed

    def remove_leftovers(self) -> None:
        """Remove unfinished entries of killed processes once they are a day old."""
        staging = os.path.join(self.root, "staging")
        for name in list_folder(staging):
            path = os.path.join(staging, name)
            with suppress(OSError):
                if time.time() - os.stat(path).st_mtime > DAY:
                    remove_tree(path)


def read_entry(folder: str) -> Entry | None:
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if lines[0] != FORMAT or lines[-1] != "end":
        return None
    tables: dict[str, Facts] = {"file": {}, "fact": {}}
    for line in lines[1:-1]:
        table, name, value = (unescape(cell) for cell in line.split("\t"))
        tables[table][name] = value
    return Entry(folder, tables["file"], tables["fact"])


def write_manifest(folder: str, names: list[str], facts: Facts) -> None:
    lines = [FORMAT]
    for name in names:
        digest = digest_of_file(os.path.join(folder, name))
        if digest is None:
            raise FileNotFoundError(errno.ENOENT, "the build made no such file", name)
        lines.append(f"file\t{escape(name)}\t{digest}")
    lines += [f"fact\t{escape(name)}\t{escape(value)}" for name, value in facts.items()]
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "end"]))


def escape(text: str) -> str:
    return text.encode("unicode_escape").decode("ascii")


def unescape(text: str) -> str:
    return text.encode("ascii").decode("unicode_escape") if "\\" in text else text


def make_private_folder(path: str) -> None:
    """Like makedirs, but each new folder is accessible to this user only."""
    if not os.path.isdir(path):
        make_private_folder(os.path.dirname(path))
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)


def list_folder(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def remove_tree(path: str) -> None:
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def wait_for_lock(descriptor: int, on_wait: Callable[[], None]) -> None:
    """Take the lock; call `on_wait` once if that takes a second."""
    import fcntl

    patience = time.monotonic() + 1
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:
            return None  # no locks on this file system: two may build; renames keep it safe
        if time.monotonic() > patience:
            patience = float("inf")
            on_wait()


def is_open_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


class _Fallback:
    """Return the folder in which this process builds when the cache cannot be written."""

    store: Store | None = None
    owner = 0
    warned = False


def temporary_store(root: str, problem: OSError) -> Store:
    """Return a cache that is deleted at exit, used when the one at `root` cannot be written."""
    import atexit
    import tempfile

    if _Fallback.store is None or _Fallback.owner != os.getpid():
        _Fallback.store = Store(tempfile.mkdtemp(prefix="opwright-"))
        _Fallback.owner = os.getpid()
        atexit.register(_remove_own, _Fallback.store.root, _Fallback.owner)
    if not _Fallback.warned:
        _Fallback.warned = True
        warnings.warn(
            f"the cache {root} cannot be written ({problem.strerror}); compiled code goes "
            "to a temporary folder and is lost at exit. Set OPWRIGHT_CACHE_DIR to a folder with "
            "room, or run `python -m opwright cache clear`",
            RuntimeWarning,
            stacklevel=_level_of_caller(),
        )
    return _Fallback.store


def _level_of_caller() -> int:
    """Return the stacklevel that makes a warning show a line outside this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(
        package
    ):
        level, frame = level + 1, frame.f_back
    return level


def _remove_own(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        remove_tree(folder)


def obtain(
    store: Store,
    kind: str,
    key: str,
    build: Callable[[str], tuple[list[str], Facts]],
    *,
    is_current: Callable[[Entry], bool] = lambda entry: True,
    on_wait: Callable[[], None] = lambda: None,
) -> Entry:
    """Return the entry of `key`; `build` makes it when it is missing, damaged or outdated.

    A cache that cannot be written is replaced by a temporary one, with one warning.
    """

    def find(place: Store) -> Entry | None:
        entry = place.find(kind, key)
        return entry if entry is not None and is_current(entry) else None

    fallback = _Fallback.store if _Fallback.owner == os.getpid() else None
    for place in filter(None, (store, fallback)):
        if entry := find(place):
            return entry
    try:
        return store.make(kind, key, build, find, on_wait)
    except OSError as problem:
        if problem.errno not in UNWRITABLE:
            raise
        return temporary_store(store.root, problem).make(kind, key, build, find, on_wait)


def default_store() -> Store:
    return Store(cache_folder(), size_limit())


def format_size(size: float) -> str:
    """
    >>> format_size(1536)
    '1.5 KB'
    """
    if size < 1024:
        return f"{size:.0f} bytes"
    units = ["KB", "MB", "GB"]
    size /= 1024
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop(0)
    return f"{size:.1f} {units[0]}"


def main(argv: list[str]) -> int:
    """`python -m opwright cache`: path, list, prune, clear."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m opwright cache", description="What was compiled and kept."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("path", help="print the folder")
    commands.add_parser("list", help="print the entries, least recently used first")
    prune = commands.add_parser("prune", help="remove the least recently used entries")
    prune.add_argument("--size", metavar="SIZE", help="what may stay, such as 500M")
    commands.add_parser("clear", help="remove everything")
    options = parser.parse_args(argv)
    try:
        store = default_store()
        limit = parse_size(options.size) if getattr(options, "size", None) else store.limit
    except ValueError as problem:
        parser.error(str(problem))
    if options.command == "path":
        print(store.root)
        return 0
    try:
        return _run_command(options.command, store, limit)
    except OSError as problem:
        print(f"opwright: {store.root}: {problem.strerror}", file=sys.stderr)
        return 1


def _run_command(command: str | None, store: Store, limit: int) -> int:
    if command in ("prune", "clear"):
        removed = store.prune(-1 if command == "clear" else limit)
        print(f"removed {len(removed)} {'entry' if len(removed) == 1 else 'entries'}")
        return 0
    total = 0
    for entry in store.entries():
        size = entry.size()
        total += size
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.last_use()))
        label = entry.facts.get("name", "")
        print(f"{used}  {format_size(size):>10}  {entry.kind}  {label}  {entry.key[:12]}")
    print(f"{format_size(total)} of {format_size(store.limit)} in {store.root}")
    return 0
