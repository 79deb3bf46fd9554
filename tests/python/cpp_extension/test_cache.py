"""The cache: intact entries, limits, locks, and folders that cannot be written."""

import errno
import os
import re
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from opwright.cpp_extension import _cache


def build_text(text):
    def build(folder):
        (Path(folder) / "text").write_text(text)
        return ["text"], {"name": text[:4]}

    return build


def obtain(text, store=None, key=None):
    store = store or _cache.default_store()
    return _cache.obtain(store, "kind", key or _cache.digest_of(text), build_text(text))


def refuse_to_build(folder):
    raise AssertionError("built again")


def test_an_entry_is_built_once(cache):
    first = obtain("one")

    again = _cache.obtain(_cache.default_store(), "kind", first.key, refuse_to_build)

    assert Path(again.path("text")).read_text() == "one"
    assert again.facts == {"name": "one"}


def test_a_damaged_entry_is_built_again(cache):
    entry = obtain("one")
    Path(entry.path("text")).write_text("oxe")

    assert Path(obtain("one").path("text")).read_text() == "one"


@pytest.mark.parametrize(
    "content", [b"", b"opwright cache 1\nfile\tte", b"\xff\xfe", b"other\nend"]
)
def test_a_damaged_manifest_is_built_again(cache, content):
    entry = obtain("one")
    Path(entry.path("manifest")).write_bytes(content)

    assert Path(obtain("one").path("text")).read_text() == "one"


def test_facts_keep_every_character(cache):
    facts = {"a\tb\n\\": "ü\n\t\\n"}
    entry = _cache.obtain(_cache.default_store(), "kind", "key", lambda folder: ([], facts))

    assert _cache.read_entry(entry.folder).facts == facts


def test_a_build_that_fails_leaves_nothing(cache):
    def fail(folder):
        raise KeyError("no")

    with pytest.raises(KeyError):
        _cache.obtain(_cache.default_store(), "kind", "key", fail)

    assert _cache.default_store().entries() == []
    assert list((cache / "staging").iterdir()) == list((cache / "locks").iterdir()) == []


def test_the_folder_is_private(cache):
    entry = obtain("one")

    for folder in (cache, cache / "kind", entry.folder):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(tmp_path / "own"))
    assert _cache.cache_folder() == str(tmp_path / "own")
    monkeypatch.delenv("OPWRIGHT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert _cache.cache_folder() == str(tmp_path / "xdg" / "opwright")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _cache.cache_folder() == str(tmp_path / ".cache" / "opwright")


def test_the_least_recently_used_entries_go_first(cache, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_SIZE", "1M")
    for number, text in enumerate(("old", "used", "new")):
        entry = obtain(text * 100_000)
        os.utime(entry.path("manifest"), (number, number))
    obtain("old" * 100_000)  # now the last used

    obtain("last" * 100_000)

    names = {entry.facts["name"] for entry in _cache.default_store().entries()}
    assert names == {"oldo", "newn", "last"}


def test_an_entry_that_alone_is_over_the_limit_is_kept_while_it_is_new(cache, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_SIZE", "10")

    entry = obtain("x" * 1000)

    assert os.path.exists(entry.path("text"))


def test_what_a_killed_process_left_goes_after_a_day(cache):
    obtain("one")
    old, fresh = cache / "staging" / "old", cache / "staging" / "fresh"
    old.mkdir(), fresh.mkdir()
    os.utime(old, (0, time.time() - 2 * 24 * 3600))

    obtain("two")

    assert not old.exists()
    assert fresh.exists()


def test_a_size_that_is_none_is_refused(cache, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_SIZE", "lots")

    with pytest.raises(
        ValueError, match="OPWRIGHT_CACHE_SIZE: a size must be like 500M, 2G or 1048576, got 'lots'"
    ):
        _cache.default_store()


def test_sizes_have_units():
    assert [_cache.parse_size(text) for text in ("7", "1K", "1.5kb", "2MiB", "1G")] == [
        7,
        1024,
        1536,
        2 << 20,
        1 << 30,
    ]


def test_a_lock_of_a_killed_process_is_free(cache):
    store = _cache.default_store()
    code = (
        "import sys, time; from opwright.cpp_extension import _cache\n"
        "with _cache.default_store().lock('name', lambda: None):\n"
        "    print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=child_env()
    ) as child:
        assert child.stdout.readline() == b"locked\n"
        with pytest.raises(TimeoutError), store.lock("name", raise_timeout):
            pass
        child.kill()

    with store.lock("name", raise_timeout):
        pass


def raise_timeout():
    raise TimeoutError


def child_env():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def mount(tmp_path):
    """Mounts a memory disk, where that is permitted."""
    folders = []

    def mount_disk(options):
        folder = tmp_path / "disk"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "none", folder]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(
                f"a disk may not be mounted, the case was not tested: {done.stderr.strip()}"
            )
        folders.append(folder)
        return folder

    yield mount_disk
    for folder in folders:
        subprocess.run(["umount", folder], check=True)


def test_a_read_only_cache_is_replaced_by_a_temporary_one_with_one_warning(
    cache, mount, monkeypatch
):
    disk = mount("ro")
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(disk))

    with pytest.warns(
        RuntimeWarning, match=f"the cache {disk} cannot be written \\(Read-only file"
    ):
        entry = obtain("one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        obtain("two")
        again = obtain("one")

    assert Path(again.path("text")).read_text() == "one"
    assert again.folder == entry.folder
    assert not entry.folder.startswith(str(disk))


def test_a_read_only_cache_is_read(cache, mount, monkeypatch):
    disk = mount("size=1m")
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(disk))
    entry = obtain("one")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)

    assert obtain("one").folder == entry.folder


def test_a_full_disk_is_replaced_by_a_temporary_folder_with_one_warning(cache, mount, monkeypatch):
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(mount("size=64k")))

    with pytest.warns(
        RuntimeWarning, match=re.escape("cannot be written (No space left on device)")
    ):
        entry = obtain("x" * 100_000)

    assert Path(entry.path("text")).stat().st_size == 100_000


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_cache_that_refuses_to_be_written_is_replaced(cache, monkeypatch, number):
    def refuse(path):
        raise OSError(number, os.strerror(number), path)

    store = _cache.default_store()
    with monkeypatch.context() as fault:
        fault.setattr(store, "make", lambda *args: refuse(store.root))
        with pytest.warns(RuntimeWarning, match="is lost at exit. Set OPWRIGHT_CACHE_DIR"):
            entry = obtain("one", store)

    assert Path(entry.path("text")).read_text() == "one"


def test_a_file_in_the_place_of_the_folder_is_no_cache(cache, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OPWRIGHT_CACHE_DIR", str(tmp_path / "file" / "cache"))

    with pytest.warns(RuntimeWarning, match="Not a directory"):
        obtain("one")


def test_the_temporary_folder_goes_with_the_process(cache, tmp_path):
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "from opwright.cpp_extension import _cache\n"
        "build = lambda folder: ([], {})\n"
        "print(_cache.obtain(_cache.default_store(), 'kind', 'key', build).folder)"
    )
    (tmp_path / "file").write_text("")
    env = {**child_env(), "OPWRIGHT_CACHE_DIR": str(tmp_path / "file" / "cache")}

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)

    assert done.returncode == 0, done.stderr
    assert "opwright-" in done.stdout
    assert not os.path.exists(done.stdout.strip())


def test_the_command_lists_prunes_and_clears(cache, capsys):
    obtain("one"), obtain("two")

    assert _cache.main(["path"]) == _cache.main(["list"]) == 0
    path, *lines = capsys.readouterr().out.splitlines()
    assert path == str(cache)
    assert [line.split()[-2] for line in lines[:2]] == ["one", "two"]
    assert lines[-1].endswith(f"of 1.0 GB in {cache}")

    _cache.main(["prune", "--size", "150"])
    assert capsys.readouterr().out == "removed 1 entry\n"
    _cache.main(["clear"])
    assert capsys.readouterr().out == "removed 1 entry\n"
    assert _cache.main([]) == 0
    assert capsys.readouterr().out == f"0 bytes of 1.0 GB in {cache}\n"


def test_the_command_refuses_a_size_that_is_none(cache, capsys):
    with pytest.raises(SystemExit):
        _cache.main(["prune", "--size", "much"])

    assert "a size must be like 500M" in capsys.readouterr().err
