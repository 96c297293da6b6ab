# SPDX-License-Identifier: BSD-3-Clause
"""A saved grid is data: what acts is never read, what is damaged is refused by name, and every option comes back."""

import dataclasses
import io
import json
import math
import os
import random
import resource
import threading
import zipfile

import numpy as np
import pytest

import quoin
from quoin import _saved
from functions import waves

DRAWS = int(os.environ.get("QUOIN_LOAD_DRAWS", "400"))
SEED = int(os.environ.get("QUOIN_LOAD_SEED", "1"))


@pytest.fixture
def saved(tmp_path):
    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.25], lower=[0, 0], upper=[4, 4])
    grid(np.random.default_rng(1).uniform(0, 4, (20, 2)))
    grid.save(tmp_path / "grid.npz")
    return tmp_path / "grid.npz"


def parts_of(path):
    with np.load(path) as arrays:
        return json.loads(str(arrays["header"])), {"points": arrays["points"], "jets": arrays["jets"]}


def write(path, header, arrays):
    np.savez(path, header=np.array(json.dumps(header)), **arrays)


def refused(path, *told):
    with pytest.raises(ValueError) as error:
        quoin.load(path)
    for text in (os.fspath(path), *told):
        assert text in str(error.value)


@pytest.mark.parametrize(
    "field, value",
    [
        ("store", "anywhere"),
        ("fingerprint", "f"),
        ("durable", True),
        ("read_only", True),
        ("memory_budget", 1),
        ("executor", "threads"),
        ("f", 3),
        ("batched", True),
        ("outputs", 2),
        ("derivatives", 1),
        ("samples", None),
        ("unknown", None),
    ],
)
def test_what_acts_is_not_read_from_a_file(saved, field, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header, arrays = parts_of(saved)
    header["options"][field] = value
    write(saved, header, arrays)
    refused(saved, f"options: '{field}'")
    del header["options"][field]
    header[field] = value
    write(saved, header, arrays)
    refused(saved, f"'{field}'")
    assert not (tmp_path / "anywhere").exists()


def test_what_acts_comes_from_the_caller(saved, tmp_path):
    budget = dict(store=tmp_path / "f.quoin", fingerprint="f", memory_budget=10**6, durable=True)
    grid = quoin.load(saved, waves(2), executor="threads", **budget)
    grid([3.3, 3.3])
    assert grid.options.memory_budget == 10**6 and (tmp_path / "f.quoin").exists()
    again = tmp_path / "again.npz"
    grid.save(again)
    assert quoin.load(again).options.store is None


def test_a_newer_format_is_refused_with_both_versions(saved):
    header, arrays = parts_of(saved)
    header.update(format=header["format"] + 1, quoin="7.1", more=3)
    write(saved, header, arrays)
    refused(saved, f"format {header['format']}", "quoin 7.1", quoin.__version__, f"up to {header['format'] - 1}")


def test_the_first_format_is_read(saved):
    header, arrays = parts_of(saved)
    del header["quoin"]
    header["format"] = 1
    header["options"]["memory_budget"] = 150_000
    write(saved, header, arrays)
    assert quoin.load(saved).options.memory_budget is None


WRONG = [None, True, -1, 2**31, 2**63, 10**400, 1e308, -1e-308, math.nan, math.inf, "x", "", [], {}, [[]], [None]]
WRONG += [["x"], [1.0], [1.0] * 7, [0.0, 0.0], [-1.0, 1.0], [1e300, 1e300], [2**40] * 25, [math.nan] * 2]
WRONG += ["raise", "call"]


def damage_header(rng, header):
    inside = header["options"] if rng.random() < 0.5 else header
    name = rng.choice(list(inside))
    if rng.random() < 0.15:
        del inside[name]
    elif rng.random() < 0.15 and isinstance(inside[name], list) and inside[name]:
        inside[name][rng.randrange(len(inside[name]))] = rng.choice(WRONG)
    else:
        inside[name] = rng.choice(WRONG)


def damage_array(rng, arrays):
    name = rng.choice(list(arrays))
    array = arrays[name]
    change = rng.choice(
        [
            lambda: array.astype(rng.choice(["f4", "i8", "c16", "U3", "bool", ">f8", "M8[s]"])),
            lambda: array.astype(object),
            lambda: array[: rng.randrange(len(array))],
            lambda: array[..., : rng.randrange(array.shape[-1])],
            lambda: array.ravel(),
            lambda: array[np.newaxis],
            lambda: np.asfortranarray(array),
            lambda: array * rng.choice([np.nan, np.inf, 1e300, -1e300]),
            lambda: np.ma.masked_array(array),
            lambda: array.view([("a", "f8")]),
            lambda: np.zeros((0,) + array.shape[1:]),
        ]
    )
    arrays[name] = change()


def damage_bytes(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 3, 30])):
        at = rng.randrange(len(content))
        kind = rng.random()
        if kind < 0.5:
            content[at] ^= 1 << rng.randrange(8)
        elif kind < 0.7:
            del content[at : at + rng.randrange(1, 200)]
        elif kind < 0.85:
            content[at:at] = bytes(rng.randrange(1, 200))
        else:
            content[at : at + 4] = rng.choice([b"\xff" * 4, b"\0" * 4])
        if not content:
            break
    return bytes(content)


@pytest.mark.parametrize("block", range(4))
def test_damaged_files_are_read_whole_or_refused_by_name(saved, block):
    rng = random.Random(SEED * 100 + block)
    whole = saved.read_bytes()
    header, arrays = parts_of(saved)
    x = arrays["points"][0]
    y = quoin.load(saved)(x)
    told = 0
    for draw in range(DRAWS // 4):
        kind = rng.choice(["header", "array", "bytes", "cut"])
        if kind in ("header", "array"):
            new_header, new_arrays = json.loads(json.dumps(header)), dict(arrays)
            damage_header(rng, new_header) if kind == "header" else damage_array(rng, new_arrays)
            np.savez(saved, header=np.array(json.dumps(new_header)), **new_arrays)
        else:
            saved.write_bytes(damage_bytes(rng, whole) if kind == "bytes" else whole[: rng.randrange(len(whole))])
        try:
            grid = quoin.load(saved)
        except ValueError as error:
            assert os.fspath(saved) in str(error), (kind, draw, error)
            told += 1
        else:  # it is another grid, or what was changed is of no account
            if kind in ("bytes", "cut"):
                assert len(grid.samples()) in (0, len(arrays["points"])) and grid.options.store is None
    saved.write_bytes(whole)
    np.testing.assert_array_equal(quoin.load(saved)(x), y)
    assert told > DRAWS / 4 / 2


def with_member(path, name, content, **how):
    """The file with another member of this name."""
    kept = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            kept[member] = archive.read(member)
    with zipfile.ZipFile(path, "w") as archive:
        for member, there in kept.items():
            if member == name:
                archive.writestr(name, content, **how)
            else:
                archive.writestr(member, there)
        if name not in kept:
            archive.writestr(name, content)


def npy(shape, dtype="'<f8'", data=b""):
    text = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


@pytest.mark.parametrize(
    "content, how",
    [
        (npy((2**60, 2)), {}),
        (npy((2**31, 2**31)), {}),
        (npy((-1, 2)), {}),
        (npy((2**64, 2**64)), {}),
        (npy((10**9, 2), data=bytes(100)), {}),
        (npy((5, 2), "'|O'", bytes(80)), {}),
        (npy((5, 2), "[('a', '<f8', (100000000,))]", bytes(80)), {}),
        (npy((10**8 // 8, 1), data=bytes(10**8)), {"compress_type": zipfile.ZIP_DEFLATED}),
        (npy((10**8 // 8, 1), data=bytes(10**8)), {"compress_type": zipfile.ZIP_BZIP2}),
        (npy("(" * 200 + ")" * 200), {}),
        (b"\x93NUMPY\x09\x00", {}),
        (b"", {}),
    ],
    ids=range(12),
)
def test_what_is_declared_and_not_there_takes_no_memory(saved, content, how):
    with_member(saved, "points.npy", content, **how)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused(saved)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kB


def test_more_or_other_members_are_refused(saved):
    whole = saved.read_bytes()
    for name in ("more.npy", "../points.npy", "points", "évil.npy"):
        saved.write_bytes(whole)
        with_member(saved, name, b"")
        refused(saved)
    saved.write_bytes(whole)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("points.npy", b"")
    refused(saved)
    header, arrays = parts_of_text(whole)
    saved.write_bytes(whole)
    np.savez(saved, header=np.array('{"format": 2, "format": 2}'), **arrays)
    refused(saved, "twice")
    for text in ("[" * 100_000, "1" * 5000, "{}", "3", '{"format": "2"}', '{"format": true}', '{"format": 1e999}'):
        np.savez(saved, header=np.array(text), **arrays)
        refused(saved)


def parts_of_text(whole):
    with np.load(io.BytesIO(whole)) as arrays:
        return json.loads(str(arrays["header"])), {"points": arrays["points"], "jets": arrays["jets"]}


#: a value of each option that is not its default; a new option needs its own
DRAWN = {
    "spacing": lambda rng: [rng.choice([0.5, np.float64(0.25)]), 1],
    "origin": lambda rng: rng.choice([None, [0.25, 0.5], np.array([0.5, 0.0])]),
    "lower": lambda rng: rng.choice([None, [-math.inf, 0.0]]),
    "upper": lambda rng: rng.choice([None, (8.0, math.inf)]),
    "periodic": lambda rng: rng.choice([None, [False, False], (False, np.bool_(False))]),
    "tolerance": lambda rng: rng.choice([None, 1e-2, np.float64(1e-3)]),
    "output_weights": lambda rng: rng.choice([None, np.array([0.5, 2.0])]),
    "deepest_level": lambda rng: rng.choice([None, 5, np.int64(9)]),
    "on_failure": lambda rng: rng.choice(["raise", "coarser", "call"]),
    "failure_splits": lambda rng: rng.choice([None, 0, 2]),
    "outside": lambda rng: rng.choice(["raise", "clamp", "extend"]),
    "on_branches": lambda rng: rng.choice(["nearest", "call", "raise"]),
    "branch_splits": lambda rng: rng.choice([None, 0, 3]),
    "surplus_generations": lambda rng: rng.choice([None, 1, 2]),
    "accept_by_ancestors": lambda rng: rng.choice([None, True, False]),
    "evaluate_ahead": lambda rng: rng.choice([None, True, np.bool_(False)]),
    "single_precision": lambda rng: rng.choice([None, True, False]),
}


def test_every_option_is_saved_or_said_to_be_left_out():
    names = {field.name for field in dataclasses.fields(quoin.GridOptions)}
    assert names == set(_saved.OPTIONS) | set(_saved.LEFT_OUT) and set(DRAWN) == set(_saved.OPTIONS)
    for name in _saved.LEFT_OUT:
        assert f"`{name}`" in quoin.load.__doc__, f"{name} is left out of a saved grid, and load does not say so"


@pytest.mark.parametrize("draw", range(40))
def test_options_level_and_samples_come_back(tmp_path, draw):
    rng = random.Random(SEED * 1000 + draw)
    options = {name: value(rng) for name, value in DRAWN.items()}
    if options["origin"] is not None:
        options["lower"] = options["upper"] = None
    grid = quoin.AdaptiveGrid(waves(2), derivatives=1, outputs=2, **options)
    X = np.random.default_rng(draw).uniform(0.5, 3, (10, 2))
    grid(X)
    for _ in range(rng.randrange(3)):
        grid.refine()
    grid(X)
    grid.save(tmp_path / "grid.npz")
    loaded = quoin.load(tmp_path / "grid.npz")
    for name in DRAWN:
        np.testing.assert_array_equal(getattr(loaded.options, name), getattr(grid.options, name), err_msg=name)
    assert (loaded.level, loaded.tolerance) == (grid.level, grid.tolerance)
    np.testing.assert_array_equal(loaded(X), grid(X))
    one, other = grid.samples(), loaded.samples()
    assert len(one) == len(other) and sorted(one.points.tolist()) == sorted(other.points.tolist())


def test_savers_and_loaders_at_once_meet_whole_files(tmp_path):
    path = tmp_path / "grid.npz"
    grids = []
    for count in (10, 500):
        grid = quoin.AdaptiveGrid(lambda x: x, spacing=[1.0], outputs=1, derivatives=0)
        grid(np.arange(float(count))[:, None])
        grids.append(grid)
    grids[0].save(path)
    told = []

    def work(grid):
        try:
            for _ in range(30):
                grid.save(path)
                assert len(quoin.load(path).samples()) in (len(grids[0].samples()), len(grids[1].samples()))
        except BaseException as error:
            told.append(error)

    threads = [threading.Thread(target=work, args=(grids[i % 2],)) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not told and os.listdir(tmp_path) == ["grid.npz"]
