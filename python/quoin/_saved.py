# SPDX-License-Identifier: BSD-3-Clause
"""The file of a saved grid: a zip of three arrays, one of them a header in JSON. It is data: nothing in it acts."""

from __future__ import annotations

import json
import math
import os
import secrets
import stat
import zipfile
from typing import Any, BinaryIO, Callable, NamedTuple, Optional

import numpy as np

from quoin._core import __version__
from quoin._forms import FloatArray, jet_size
from quoin.options import ON_BRANCHES, ON_FAILURE, OUTSIDE
from quoin.samples import Samples

FORMAT = 3
_ARRAYS = ("header", "points", "jets")

Check = Callable[[Any], bool]


def _whole(least: int, most: int) -> Check:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and least <= v <= most


def _number(v: Any) -> bool:
    if isinstance(v, bool) or (isinstance(v, int) and abs(v) >= 2**63):
        return False
    return isinstance(v, (int, float)) and abs(v) <= 1.7976931348623157e308


def _text(v: Any) -> bool:
    return isinstance(v, str) and v == v.encode("utf-8", "replace").decode("utf-8")


def _numbers(v: Any) -> bool:
    return isinstance(v, list) and all(_number(x) or x in (math.inf, -math.inf) for x in v)


def _one_of(words: tuple[str, ...]) -> Check:
    return lambda v: isinstance(v, str) and v in words


def _or_none(check: Check) -> Check:
    return lambda v: v is None or check(v)


def _truth(v: Any) -> bool:
    return isinstance(v, bool)


#: the options that describe a grid, as its file has them; what acts (a store, its fingerprint, memory) is the caller's
OPTIONS: dict[str, Check] = {
    "spacing": _numbers,
    "origin": _or_none(_numbers),
    "lower": _or_none(_numbers),
    "upper": _or_none(_numbers),
    "periodic": _or_none(lambda v: isinstance(v, list) and all(map(_truth, v))),
    "tolerance": _or_none(_number),
    "output_weights": _or_none(_numbers),
    "deepest_level": _or_none(_whole(0, 1000)),
    "on_failure": _one_of(ON_FAILURE),
    "failure_splits": _or_none(_whole(0, 1000)),
    "outside": _one_of(OUTSIDE),
    "on_branches": _one_of(ON_BRANCHES),
    "branch_splits": _or_none(_whole(0, 1000)),
    "surplus_generations": _or_none(_whole(0, 1000)),
    "accept_by_ancestors": _or_none(_truth),
    "evaluate_ahead": _or_none(_truth),
    "single_precision": _or_none(_truth),
}
LEFT_OUT = ("store", "fingerprint", "durable", "read_only", "memory_budget")



def _table_of(dim: int, outputs: int) -> dict[str, Check]:
    """What says that a grid is a table, of so many variables."""

    def each(check: Check, count: int) -> Check:
        return lambda v: isinstance(v, list) and len(v) == count and all(map(check, v))

    def name(v: Any) -> bool:
        return _text(v) and bool(v.isidentifier())

    def positive(v: Any) -> bool:
        return _number(v) and v > 0

    return {
        "names": lambda v: each(name, dim)(v) and len(set(v)) == dim,
        "kinds": each(_one_of(("linear", "log", "periodic")), dim),
        "bounds": each(lambda v: each(_number, 2)(v) and v[0] < v[1], dim),
        "outputs": lambda v: each(name, outputs)(v) and len(set(v)) == outputs,
        "sizes": each(positive, outputs),
        "relative": each(positive, outputs),
    }


_HEADER: dict[str, Check] = {
    "format": _whole(1, FORMAT),
    "options": lambda v: isinstance(v, dict),
    "level": _whole(0, 1000),
    "tolerance": _or_none(_number),
    "table": _or_none(lambda v: isinstance(v, dict)),
    "jet_order": _whole(0, 3),
    "difference_gradients": _truth,
    "branches": lambda v: isinstance(v, list) and all(map(_whole(-(2**31), 2**31 - 1), v)),
    "reasons": lambda v: isinstance(v, list) and all(map(_text, v)),
    "retry": lambda v: isinstance(v, list) and all(map(_truth, v)),
    "seconds": lambda v: isinstance(v, list) and all(map(_number, v)),
}


class Saved(NamedTuple):
    """What the file says: options, level or tolerance, and samples."""

    options: dict[str, Any]
    level: int
    tolerance: Optional[float]
    samples: Samples
    table: Optional[dict[str, Any]] = None


def write(path: str, saved: Saved) -> None:
    """Under a name of its own first: whoever saves to one path at a time, one of them is there, whole."""
    samples = saved.samples
    header = {
        "format": FORMAT,
        "quoin": __version__,
        "options": {name: saved.options[name] for name in OPTIONS},
        "level": saved.level,
        "tolerance": saved.tolerance,
        "table": saved.table,
        **{name: getattr(samples, name) for name in ("jet_order", "difference_gradients", "branches", "reasons")},
        **{name: getattr(samples, name) for name in ("retry", "seconds")},
    }
    text = json.dumps(header, default=lambda value: value.tolist())  # of numpy's numbers and arrays
    part = os.path.join(os.path.dirname(path), f".quoin-{secrets.token_hex(8)}.part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        with open(file, "wb") as stream:
            if os.path.exists(path):
                os.fchmod(file, stat.S_IMODE(os.stat(path).st_mode))
            # As numpy's savez, which leaves the zip open where the disk is full, to be complained of later.
            write_array: Any = np.lib.format.write_array
            with zipfile.ZipFile(stream, "w") as archive:
                for name, array in zip(_ARRAYS, (np.array(text), samples.points, samples.jets)):
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        write_array(member, np.asanyarray(array), allow_pickle=False)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def read(path: str) -> Saved:
    """Raises ValueError, with the file's name, for what `write` does not write, and takes no more memory than a few
    times the file's size."""
    with open(path, "rb") as stream:
        try:
            return _read(stream, os.fstat(stream.fileno()).st_size)
        except Exception as error:  # of zip, numpy and JSON, which have many for what is damaged
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            raise ValueError(f"{path}: no grid saved by quoin that can be read ({kind}{error})") from error


def _read(stream: BinaryIO, size: int) -> Saved:
    with zipfile.ZipFile(stream) as archive:
        header = _header_of(str(_array(archive, "header", size)))
        names = sorted(archive.namelist())
        if names != sorted(f"{name}.npy" for name in _ARRAYS):
            raise ValueError(f"it holds {', '.join(names)}")
        points, jets = _array(archive, "points", size), _array(archive, "jets", size)
    options = header["options"]
    fields = {name: header[name] for name in ("jet_order", "difference_gradients", "branches", "reasons")}
    samples = Samples(points=points, jets=jets, **fields, retry=header["retry"], seconds=header["seconds"])
    dim = len(options["spacing"])
    if not 1 <= dim <= 6:
        raise ValueError(f"spacing has {dim} numbers, expected 1 to 6")
    count, derivatives = len(points), jet_size(dim, header["jet_order"])
    if points.shape != (count, dim) or jets.ndim != 3 or jets.shape != (count, jets.shape[1], derivatives):
        raise ValueError(
            f"points of shape {points.shape} and jets of shape {jets.shape}, expected (M, {dim}) and "
            f"(M, N, {derivatives})"
        )
    if count == 0 and jets.shape[1] > 2**20:  # of which nothing in the file tells, and a grid takes memory for all
        raise ValueError(f"{jets.shape[1]} outputs and no sample")
    for name in ("branches", "reasons", "retry", "seconds"):
        if len(header[name]) != count:
            raise ValueError(f"{len(header[name])} {name} for {count} points")
    if header["table"] is not None:
        _check("table: ", header["table"], _table_of(dim, jets.shape[1]))
    return Saved(options, header["level"], header["tolerance"], samples, header["table"])


def _header_of(text: str) -> dict[str, Any]:
    header = json.loads(text, object_pairs_hook=_no_name_twice)
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        raise ValueError("its header has no format")
    form = header["format"]
    if form > FORMAT:
        raise ValueError(
            f"format {form}, written by quoin {header.get('quoin', 'of a later version')!s:.20}; this is quoin "
            f"{__version__}, which reads formats up to {FORMAT}"
        )
    written_by = header.pop("quoin", "")
    if not isinstance(written_by, str):
        raise ValueError("quoin is no version")
    _check("", header, _HEADER)
    options = header["options"]
    if form == 1:  # which had it beside a store; it is the caller's
        options.pop("memory_budget", None)
    if form <= 2:  # which knew no periods, and no tables
        options.setdefault("periodic", None)
        header.setdefault("table", None)
    _check("options: ", options, OPTIONS)
    return header


def _check(where: str, fields: dict[str, Any], checks: dict[str, Check]) -> None:
    for name in fields:
        if name not in checks:
            raise ValueError(f"{where}{name!r:.60} is none of the fields that are read from a file")
    for name, check in checks.items():
        if name not in fields:
            raise ValueError(f"{where}{name} is missing")
        if not check(fields[name]):
            raise ValueError(f"{where}{name} = {fields[name]!r:.60}")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field of the header stands there twice")
    return fields


def _array(archive: zipfile.ZipFile, name: str, size: int) -> Any:
    """One array of the zip: uncompressed, and no larger than what is there of it."""
    member = archive.getinfo(f"{name}.npy")
    stored = member.compress_type == zipfile.ZIP_STORED and member.file_size == member.compress_size
    if not stored or member.file_size > size:
        raise ValueError(f"{name} is compressed, or larger than the file")
    with archive.open(member) as stream:
        numpys: Any = np.lib.format
        version = numpys.read_magic(stream)
        read_header = {(1, 0): numpys.read_array_header_1_0, (2, 0): numpys.read_array_header_2_0}.get(version)
        if read_header is None:
            raise ValueError(f"{name} is an array of numpy's format {version}")
        shape, by_columns, dtype = read_header(stream)
        wanted = dtype.kind == "U" and shape == () if name == "header" else dtype == np.float64
        there = member.file_size - stream.tell()
        if not wanted or math.prod(shape) * dtype.itemsize != there or any(extent < 0 for extent in shape):
            raise ValueError(f"{name} has shape {shape} and dtype {dtype!s:.40} in {there} bytes")
        flat = np.frombuffer(stream.read(there), dtype)
    array: FloatArray = flat.reshape(shape, order="F" if by_columns else "C")
    return array
