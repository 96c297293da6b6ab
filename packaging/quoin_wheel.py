# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel and the source archive: what pip calls (PEP 517, PEP 660), and by hand

    python3 packaging/quoin_wheel.py wheel|sdist|editable FOLDER [NAME=VALUE ...]

prints the path of the file that it makes in FOLDER. It needs nothing but Python, CMake and what the binding is compiled
with. Settings, NAME=VALUE here and --config-settings=NAME=VALUE for pip:

    preset      the preset of CMakePresets.json that is configured: python (default), python-all
    build-dir   a build folder in which the binding is built already; nothing is configured or compiled

CMAKE_ARGS in the environment holds further options for CMake. Where SOURCE_DATE_EPOCH is set, files are of that time;
they are of 1980 otherwise. The same files give the same archive, to the byte.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Callable, Dict, Iterator, Mapping, NoReturn, Optional, Sequence, Tuple

Settings = Optional[Mapping[str, str]]
Files = Dict[str, bytes]

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = {"plot": "matplotlib", "scipy": "scipy", "torch": "torch", "dask": "distributed", "mpi": "mpi4py"}
LAST_WITHOUT_NUMPY_2 = (2, 11)  # of pybind11


def version() -> str:
    """The number of include/quoin/version.hpp."""
    text = (ROOT / "include/quoin/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define QUOIN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))


def metadata(numpy: str) -> str:
    """What an index, and pip, know of the package; numpy is the range that it works with."""
    lines = [
        "Metadata-Version: 2.1",
        "Name: quoin",
        f"Version: {version()}",
        "Summary: On-demand hierarchical grid surrogates for expensive robot dynamics",
        "Author: The Quoin authors",
        "License: BSD-3-Clause",
        "License-File: LICENSE",
        "Requires-Python: >=3.9",
        f"Requires-Dist: numpy {numpy}",
    ]
    for extra, package in EXTRAS.items():
        lines += [f"Provides-Extra: {extra}", f'Requires-Dist: {package}; extra == "{extra}"']
    lines += ["Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def tag() -> str:
    """The interpreter that runs this, and its system: its modules load in no other."""
    implementation, abi = str(sysconfig.get_config_var("SOABI")).split("-")[:2]
    if implementation != "cpython":
        raise SystemExit(f"quoin is built for CPython alone, not for {sys.implementation.name}")
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-cp{abi}-{platform}"


# How it is built


def surroundings() -> Dict[str, str]:
    """The environment of what is started: without the folders in which pip hides the interpreter's packages."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    jobs = max(1, min(os.cpu_count() or 1, int(gigabytes / 2)))  # optimized Eigen code takes up to 1.5 GB a compiler
    return {"CMAKE_BUILD_PARALLEL_LEVEL": str(jobs), **environment, "PYTHONDONTWRITEBYTECODE": "1"}


def debian_packages() -> str:
    sets = (ROOT / "scripts/packages.txt").read_text(encoding="utf-8")
    return " ".join(re.findall(r"^(?:\w+,)*python(?:,\w+)* (\S+)$", sets, re.MULTILINE))


def give_up(why: str) -> NoReturn:
    raise SystemExit(
        f"quoin was not built: {why}.\nIt needs CMake 3.25, ninja, a C++20 compiler, Eigen 3.4, SQLite, pybind11 2.10 "
        f"and Python's headers. On Debian 12, as root: apt-get install {debian_packages()}"
    )


def run(*command: str, show: bool = False) -> str:
    """What it prints, which is shown where it fails; or at once."""
    to = sys.stderr.fileno() if show else subprocess.PIPE
    try:
        done = subprocess.run(command, env=surroundings(), stdout=to, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError:
        give_up(f"there is no {command[0]}")
    if done.returncode:
        print(done.stdout or "", file=sys.stderr)
        give_up(f"{command[0]} failed, its words are above")
    return done.stdout or ""


def configured(settings: Settings) -> Path:
    """The build folder. One for each interpreter, which is kept, so that another build compiles what was edited."""
    settings = settings or {}
    if "build-dir" in settings:
        return Path(settings["build-dir"]).resolve()
    build = ROOT / "build" / f"wheel-{tag()}"
    options = [f"-DQUOIN_PYTHON_PROGRAM={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    where = "import pybind11; print(pybind11.get_include())"  # of this interpreter, or CMake looks for it
    found = subprocess.run([sys.executable, "-c", where], env=surroundings(), capture_output=True, text=True)
    if found.returncode == 0:
        options.append(f"-DQUOIN_PYBIND11_INCLUDE={found.stdout.strip()}")
    said = run("cmake", "-S", str(ROOT), "--preset", settings.get("preset", "python"), "-B", str(build), *options)
    left_out = re.findall(r"^-- (\w+: left out.*)$", said, re.MULTILINE)
    if any(line.startswith("python:") for line in left_out):
        give_up("; ".join(left_out))
    return build


def built(settings: Settings) -> Path:
    build = configured(settings)
    if "build-dir" not in (settings or {}):
        run("cmake", "--build", str(build), "--target", "quoin_python", show=True)
    return build


def numpy_range(build: Path) -> str:
    """pybind11 reads NumPy's structures, whose layout NumPy 2 changed."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^QUOIN_PYBIND11_INCLUDE:\w+=(.*)$", cache, re.MULTILINE)
    assert found, f"{build} was configured without the binding"
    header = (Path(found[1]) / "pybind11/detail/common.h").read_text(encoding="utf-8")
    numbers = re.findall(r"define PYBIND11_VERSION_M(?:AJ|IN)OR +(\d+)", header)
    return ">=1.20,<2" if tuple(map(int, numbers)) <= LAST_WITHOUT_NUMPY_2 else ">=1.20"


# What is packed


def package(build: Path) -> Files:
    """The files of the package: real ones, where the build folder has links."""
    module = build / "python/quoin" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        raise SystemExit(f"there is no {module}: the binding is not built, or for another Python than {sys.executable}")
    files = {f"quoin/{module.name}": module.read_bytes()}
    source = ROOT / "python"
    for path in [*source.glob("quoin/**/*.py"), *source.glob("quoin/**/*.pyi"), source / "quoin/py.typed"]:
        files[path.relative_to(source).as_posix()] = path.read_bytes()
    return files


def dist_info(build: Path) -> Files:
    folder = f"quoin-{version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: quoin_wheel\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {
        f"{folder}/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{folder}/METADATA": metadata(numpy_range(build)).encode(),
        f"{folder}/WHEEL": wheel.encode(),
    }


def record(files: Files) -> str:
    lines = []
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"quoin-{version()}.dist-info/RECORD,,", ""])


def moment() -> int:
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)  # a zip knows no time before 1980


def write_wheel(folder: str, files: Files) -> str:
    name = f"quoin-{version()}-{tag()}.whl"
    files = {**files, f"quoin-{version()}.dist-info/RECORD": record(files).encode()}
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(moment())[:6])
            entry.external_attr = (0o100755 if "/_core." in path and not path.endswith(".pyi") else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def sources() -> Iterator[Tuple[str, Path]]:
    """What git knows or would take; in an unpacked archive, all that no build has made."""
    if (ROOT / ".git").exists():
        listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")[:-1]
    else:
        made = {"build", "out", "PKG-INFO"}
        paths = (path.relative_to(ROOT) for path in ROOT.glob("**/*"))
        names = [path.as_posix() for path in paths if path.parts[0] not in made and "__pycache__" not in path.parts]
    for name in sorted(set(names)):
        if (ROOT / name).is_file():
            yield name, ROOT / name


# What pip calls


def get_requires_for_build_wheel(config_settings: Settings = None) -> Sequence[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Also the moment at which what is missing is told, before minutes of compiling."""
    for name, content in dist_info(configured(config_settings)).items():
        path = Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return path.parent.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: object = None) -> str:
    build = built(config_settings)
    return write_wheel(wheel_directory, {**package(build), **dist_info(build)})


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: object = None) -> str:
    """A path to the build folder, where the package lies as links: edits of Python need no build, others the same."""
    build = built(config_settings)
    return write_wheel(wheel_directory, {"quoin.pth": f"{build / 'python'}\n".encode(), **dist_info(build)})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    base = f"quoin-{version()}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        contents = [(name, path.read_bytes(), os.access(path, os.X_OK)) for name, path in sources()]
        for name, content, runs in [("PKG-INFO", metadata(">=1.20").encode(), False), *contents]:
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), moment(), 0o755 if runs else 0o644
            archive.addfile(entry, io.BytesIO(content))
    (Path(sdist_directory) / f"{base}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return f"{base}.tar.gz"


def main() -> None:
    builders: Dict[str, Callable[[str, Settings], str]]
    builders = {"wheel": build_wheel, "sdist": build_sdist, "editable": build_editable}
    if len(sys.argv) < 3 or sys.argv[1] not in builders or any("=" not in setting for setting in sys.argv[3:]):
        raise SystemExit(__doc__)
    settings = dict(setting.split("=", 1) for setting in sys.argv[3:])
    os.makedirs(sys.argv[2], exist_ok=True)
    print(Path(sys.argv[2]) / builders[sys.argv[1]](sys.argv[2], settings))


if __name__ == "__main__":
    main()
