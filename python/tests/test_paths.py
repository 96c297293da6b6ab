# SPDX-License-Identifier: BSD-3-Clause
"""Every path of a store or a saved grid is the file that it says, or is refused by name before f is called."""

import os
import pathlib
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import quoin

VALUES = dict(spacing=[1.0], outputs=1, derivatives=0)


def use_store(path, f=lambda x: x, **form):
    return quoin.AdaptiveGrid(f, spacing=[1.0], store=path, fingerprint="f", **form)


def save(path):
    grid = quoin.AdaptiveGrid(lambda x: x, **VALUES)
    grid([0.5])
    grid.save(path)


USES = {"store": use_store, "store of a known form": lambda path: use_store(path, outputs=1, derivatives=0)}
USES.update({"save": save, "load": quoin.load})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no grid, and no samples\n" * 100)
    os.symlink("folder", "to folder")
    os.symlink("loop", "loop")
    os.symlink("no/../f", "through nothing")
    os.mkfifo("pipe")
    return tmp_path


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "path",
    [
        "",
        b"",
        "a\0b",
        b"a\0b",
        "x" * 5000,
        "x/" * 2500 + "y",
        "folder",
        "folder/",
        "to folder",
        pathlib.Path("folder"),
        "loop",
        "pipe",
        "/dev/null",
        "/dev/full",
        "no/such/folder/f",
        "no/../f",
        "folder/no/../f",
        "through nothing",
        "text/f",
        "\ud800",
        "new/",
    ],
    ids=lambda path: repr(path)[:30],
)
def test_what_names_no_file_is_refused_by_name(folder, use, path):
    before = sorted(os.listdir(folder))
    with pytest.raises((ValueError, OSError)) as error:
        USES[use](path)
    name = os.fsdecode(os.fspath(path)).rstrip("/") if path not in (b"", b"a\0b") else ""
    assert name.split("/")[-1].replace("\0", "\\x00").replace("\ud800", "\\ud800")[:50] in str(error.value)
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("use", ["save", "store", "store of a known form"])
@pytest.mark.parametrize(
    "path", [":memory:", "file:x?mode=memory", "a b%20c#?&", "ünï", b"\xff\xfe", "~", "-", "x.npz.part"]
)
def test_odd_names_are_the_files_that_they_say(folder, use, path):
    before = set(os.listdir(os.fsencode(folder)))
    made = USES[use](path)
    if made is not None:
        made([0.5])
        made.flush()
    assert set(os.listdir(os.fsencode(folder))) - before >= {os.fsencode(path)}
    if use == "save":
        assert len(quoin.load(path).samples()) == 6


@pytest.mark.parametrize("path", [3, None, ["a"], 1.5])
def test_what_is_no_path_is_a_type_error(path):
    with pytest.raises(TypeError, match="expected a path"):
        quoin.load(path)
    if path is not None:
        with pytest.raises(TypeError, match="expected a path"):
            use_store(path)


def test_a_link_is_the_file_that_it_names(folder):
    os.symlink("target", "link")
    save("link")
    assert os.path.islink("link") and len(quoin.load("target").samples()) == 6
    os.symlink("store target", "store link")
    grid = use_store("store link")
    grid([0.5])
    grid.flush()
    assert os.path.getsize("store target") > 0


def test_a_relative_path_is_that_of_the_moment_when_it_was_given(folder):
    grid, options = use_store("f.quoin"), quoin.GridOptions(spacing=[1.0], store="f.quoin", fingerprint="f")
    os.chdir("folder")
    grid([0.5])
    grid.flush()
    assert os.listdir() == [] and (folder / "f.quoin").exists()
    assert options.store == grid.options.store == os.path.realpath(folder / "f.quoin")


def test_a_saved_file_keeps_its_rights_and_leaves_nothing_beside_it(folder):
    save("grid")
    os.chmod("grid", 0o640)
    before = sorted(os.listdir())
    save("grid")
    assert os.stat("grid").st_mode & 0o777 == 0o640

    class Fails:
        def __array__(self, *_):
            raise OSError(28, "No space left on device")

    from quoin import _saved

    content = pathlib.Path("grid").read_bytes()
    grid = quoin.load("grid")
    broken = _saved.Saved(grid.options.keywords(), 0, None, grid.samples())
    object.__setattr__(broken.samples, "jets", Fails())
    with pytest.raises(OSError, match="No space"):
        _saved.write(os.path.abspath("grid"), broken)
    assert sorted(os.listdir()) == before and pathlib.Path("grid").read_bytes() == content


@pytest.mark.parametrize("form", [{}, dict(outputs=1, derivatives=0)])
def test_a_store_that_cannot_be_used_is_refused_before_f_is_called(folder, form):
    calls = []
    one = dict(outputs=1, derivatives=0)
    other = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], store="of another", fingerprint="g", **one)
    other([0.5])
    two = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0, 1.0], store="of two", fingerprint="f", outputs=2, derivatives=0)
    two([0.5, 0.5])
    other.flush(), two.flush()
    for path in ("text", "of another", "of two", "no/f.quoin", "folder"):
        with pytest.raises((ValueError, OSError), match=path.split("/")[-1]):
            quoin.AdaptiveGrid(lambda x: calls.append(x) or x, spacing=[1.0], store=path, fingerprint="f", **form)
    if os.geteuid() != 0:
        os.chmod("folder", 0o555)
        with pytest.raises(OSError, match="new"):
            use_store("folder/new", **form)
    assert not calls


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_a_name_that_sqlite_gives_to_what_it_deletes_is_no_stores_and_what_has_it_is_not_deleted(folder, end):
    calls = []
    with pytest.raises(ValueError, match=f"a.quoin{end}.*another name"):
        use_store("a.quoin" + end, f=lambda x: calls.append(x) or x)
    grid = use_store("other")
    grid([0.5])
    grid.flush()
    del grid
    os.rename("other", "a.quoin" + end)
    content = pathlib.Path("a.quoin" + end).read_bytes()
    with pytest.raises(OSError, match=f"a.quoin{end} beside it is a database of its own"):
        use_store("a.quoin", f=lambda x: calls.append(x) or x)
    assert not calls and not os.path.exists("a.quoin")
    assert pathlib.Path("a.quoin" + end).read_bytes() == content
    assert use_store("a.quoin" + end, read_only=True)([0.5]) == 0.5


FULL = """
    import resource, signal, warnings, numpy as np, quoin
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    options = dict(spacing=[1.0], outputs=200, derivatives=1, fingerprint="f", store="full.quoin")
    grid = quoin.AdaptiveGrid(lambda x: (np.full(200, x[0]), np.ones((200, 1))), **options)
    grid([0.5])
    grid.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    grid(np.arange(0, 300, 1.0)[:, None])
    try:
        grid.flush()
    except OSError as error:
        print("told", "full.quoin" in str(error))
    status = grid.store_status
    print(status.unwritten > 0, status.error != "")
    {end}
"""


@pytest.mark.parametrize("end", ["del grid", "", "grid.keeps_itself = grid", "view = grid.at_level(0); del grid"])
def test_a_full_disk_is_told_by_flush_status_and_at_the_end(folder, end):
    program = textwrap.dedent(FULL).format(end=end)
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(quoin.__file__))}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["told True", "True True"], done.stdout + done.stderr
    for told in ("RuntimeWarning", "samples are not in the store", "full.quoin"):
        assert told in done.stderr


def test_a_store_that_is_well_warns_of_nothing(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grid = use_store("f.quoin", outputs=1, derivatives=0)
        grid(np.arange(20.0)[:, None])
        grid.flush()
        status = grid.store_status
        assert status.samples > 20 and status.unwritten == 0 and status.error == ""
        del grid
    without = quoin.AdaptiveGrid(lambda x: x, **VALUES)
    without.flush()
    assert without.store_status is None
